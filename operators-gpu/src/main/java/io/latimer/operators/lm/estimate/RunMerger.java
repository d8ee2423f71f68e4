package io.latimer.operators.lm.estimate;

import java.util.List;

/** Merges several sorted runs into one sequence, adding the counts of equal n-grams. */
final class RunMerger extends CountedCursor {
  private final List<RunReader> all;
  private final RunReader[] heap; // ordered by n-gram, smallest first
  private int size;
  private int[] before;
  private int lengthBefore;

  RunMerger(List<RunReader> runs, int order) {
    super(order);
    this.all = runs;
    this.heap = new RunReader[runs.size()];
    this.before = new int[order];
    for (RunReader run : runs) {
      if (run.next()) {
        heap[size++] = run;
      }
    }
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  @Override
  public boolean next() {
    if (size == 0) {
      return false;
    }
    int[] swap = before;
    before = words;
    words = swap;
    lengthBefore = length;
    length = heap[0].length();
    for (int back = 0; back < length; back++) {
      words[back] = heap[0].word(back);
    }
    count = 0;
    do {
      count = Math.addExact(count, heap[0].count());
      if (!heap[0].next()) {
        heap[0] = heap[--size];
      }
      sink(0);
    } while (size > 0 && isCurrent(heap[0]));
    shared = 0;
    int least = Math.min(length, lengthBefore);
    while (shared < least && words[shared] == before[shared]) {
      shared++;
    }
    return true;
  }

  private boolean isCurrent(RunReader run) {
    if (run.length() != length) {
      return false;
    }
    for (int back = 0; back < length; back++) {
      if (run.word(back) != words[back]) {
        return false;
      }
    }
    return true;
  }

  private void sink(int at) {
    int i = at;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && compare(heap[child + 1], heap[child]) < 0) {
        child++;
      }
      if (compare(heap[i], heap[child]) <= 0) {
        return;
      }
      RunReader swap = heap[i];
      heap[i] = heap[child];
      heap[child] = swap;
      i = child;
    }
  }

  /**
   * No n-gram is the suffix of another: one that is shorter than the order starts with {@code <s>}.
   */
  private static int compare(RunReader a, RunReader b) {
    int least = Math.min(a.length(), b.length());
    for (int back = 0; back < least; back++) {
      int order = Integer.compare(a.word(back), b.word(back));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  @Override
  public void close() {
    all.forEach(RunReader::close);
  }
}
