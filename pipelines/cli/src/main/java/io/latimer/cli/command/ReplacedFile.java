package io.latimer.cli.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that is replaced atomically: it is written under a temporary name, synced and renamed.
 * Closing it without {@link #commit} keeps the old file.
 */
public final class ReplacedFile implements AutoCloseable {
  private final Path file;
  private final Path unfinished;
  private final FileChannel channel;

  public ReplacedFile(Path file) throws IOException {
    requireWritable(file);
    this.file = file.toAbsolutePath();
    String name =
        "." + this.file.getFileName() + "." + Long.toHexString(System.nanoTime()) + ".tmp";
    this.unfinished = this.file.resolveSibling(name);
    this.channel =
        FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    unfinished.toFile().deleteOnExit(); // for Ctrl-C
  }

  /**
   * Checks that a file can be created or replaced, that is, that its folder is writable.
   *
   * @throws CommandException saying why not
   */
  public static void requireWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || Files.isDirectory(file)) {
      throw new CommandException(file + " is a folder; name a file.");
    }
    if (!Files.isDirectory(folder)) {
      throw new CommandException(folder + ": no such folder.");
    }
    if (!Files.isWritable(folder)) {
      throw new CommandException(folder + ": no permission to write files in this folder.");
    }
  }

  public OutputStream out() {
    return Channels.newOutputStream(channel);
  }

  public void commit() throws IOException {
    channel.force(true);
    channel.close();
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(unfinished);
  }
}
