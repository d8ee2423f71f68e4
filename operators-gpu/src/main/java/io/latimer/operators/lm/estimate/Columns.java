package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.TempFolder;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Makes columns: in Java's memory, or in temporary files if they would not fit there. */
public final class Columns {
  /** The capacity of one column, which is that of one array. */
  private static final long LONGEST = Integer.MAX_VALUE - 8;

  private final TempFolder folder;
  private final boolean inFiles;

  Columns(TempFolder folder, boolean inFiles) {
    this.folder = folder;
    this.inFiles = inFiles;
  }

  IntColumn ints(long length) {
    int n = check(length);
    try {
      return inFiles ? new IntColumn.InFile(folder, n) : new IntColumn.InMemory(n);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  LongColumn longs(long length) {
    int n = check(length);
    try {
      return inFiles ? new LongColumn.InFile(folder, n) : new LongColumn.InMemory(n);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int check(long length) {
    if (length > LONGEST) {
      throw new OperatorException(
          "the text has more than "
              + LONGEST
              + " distinct n-grams of one order, the maximum for an estimate;"
              + " use a lower order or less text");
    }
    return (int) length;
  }
}
