package io.latimer.operators.lm.estimate;

import io.latimer.operators.util.TempFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The n-grams of a text that does not fit into memory: sorted runs on disk, to be merged. */
final class CountRuns {
  /** The maximum number of runs per merge. */
  private static final int MOST_AT_ONCE = 64;

  private static final int SMALLEST_BUFFER = 1 << 12;
  private static final int LARGEST_BUFFER = 1 << 20;

  private final TempFolder folder;
  private final int order;
  private final int bufferBytes;
  private final List<Path> runs = new ArrayList<>();
  private int written;

  /**
   * @param memory maximum size of the buffers in bytes
   */
  CountRuns(TempFolder folder, int order, long memory) {
    this.folder = folder;
    this.order = order;
    this.bufferBytes =
        (int) Math.max(SMALLEST_BUFFER, Math.min(LARGEST_BUFFER, memory / 8 / MOST_AT_ONCE));
  }

  /** The number of runs written. */
  int written() {
    return written;
  }

  /** Writes a run. */
  void add(SortedNgrams ngrams) throws IOException {
    Path file = folder.file("run");
    try (RunWriter writer = new RunWriter(file, bufferBytes)) {
      for (int part = 0; part < ngrams.parts(); part++) {
        try (SortedNgrams.Cursor cursor = ngrams.open(part)) {
          writer.writeAll(cursor);
        }
      }
      writer.finish();
    }
    runs.add(file);
    written++;
  }

  /** Merges all runs into one. */
  SortedNgrams merge() throws IOException {
    while (runs.size() > 1) {
      List<Path> some = new ArrayList<>(runs.subList(0, Math.min(MOST_AT_ONCE, runs.size())));
      Path file = folder.file("run");
      mergeTo(file, some);
      runs.removeAll(some);
      runs.add(file);
      for (Path merged : some) {
        Files.delete(merged);
      }
    }
    return new Run(runs.get(0), order, bufferBytes);
  }

  private void mergeTo(Path file, List<Path> some) throws IOException {
    List<RunReader> readers = new ArrayList<>();
    try {
      for (Path run : some) {
        readers.add(new RunReader(run, order, bufferBytes));
      }
      try (RunWriter writer = new RunWriter(file, bufferBytes);
          RunMerger merger = new RunMerger(readers, order)) {
        writer.writeAll(merger);
        writer.finish();
      }
    } finally {
      readers.forEach(RunReader::close);
    }
  }

  /** A run that holds the whole text. */
  private record Run(Path file, int order, int bufferBytes) implements SortedNgrams {
    @Override
    public int parts() {
      return 1;
    }

    @Override
    public Cursor open(int part) {
      return new RunReader(file, order, bufferBytes);
    }

    @Override
    public long memory() {
      return bufferBytes;
    }

    @Override
    public void close() {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
