package io.latimer.e2e.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.stream.Stream;

/** The folder in which {@link WatchedStage} shows the batches that it works on. */
final class InFlight {
  static final String SEPARATOR = "-";

  /** Prefix of the names of files that remember on what the stage has hung. */
  static final String HUNG = "hung" + SEPARATOR;

  private final Path folder;

  InFlight(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  Path folder() {
    return folder;
  }

  /** Whether one of these processes works on a batch now. */
  boolean isOpen(Collection<Long> pids) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(file -> pids.stream().anyMatch(pid -> isOf(file, pid)));
    }
  }

  private static boolean isOf(Path file, long pid) {
    return file.getFileName().toString().startsWith(pid + SEPARATOR);
  }
}
