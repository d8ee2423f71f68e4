package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.junit.jupiter.api.Test;

final class LearnedStateTest {
  private static IndexRef index(String kind) {
    return new IndexRef(kind, URI.create("file:/models/" + kind), "a".repeat(64), "1");
  }

  @Test
  void saysWhatIsMissingByTheKindOfItsIndex() throws Exception {
    Map<String, IndexRef> indexes =
        Map.of(
            "work", index(PhraseIndex.KIND.id()), "work.glossary", index(GlossaryIndex.KIND.id()));
    try (OperatorStateBackend store =
        new DefaultOperatorStateBackendBuilder(
                getClass().getClassLoader(),
                new ExecutionConfig(),
                false,
                List.of(),
                new CloseableRegistry())
            .build()) {
      LearnedState learned = LearnedState.restore(store, indexes);
      assertThatThrownBy(() -> learned.used("work", 0, 3))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageStartingWith(
              "stage work: the job's state lacks learned pairs: expected those");
      assertThatThrownBy(() -> learned.used("work.glossary", 0, 3))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageStartingWith(
              "stage work.glossary: the job's state lacks learned terms: expected those");
    }
  }
}
