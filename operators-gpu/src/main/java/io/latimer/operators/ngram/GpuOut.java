package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.ReadBackRing;
import io.latimer.operators.device.ReadBackRing.Part;
import io.latimer.operators.device.Stream;
import io.latimer.operators.util.Team;
import java.util.List;

/** Reads tables back from a device. */
final class GpuOut implements AutoCloseable {
  /** Bytes per copy: larger copies delay the end of a table, smaller ones cost more calls. */
  private static final int SLOT = 2 << 20;

  private static final int SLOTS = 12;

  private final Stream stream;
  private final Team team;
  private final ReadBackRing ring;

  /**
   * Makes a read-back ring.
   *
   * @param team threads that read
   */
  GpuOut(Gpu gpu, Stream stream, Team team) {
    this.stream = stream;
    this.team = team;
    this.ring = new ReadBackRing(gpu, "ngrams", team, SLOTS, SLOT);
  }

  /** Produces a list: unsorted keys and counts, possibly more than fit. */
  interface Lister {
    void list(GpuKernels.NgramList to);
  }

  /** Builds a table from sorted keys and their counts with the help of threads. */
  interface Maker {
    NgramCounts make(long[] keys, long[] counts, Team team);
  }

  /**
   * Lists a table, sorts the list on the device and reads it back.
   *
   * @param arena for what this takes; reset before and after
   * @param guess estimated number of n-grams
   */
  NgramCounts sorted(
      GpuKernels kernels, Arena arena, long guess, int keyBits, Lister lister, Maker maker) {
    long room = Math.max(guess, 1 << 10);
    while (true) {
      arena.reset();
      DeviceBuffer keys = arena.allocate(room * 8);
      DeviceBuffer counts = arena.allocate(room * 8);
      DeviceBuffer size = arena.allocate(8);
      lister.list(new GpuKernels.NgramList(keys, counts, room, size));
      long found = number(size);
      if (found <= room) {
        DeviceBuffer sortedKeys = arena.allocate(found * 8);
        DeviceBuffer sortedCounts = arena.allocate(found * 8);
        kernels.listSort(arena, keys, counts, found, keyBits, sortedKeys, sortedCounts);
        NgramCounts table = table(sortedKeys, sortedCounts, found, maker);
        arena.reset();
        return table;
      }
      room = found;
    }
  }

  /**
   * The same for a table whose number of n-grams is known: waits for the device only once.
   *
   * @param number of n-grams, exactly
   */
  NgramCounts sortedOf(
      GpuKernels kernels, Arena arena, long number, int keyBits, Lister lister, Maker maker) {
    arena.reset();
    DeviceBuffer keys = arena.allocate(number * 8);
    DeviceBuffer counts = arena.allocate(number * 8);
    DeviceBuffer sortedKeys = arena.allocate(number * 8);
    DeviceBuffer sortedCounts = arena.allocate(number * 8);
    DeviceBuffer size = arena.allocate(8);
    lister.list(new GpuKernels.NgramList(keys, counts, number, size));
    kernels.listSort(arena, keys, counts, number, keyBits, sortedKeys, sortedCounts);
    long[][] here = arrays(number);
    long[] listed = new long[1];
    ring.read(
        stream,
        List.of(
            Part.of(sortedKeys, here[0]), Part.of(sortedCounts, here[1]), Part.of(size, listed)));
    if (listed[0] != number) {
      throw new IllegalStateException(
          "the device listed " + listed[0] + " n-grams, but had counted " + number);
    }
    NgramCounts table = maker.make(here[0], here[1], team);
    arena.reset();
    return table;
  }

  /** A table of a device's keys and counts. */
  NgramCounts table(DeviceBuffer keys, DeviceBuffer counts, long number, Maker maker) {
    long[][] here = arrays(number);
    ring.read(stream, List.of(Part.of(keys, here[0]), Part.of(counts, here[1])));
    return maker.make(here[0], here[1], team);
  }

  /**
   * Arrays for keys and counts. Allocated in parallel while the device still sorts: a large array
   * takes as long as its copy.
   */
  private long[][] arrays(long number) {
    int size = size(number);
    long[][] arrays = new long[2][];
    team.run(2, i -> arrays[i] = new long[size]);
    return arrays;
  }

  /** A table of a device's n-grams of words and counts. */
  NgramCounts tableOfWords(int order, DeviceBuffer words, DeviceBuffer counts, long number) {
    int[] hereWords = new int[size(number * order)];
    long[] hereCounts = new long[size(number)];
    ring.read(stream, List.of(Part.of(words, hereWords), Part.of(counts, hereCounts)));
    return NgramCounts.ofWords(order, hereWords, hereCounts, team);
  }

  /** The first 8 bytes of a buffer. */
  long number(DeviceBuffer buffer) {
    long[] number = new long[1];
    ring.read(stream, List.of(Part.of(buffer, number)));
    return number[0];
  }

  /**
   * Reads the first bytes of a buffer in pieces; every piece but the last is a multiple of 16
   * bytes.
   */
  void inTurn(DeviceBuffer buffer, long bytes, ReadBackRing.Sink sink) {
    Object turn = new Object();
    ReadBackRing.Sink alone =
        (at, slot) -> {
          synchronized (turn) {
            sink.read(at, slot);
          }
        };
    ring.read(stream, List.of(new Part(buffer, bytes, alone)));
  }

  private static int size(long number) {
    if (number > Integer.MAX_VALUE - 8) {
      throw new OperatorException(number + " n-grams do not fit into a table");
    }
    return (int) number;
  }

  @Override
  public void close() {
    ring.close();
  }
}
