package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.Decode;

/**
 * Tuning of {@link Decode} on a GPU; in float32 it does not affect results.
 *
 * @param graphs whether to launch a step as one graph instead of kernel by kernel
 * @param ahead maximum steps queued before the first of them is known to be done, 1 to 64
 * @param memory maximum size of a search on the device in bytes; never more than half of the free
 *     memory unless one sentence needs it
 * @param searches maximum number of searches that run at the same time, 1 to 16
 */
public record DecodeTuning(boolean graphs, int ahead, long memory, int searches) {
  /** Graphs, three steps ahead, as much memory as is useful, four searches. */
  public static final DecodeTuning DEFAULT = new DecodeTuning(true, 3, Long.MAX_VALUE, 4);

  public DecodeTuning {
    if (ahead < 1 || ahead > 64) {
      throw new IllegalArgumentException("steps ahead must be from 1 to 64, found " + ahead);
    }
    if (memory < 1) {
      throw new IllegalArgumentException("memory must be positive, found " + memory);
    }
    if (searches < 1 || searches > 16) {
      throw new IllegalArgumentException("searches must be from 1 to 16, found " + searches);
    }
  }

  /** A copy with or without graphs. */
  public DecodeTuning withGraphs(boolean wanted) {
    return new DecodeTuning(wanted, ahead, memory, searches);
  }

  /** A copy with another memory limit. */
  public DecodeTuning withMemory(long bytes) {
    return new DecodeTuning(graphs, ahead, bytes, searches);
  }
}
