package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexRef;
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
  void referencesComeBackFromTheirRecordsOnceEach() {
    IndexRef ref = ref("/m.lmx", OLD);
    assertThat(IndexState.fromAvro(IndexState.toAvro(List.of(ref, ref)))).containsExactly(ref);
  }

  private static void check(List<IndexRef> restored, IndexRef configured, boolean pinned) {
    IndexState.check("translate", restored, List.of(configured), pinned);
  }

  private static IndexRef ref(String path, String sha256) {
    return new IndexRef("translation-model", URI.create("file:" + path), sha256, "1");
  }
}
