package io.latimer.pipelines.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.NgramStages;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.NgramTable;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Running totals in checkpoints. */
class TotalsStateTest {
  private static final int WORDS = 100_000;

  @TempDir Path folder;

  private final TableStage<NgramTable> stage =
      NgramStages.of("order: 1, window: 10ms, top: " + WORDS);

  private final Map<String, Long> expected = new TreeMap<>();

  /** Counts a sentence of different words, and ends its window. */
  private void add(MergeHarness harness, long time, int from, int to) throws Exception {
    harness.add(MergeHarness.parts(stage, "", time, sentence(from, to)));
    harness.of().processWatermark(time + 9);
  }

  private String sentence(int from, int to) {
    IntStream.range(from, to).forEach(i -> expected.merge("w" + i, 1L, Long::sum));
    return IntStream.range(from, to).mapToObj(i -> "w" + i).collect(Collectors.joining(" "));
  }

  /** The counts of the last running table. */
  private static Map<String, Long> running(MergeHarness harness) {
    NgramTable last =
        harness.of().getRecordOutput().stream()
            .map(StreamRecord::getValue)
            .filter(NgramTable::getRunning)
            .reduce((before, after) -> after)
            .orElseThrow();
    return NgramStages.counts(last);
  }

  /** One whose state is in RocksDB, with incremental checkpoints. */
  private MergeHarness rocks() throws Exception {
    MergeHarness harness = MergeHarness.of(stage);
    harness.of().setStateBackend(new EmbeddedRocksDBStateBackend(true));
    harness.of().setCheckpointStorage(new FileSystemCheckpointStorage(folder.toUri()));
    return harness;
  }

  @Test
  void anIncrementalCheckpointHasWhatChanged() throws Exception {
    SharedStateRegistry shared = new SharedStateRegistryImpl();
    OperatorSubtaskState second;
    try (MergeHarness harness = rocks()) {
      harness.of().open();
      add(harness, 0, 0, WORDS);
      OperatorSubtaskState first = harness.of().snapshot(1, 1);
      first.registerSharedStates(shared, 1);
      harness.of().notifyOfCompletedCheckpoint(1);
      add(harness, 10, 0, 100);
      second = harness.of().snapshot(2, 2);
      assertThat(first.getCheckpointedSize()).isGreaterThan(1_000_000);
      assertThat(second.getCheckpointedSize()).isLessThan(100_000);
      assertThat(second.getStateSize()).isGreaterThan(1_000_000);
      second.registerSharedStates(shared, 2); // which completes it with the files of the first
      assertThat(running(harness)).isEqualTo(expected);
    }
    try (MergeHarness harness = rocks()) {
      harness.of().initializeState(second);
      harness.of().open();
      add(harness, 20, 50, 200);
      assertThat(running(harness)).isEqualTo(expected);
    }
  }
}
