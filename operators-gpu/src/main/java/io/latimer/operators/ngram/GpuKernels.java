package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;

/** The n-gram functions of latimer_kernels.h, on one device and stream. */
record GpuKernels(Gpu gpu, Stream stream) {
  /** LAT_NGRAM_PADDING: readable bytes after a text. */
  static final int PADDING = 32;

  /** Bytes of an entry of a hash table. */
  static final int ENTRY = 16;

  /** Bytes of lat_ngram_progress. */
  static final int PROGRESS = 384;

  /** Bytes of a report of progress. */
  static final int REPORT = 32;

  private static final String OPERATOR = "ngrams";

  /**
   * A list of n-grams on the device.
   *
   * @param keys or the words of n-grams
   * @param room n-grams that fit
   * @param size receives how many there are, even if they do not fit
   */
  record NgramList(DeviceBuffer keys, DeviceBuffer counts, long room, DeviceBuffer size) {}

  /** A text, or part of one, on the device. */
  record Text(long address, long units, long valid) {}

  void valid(DeviceBuffer ends, long records, long units, int order, DeviceBuffer valid) {
    stream.call("lat_ngram_valid", ends.address(), records, units, order, valid.address());
  }

  void v1(Text text, int order, DeviceBuffer counts) {
    stream.call("lat_ngram_v1", text.address, text.units, text.valid, order, counts.address());
  }

  void v2(Text text, int order, int copies, DeviceBuffer counts) {
    stream.call(
        "lat_ngram_v2", text.address, text.units, text.valid, order, copies, counts.address());
  }

  void v2Reduce(DeviceBuffer counts, int copies, int order) {
    stream.call("lat_ngram_v2_reduce", counts.address(), copies, order);
  }

  void shared(Text text, int order, DeviceBuffer counts) {
    stream.call("lat_ngram_shared", text.address, text.units, text.valid, order, counts.address());
  }

  void denseList(long counts32, long counts64, int order, NgramList to) {
    stream.call(
        "lat_ngram_dense_list",
        counts32,
        counts64,
        order,
        to.keys.address(),
        to.counts.address(),
        to.room,
        to.size.address());
  }

  void listSort(
      Arena arena,
      DeviceBuffer keys,
      DeviceBuffer counts,
      long size,
      int bits,
      DeviceBuffer sortedKeys,
      DeviceBuffer sortedCounts) {
    stream.callWithScratch(
        arena,
        "lat_ngram_list_sort",
        keys.address(),
        counts.address(),
        size,
        bits,
        sortedKeys.address(),
        sortedCounts.address());
  }

  void sort(Arena arena, Text text, long windows, int order, NgramList to) {
    stream.callWithScratch(
        arena,
        "lat_ngram_sort",
        text.address,
        text.units,
        text.valid,
        windows,
        order,
        to.keys.address(),
        to.counts.address(),
        to.room,
        to.size.address());
  }

  void wordsSort(Arena arena, Text text, long windows, int order, int bits, NgramList to) {
    stream.callWithScratch(
        arena,
        "lat_ngram_words_sort",
        text.address,
        text.units,
        text.valid,
        windows,
        order,
        bits,
        to.keys.address(),
        to.counts.address(),
        to.room,
        to.size.address());
  }

  long overflowEntries() {
    long[] entries = new long[1];
    gpu.call(OPERATOR, "lat_ngram_hash_overflow", (Object) entries);
    return entries[0];
  }

  /** Tiles of a text: of 2^15 bytes, or of 2^13 words. */
  long tiles(NgramUnit unit, long units) {
    return gpu.number(
        unit == NgramUnit.BYTES ? "lat_ngram_byte_tiles" : "lat_ngram_word_tiles", units);
  }

  void hashClear(DeviceBuffer table, long capacity, DeviceBuffer progress) {
    stream.call("lat_ngram_hash_clear", table.address(), capacity, progress.address());
  }

  void hash(
      Text text,
      int order,
      DeviceBuffer table,
      long capacity,
      DeviceBuffer progress,
      DeviceBuffer overflow) {
    stream.call(
        "lat_ngram_hash",
        text.address,
        text.units,
        text.valid,
        order,
        table.address(),
        capacity,
        progress.address(),
        overflow.address());
  }

  void wordsHash(
      Text text,
      int order,
      int bits,
      DeviceBuffer table,
      long capacity,
      DeviceBuffer progress,
      DeviceBuffer overflow) {
    stream.call(
        "lat_ngram_words_hash",
        text.address,
        text.units,
        text.valid,
        order,
        bits,
        table.address(),
        capacity,
        progress.address(),
        overflow.address());
  }

  /**
   * Writes used, next, overflow and ones to host memory.
   *
   * @param number of the report there, from 0
   */
  void hashReport(DeviceBuffer progress, PinnedBuffer host, int number) {
    long to = host.address() + (long) number * REPORT;
    stream.call("lat_ngram_hash_report", progress.address(), to);
  }

  /** Inserts entries; those that do not fit are only counted, in the progress' overflow field. */
  void hashInsert(
      DeviceBuffer entries, long number, DeviceBuffer table, long capacity, DeviceBuffer progress) {
    stream.call(
        "lat_ngram_hash_insert",
        entries.address(),
        number,
        table.address(),
        capacity,
        progress.address(),
        0L);
  }

  void hashList(DeviceBuffer table, long capacity, DeviceBuffer progress, NgramList to) {
    stream.call(
        "lat_ngram_hash_list",
        table.address(),
        capacity,
        progress.address(),
        to.keys.address(),
        to.counts.address(),
        to.room,
        to.size.address());
  }
}
