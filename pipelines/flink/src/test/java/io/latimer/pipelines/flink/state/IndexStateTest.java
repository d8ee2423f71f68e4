package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import java.net.URI;
import java.util.List;
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

  private static void check(List<IndexRef> restored, IndexRef configured, boolean pinned) {
    IndexState.check("translate", restored, List.of(configured), index -> pinned);
  }

  private static IndexRef ref(String path, String sha256) {
    return new IndexRef("translation-model", URI.create("file:" + path), sha256, "1");
  }
}
