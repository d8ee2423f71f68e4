package io.latimer.operators.ngram;

/** What one strategy has counted on a device. */
interface GpuTally extends AutoCloseable {

  /** The strategy. */
  NgramStrategy strategy();

  /**
   * Says of how many bits the ids of the words to come are at most, which saves work where there
   * are few.
   *
   * @param bits 1 to 31; for bytes it does not matter
   */
  default void idBits(int bits) {}

  /**
   * Queues the adding of a text, or of one more part of it.
   *
   * @param text on the device, all of it there before the stream's next work, until {@link #settle}
   * @param windows how many n-grams it has that count; at most so many, but for SORT exactly
   * @throws io.latimer.operators.device.DeviceMemoryException if there is too little memory;
   *     nothing of the text has been added then
   */
  void add(GpuKernels.Text text, long windows);

  /** Waits until all that was queued is added. */
  void settle();

  /** Everything that was added. */
  NgramCounts counts();

  /** Bytes that it holds on the device, beside what it was given to work in. */
  long bytes();

  /** Forgets it. */
  void clear();

  @Override
  void close();
}
