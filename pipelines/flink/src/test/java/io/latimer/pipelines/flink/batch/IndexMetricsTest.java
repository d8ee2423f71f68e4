package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.TwoIndexStage;
import io.latimer.pipelines.stage.IndexVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.groups.GenericMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.junit.jupiter.api.Test;

class IndexMetricsTest {
  private static final String FIRST = "1".repeat(64);
  private static final String SECOND = "2".repeat(64);

  /** The metrics that are registered: the SHA-256 of info, the names of others. */
  private final List<String> names = new ArrayList<>();

  private final List<Metric> metrics = new ArrayList<>();
  private long now = TimeUnit.HOURS.toNanos(1);
  private final IndexMetrics indexes =
      new IndexMetrics(
          new GenericMetricGroup(
              TestingMetricRegistry.builder()
                  .setNumberReporters(1)
                  .setRegisterConsumer(this::register)
                  .setUnregisterConsumer(this::unregister)
                  .build(),
              null,
              "operator"),
          () -> now);

  private void register(Metric metric, String name, AbstractMetricGroup<?> group) {
    names.add(name(name, group));
    metrics.add(metric);
  }

  private void unregister(Metric metric, String name, AbstractMetricGroup<?> group) {
    names.remove(name(name, group));
    metrics.remove(metric);
  }

  private static String name(String name, AbstractMetricGroup<?> group) {
    return name.equals("indexInfo") ? group.getAllVariables().get("<sha256>") : name;
  }

  private static TestStage on(String sha256) {
    return new TestStage("work", batch -> {}, sha256, false);
  }

  /** A version with learned pairs. */
  private static Map<String, IndexVersion> learned(String sha256, int count) {
    LearnedPair pair = new LearnedPair("c", 1, "das haus", "the house", "0-0");
    IndexRef index = on(sha256).index().orElseThrow();
    return Map.of(
        "work",
        new IndexVersion(index, LearnedPairs.none().with(Collections.nCopies(count, pair))));
  }

  private long value(String name) {
    return ((Number) ((Gauge<?>) metrics.get(names.indexOf(name))).getValue()).longValue();
  }

  private void opened(TestStage stage, long millis) {
    indexes.opened(stage, TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aStageWithoutAnIndexHasNoMetrics() {
    TestStage stage = on(null);
    opened(stage, 1);
    indexes.inUse(stage, Map.of());
    assertThat(names).isEmpty();
  }

  @Test
  void eachIndexOfAStageHasItsOwnMetrics() {
    indexes.inUse(new TwoIndexStage("work", FIRST, SECOND), Map.of());
    assertThat(names).contains(FIRST, SECOND).hasSize(10);
    assertThat(names.stream().filter("learnedPairs"::equals)).hasSize(2);
  }

  @Test
  void whatIsOpenedAndNotUsedIsNotShown() {
    TestStage first = on(FIRST);
    opened(first, 5);
    assertThat(names).isEmpty();
    indexes.inUse(first, Map.of());
    opened(on(SECOND), 9);
    assertThat(names)
        .containsExactlyInAnyOrder(
            FIRST, "indexBytes", "indexAge", "indexLoadTime", "learnedPairs");
    assertThat(value("indexLoadTime")).isEqualTo(5);
  }

  @Test
  void aSwapReplacesTheIndexAndARollbackBringsItBack() {
    swapToTheSecond(on(FIRST));
    assertThat(names).contains(SECOND).doesNotContain(FIRST).hasSize(5);
    assertThat(value(SECOND)).isEqualTo(1);
    assertThat(value("indexLoadTime")).isEqualTo(9);
    TestStage again = on(FIRST);
    opened(again, 7);
    indexes.inUse(again, Map.of());
    assertThat(names).contains(FIRST).doesNotContain(SECOND).hasSize(5);
    assertThat(value("indexLoadTime")).isEqualTo(7);
    assertThat(value("indexAge")).isZero();
  }

  private void swapToTheSecond(TestStage first) {
    opened(first, 5);
    indexes.inUse(first, Map.of());
    TestStage second = on(SECOND);
    opened(second, 9);
    indexes.inUse(second, Map.of());
  }

  @Test
  void aRollbackToAnIndexThatIsStillOpenHasItsOwnLoadTime() {
    TestStage first = on(FIRST);
    swapToTheSecond(first);
    indexes.inUse(first, Map.of());
    assertThat(names).contains(FIRST);
    assertThat(value("indexLoadTime")).isEqualTo(5);
  }

  @Test
  void aLoadTimeThatIsNotKnownIsNotThatOfAnotherIndex() {
    swapToTheSecond(on(FIRST));
    indexes.inUse(on(FIRST), Map.of());
    assertThat(value("indexLoadTime")).isEqualTo(-1);
  }

  @Test
  void learnedPairsLeaveTheIndexItsAgeAndItsLoadTime() {
    TestStage base = on(FIRST);
    opened(base, 5);
    indexes.inUse(base, Map.of());
    assertThat(value("learnedPairs")).isZero();
    now += TimeUnit.SECONDS.toNanos(8);
    TestStage learned = on(FIRST);
    opened(learned, 1);
    indexes.inUse(learned, learned(FIRST, 3));
    assertThat(value("learnedPairs")).isEqualTo(3);
    assertThat(value("indexAge")).isEqualTo(8);
    assertThat(value("indexLoadTime")).isEqualTo(5);
    TestStage compacted = on(SECOND);
    opened(compacted, 9);
    indexes.inUse(compacted, learned(SECOND, 1));
    assertThat(value("learnedPairs")).isEqualTo(1);
    assertThat(value("indexAge")).isZero();
    assertThat(value("indexLoadTime")).isEqualTo(9);
  }
}
