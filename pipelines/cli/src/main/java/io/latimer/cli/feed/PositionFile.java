package io.latimer.cli.feed;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.ReplacedFile;
import io.latimer.pipelines.feed.FeedConfig;
import io.latimer.pipelines.feed.FeedException;
import io.latimer.pipelines.feed.FeedPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Stores a feed's position in a file, which is replaced atomically: it is written under a temporary
 * name beside it, synced and renamed.
 */
final class PositionFile {
  /** A position takes some 90 KB. */
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private final Path unfinished;

  PositionFile(Path file) {
    ReplacedFile.requireWritable(file);
    this.file = file.toAbsolutePath();
    this.unfinished = this.file.resolveSibling("." + this.file.getFileName() + ".tmp");
  }

  /** The position in the file; the start of the feed if there is no file. */
  FeedPosition read(FeedConfig feed) throws IOException {
    if (!Files.exists(file)) {
      return feed.start();
    }
    if (Files.size(file) > MAX_BYTES) {
      throw new CommandException(file + " is not the position of a feed: it is too long.");
    }
    try {
      return FeedPosition.of(Files.readAllBytes(file));
    } catch (FeedException e) {
      throw new CommandException(file + ": " + e.getMessage(), e);
    }
  }

  void write(FeedPosition position) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(position.toBytes());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }
}
