package io.latimer.e2e.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * The disk under the checkpoints, which can be full for a while. Where this user may mount, it is a
 * small file system in memory. Elsewhere the processes may not write a byte to any file ({@code
 * RLIMIT_FSIZE}), which is a full disk for them, too.
 */
final class CheckpointDisk implements AutoCloseable {
  private static final String SIZE = "size=256m";

  private final Path folder;
  private final boolean mounted;

  CheckpointDisk(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    mounted = run("mount", "-t", "tmpfs", "-o", SIZE, "latimer-chaos", folder.toString());
    if (mounted) {
      Runtime.getRuntime().addShutdownHook(new Thread(this::unmount, "unmount"));
    }
  }

  /** What is done to it. */
  String method() {
    return mounted
        ? "a tmpfs of 256 MiB, filled to its last byte"
        : "RLIMIT_FSIZE of 0 bytes for the processes";
  }

  Path folder() {
    return folder;
  }

  void fill(Collection<Long> pids) throws IOException {
    if (!mounted) {
      limit(pids, "0:");
      return;
    }
    byte[] block = new byte[1 << 12];
    try (OutputStream out = Files.newOutputStream(filler())) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      // full
    }
  }

  void free(Collection<Long> pids) throws IOException {
    if (mounted) {
      Files.deleteIfExists(filler());
    } else {
      limit(pids, "unlimited:");
    }
  }

  private Path filler() {
    return folder.resolve("filler");
  }

  /** Sets the soft limit, which may be raised again. */
  private static void limit(Collection<Long> pids, String bytes) throws IOException {
    for (long pid : pids) {
      if (!run("prlimit", "--pid", Long.toString(pid), "--fsize=" + bytes)
          && ProcessHandle.of(pid).isPresent()) {
        throw new IOException("prlimit cannot limit the files of process " + pid);
      }
    }
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(List.of(command))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .onExit()
              .join()
              .exitValue()
          == 0;
    } catch (IOException e) {
      return false; // there is no such program
    }
  }

  private boolean unmount() {
    return run("umount", "--lazy", folder.toString());
  }

  @Override
  public void close() throws IOException {
    if (mounted && !unmount()) {
      throw new IOException("cannot unmount " + folder);
    }
  }
}
