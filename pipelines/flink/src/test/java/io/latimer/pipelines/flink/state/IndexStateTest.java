package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.schemas.Batch;
import io.latimer.schemas.IndexReference;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class IndexStateTest {
  private static final String OLD = "a".repeat(64);
  private static final String NEW = "b".repeat(64);

  @Test
  void aFirstStartTakesWhatTheJobFileSays() {
    assertThatCode(() -> check(List.of(), ref("/m.lmx", OLD), false)).doesNotThrowAnyException();
  }

  @Test
  void theSameContentGoesOn() {
    assertThatCode(() -> check(List.of(ref("/m.lmx", OLD)), ref("/m.lmx", OLD), false))
        .doesNotThrowAnyException();
  }

  @Test
  void aFileThatChangedUnderTheJobIsRefusedByName() {
    assertThatThrownBy(() -> check(List.of(ref("/m.lmx", OLD)), ref("/m.lmx", NEW), false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("translate")
        .hasMessageContaining("file:/m.lmx")
        .hasMessageContaining("expected sha256 " + OLD)
        .hasMessageContaining("found " + NEW);
  }

  @Test
  void aNewContentThatTheJobFileNamesIsTaken() {
    assertThatCode(() -> check(List.of(ref("/m.lmx", OLD)), ref("/m.lmx", NEW), true))
        .doesNotThrowAnyException();
  }

  @Test
  void anotherFileIsTaken() {
    assertThatCode(() -> check(List.of(ref("/m.lmx", OLD)), ref("/n.lmx", NEW), false))
        .doesNotThrowAnyException();
  }

  @Test
  void anIndexInThePlaceOfAnotherIsASwap() {
    IndexRef old = ref("/m.lmx", OLD);
    IndexRef other = ref("/n.lmx", NEW);
    IndexRef table = new IndexRef("phrase-table", URI.create("file:/p.lpx"), "c".repeat(64), "1");
    assertThat(IndexState.swap(List.of(table, old), List.of(other, table)))
        .isEqualTo(new IndexState.Swap(List.of(old), List.of(other)));
    assertThat(IndexState.swap(List.of(old), List.of(other, table)))
        .as("a part of the state after rescaling")
        .isEqualTo(new IndexState.Swap(List.of(old), List.of(other)));
  }

  @Test
  void aPartOfTheIndexesOrAnotherOrderIsNoSwap() {
    IndexRef first = ref("/m.lmx", OLD);
    IndexRef moved = ref("/elsewhere/m.lmx", OLD);
    IndexRef second = ref("/n.lmx", NEW);
    IndexState.Swap none = new IndexState.Swap(List.of(), List.of());
    assertThat(IndexState.swap(List.of(), List.of(first))).isEqualTo(none);
    assertThat(IndexState.swap(List.of(second, first), List.of(moved, second))).isEqualTo(none);
    assertThat(IndexState.swap(List.of(first), List.of(first, second))).isEqualTo(none);
    assertThat(IndexState.swap(List.of(first, second), List.of(second))).isEqualTo(none);
  }

  @Test
  void referencesComeBackFromTheirRecordsOnceEach() {
    IndexRef ref = ref("/m.lmx", OLD);
    assertThat(IndexState.fromAvro(IndexState.toAvro(List.of(ref, ref)))).containsExactly(ref);
  }

  /** As versions wrote them whose state was a union. */
  @Test
  void unionStateIsTakenOverOnce() throws Exception {
    IndexRef ref = ref("/m.lmx", OLD);
    OperatorSubtaskState union = snapshot(new UnionState(List.of(ref)), null);
    TakenOver first = new TakenOver();
    OperatorSubtaskState split = snapshot(first, union);
    assertThat(first.restored).containsExactly(ref);
    for (OperatorStateHandle handle : split.getManagedOperatorState()) {
      // Flink takes no checkpoint with a union, even an empty one, once some subtasks have finished
      assertThat(handle.getStateNameToPartitionOffsets()).containsOnlyKeys("indexes");
    }
    TakenOver second = new TakenOver();
    snapshot(second, split);
    assertThat(second.restored).containsExactly(ref);
    assertThat(second.records).isOne();
  }

  private static OperatorSubtaskState snapshot(
      StreamOperator<Batch> operator, OperatorSubtaskState state) throws Exception {
    AbstractStreamOperatorTestHarness<Batch> harness =
        new AbstractStreamOperatorTestHarness<>(operator, 1, 1, 0);
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
    OperatorSubtaskState written = harness.snapshot(1, 1);
    harness.close();
    return written;
  }

  private static final class UnionState extends AbstractStreamOperator<Batch> {
    private static final long serialVersionUID = 1L;

    private final transient List<IndexRef> references;

    UnionState(List<IndexRef> references) {
      this.references = references;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      context
          .getOperatorStateStore()
          .getUnionListState(
              new ListStateDescriptor<>(
                  "index-references", new AvroTypeInfo<>(IndexReference.class)))
          .update(IndexState.toAvro(references));
    }
  }

  private static final class TakenOver extends AbstractStreamOperator<Batch> {
    private static final long serialVersionUID = 1L;

    private transient List<IndexRef> restored;
    private transient int records;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      List<IndexReference> all = new ArrayList<>();
      IndexState.restore(context.getOperatorStateStore()).get().forEach(all::add);
      records = all.size();
      restored = IndexState.fromAvro(all);
    }
  }

  private static void check(List<IndexRef> restored, IndexRef configured, boolean pinned) {
    IndexState.check("translate", restored, List.of(configured), index -> pinned);
  }

  private static IndexRef ref(String path, String sha256) {
    return new IndexRef("translation-model", URI.create("file:" + path), sha256, "1");
  }
}
