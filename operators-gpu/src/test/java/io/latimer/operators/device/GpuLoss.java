package io.latimer.operators.device;

/** The loss of a GPU, for tests of what follows from it where there is none to lose. */
public final class GpuLoss {
  private GpuLoss() {}

  /**
   * Fails as every use of a lost GPU does.
   *
   * @param gpu its index
   * @param reason the call that failed, and its error
   */
  public static void fail(int gpu, String reason) {
    LostGpus lost = new LostGpus();
    lost.add(gpu, reason);
    lost.check(gpu);
  }
}
