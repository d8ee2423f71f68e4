package io.latimer.pipelines.flink.table;

import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The highest watermark that an operator has seen, across restarts: Flink's watermarks start over,
 * but records that were late must stay late.
 *
 * <p>Barriers are aligned (the job's settings make sure of it), so all subtasks write the same
 * watermark, and each can restore that of any other.
 */
final class ReachedTime {
  private static final String KEY = "watermark";

  private final BroadcastState<String, Long> state;
  private long watermark;

  private ReachedTime(BroadcastState<String, Long> state, long watermark) {
    this.state = state;
    this.watermark = watermark;
  }

  static ReachedTime restore(OperatorStateStore store) throws Exception {
    BroadcastState<String, Long> state =
        store.getBroadcastState(new MapStateDescriptor<>("reached", Types.STRING, Types.LONG));
    Long watermark = state.get(KEY);
    return new ReachedTime(state, watermark == null ? Long.MIN_VALUE : watermark);
  }

  /**
   * Advances to a watermark, but not to the one that ends the input: a drained job may be resumed.
   */
  void advance(long to) {
    if (to < Long.MAX_VALUE) {
      watermark = Math.max(watermark, to);
    }
  }

  long watermark() {
    return watermark;
  }

  void write() throws Exception {
    state.put(KEY, watermark);
  }
}
