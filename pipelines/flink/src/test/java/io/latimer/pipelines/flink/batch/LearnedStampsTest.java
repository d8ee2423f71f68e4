package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageIndexVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LearnedStampsTest {
  private final LearnedStamps stamps = new LearnedStamps(List.of("s", "t"));

  private static LearnedPairs pairs(long from, String... ids) {
    List<LearnedPair> pairs = new ArrayList<>();
    for (String id : ids) {
      pairs.add(new LearnedPair(id, 0, "source", "target", "0-0"));
    }
    return LearnedPairs.none(from).with(pairs);
  }

  private static StageIndexVersion stamp(String stage, long from, long to) {
    IndexReference index = new IndexReference("phrase-index", "file:/x", "a".repeat(64), "");
    return new StageIndexVersion(stage, index, from, to);
  }

  /** The ids of the pairs that a stamp of stage {@code s} has; null if they are not known. */
  private List<String> ids(long from, long to) {
    Optional<Map<String, IndexVersion>> found = stamps.find(List.of(stamp("s", from, to)));
    return found
        .map(all -> all.get("s").learned().pairs().stream().map(LearnedPair::id).toList())
        .orElse(null);
  }

  @Test
  void aStampFindsItsPairs() {
    assertThat(ids(7, 7)).isEmpty(); // nothing is needed
    assertThat(ids(0, 1)).isNull();
    stamps.set("s", pairs(5, "a", "b", "c"));
    assertThat(ids(5, 8)).containsExactly("a", "b", "c");
    assertThat(ids(6, 7)).containsExactly("b");
    assertThat(ids(4, 6)).isNull();
    assertThat(ids(5, 9)).isNull();
    assertThat(stamps.missing(List.of(stamp("s", 5, 9), stamp("s", 5, 6))))
        .isEqualTo("stage s needs those from 5 to 9, found 5 to 8");
    // a stamp of several stages is found with all of them
    assertThat(stamps.find(List.of(stamp("s", 5, 6), stamp("t", 0, 1)))).isEmpty();
  }

  @Test
  void droppedPairsAreNotKnownAnyMore() {
    stamps.set("s", pairs(0, "a", "b"));
    assertThat(ids(0, 2)).hasSize(2);
    stamps.set("s", pairs(1, "b"));
    assertThat(ids(1, 2)).containsExactly("b");
  }

  @Test
  void aStageThatWasRemovedFromTheGroupNeedsNoPairs() {
    stamps.set("s", pairs(0, "a"));
    assertThat(stamps.find(List.of(stamp("removed", 0, 9), stamp("s", 0, 1))))
        .hasValueSatisfying(found -> assertThat(found).containsOnlyKeys("s"));
    assertThat(stamps.missing(List.of(stamp("removed", 0, 9)))).isEmpty();
  }
}
