package io.latimer.operators.ngram;

/** The counts of one strategy on a device. */
interface GpuAccumulator extends AutoCloseable {

  /** The strategy. */
  NgramStrategy strategy();

  /**
   * Limits the bits of the ids of the following words; fewer bits mean less work.
   *
   * @param bits 1 to 31; ignored for bytes
   */
  default void idBits(int bits) {}

  /**
   * Queues the addition of a text or of its next part.
   *
   * @param text on the device, complete before the stream's next work, and kept until {@link
   *     #settle}
   * @param windows the number of n-grams that count; exact for SORT, an upper bound otherwise
   * @throws io.latimer.operators.device.DeviceMemoryException if there is too little memory; then
   *     nothing of the text has been added
   */
  void add(GpuKernels.Text text, long windows);

  /** Waits until all queued texts are added. */
  void settle();

  /** The counts of all added texts. */
  NgramCounts counts();

  /** Bytes allocated on the device, without the scratch memory it was given. */
  long bytes();

  /** Forgets all counts. */
  void clear();

  @Override
  void close();
}
