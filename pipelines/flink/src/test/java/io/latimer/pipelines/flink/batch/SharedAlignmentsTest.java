package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedAlignmentsTest {
  private static final LearnedPair PAIR = new LearnedPair("c", 5, "das haus", "the house", "");

  private final SharedAlignments alignments = new SharedAlignments();
  private final AtomicInteger made = new AtomicInteger();

  private static IndexRef index(String digit) {
    return new IndexRef("phrase-index", URI.create("file:/p.lpx"), digit.repeat(64), "");
  }

  private LearnedPair align(LearnedPair pair) {
    made.incrementAndGet();
    return new LearnedPair(pair.id(), pair.time(), pair.source(), pair.target(), "0-0 1-1");
  }

  @Test
  void thoseOfEqualPairsAndIndexesAreMadeOnce() throws Exception {
    ExecutorService subtasks = Executors.newFixedThreadPool(4);
    List<Future<LearnedPair>> results = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      results.add(subtasks.submit(() -> alignments.align(index("a"), PAIR, this::align)));
    }
    for (Future<LearnedPair> one : results) {
      assertThat(one.get().alignment()).isEqualTo("0-0 1-1");
    }
    subtasks.shutdown();
    assertThat(made).hasValue(1);
    alignments.align(index("b"), PAIR, this::align);
    LearnedPair other = new LearnedPair("d", 5, "das haus", "the house", "");
    assertThat(alignments.align(index("a"), other, this::align).id()).isEqualTo("d");
    assertThat(made).hasValue(3);
  }

  @Test
  void aFailureIsNotShared() throws Exception {
    assertThatThrownBy(
            () ->
                alignments.align(
                    index("a"),
                    PAIR,
                    pair -> {
                      throw new RecordException("too long");
                    }))
        .isInstanceOf(RecordException.class)
        .hasMessage("too long");
    assertThat(alignments.align(index("a"), PAIR, this::align).alignment()).isEqualTo("0-0 1-1");
  }

  @Test
  void theOldestOnesAreForgotten() throws Exception {
    for (int i = 0; i < 257; i++) {
      alignments.align(
          index("a"), new LearnedPair("c" + i, 5, "das haus", "the house", ""), this::align);
    }
    alignments.align(
        index("a"), new LearnedPair("c256", 5, "das haus", "the house", ""), this::align);
    assertThat(made).hasValue(257);
    alignments.align(
        index("a"), new LearnedPair("c0", 5, "das haus", "the house", ""), this::align);
    assertThat(made).hasValue(258);
  }
}
