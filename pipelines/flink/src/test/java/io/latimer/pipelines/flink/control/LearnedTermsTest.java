package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.TwoIndexStage;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.StageIndexVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What gatherers do with terms that a stage learns beside its glossary. */
class LearnedTermsTest extends LearningHarness {
  private static final String GLOSSARY = "work.glossary";
  private static final String THIRD = "c".repeat(64);

  LearnedTermsTest() {
    index = GLOSSARY;
    learn = new ControlConfig.Learn(GLOSSARY, "", 3, 10_000, 4, "");
  }

  @Override
  BatchStage stage() {
    return new TwoIndexStage(name, FIRST, SECOND);
  }

  private static ControlCommand terms(String id, String... sources) {
    Correction[] terms =
        Arrays.stream(sources)
            .map(source -> new Correction(source, Instant.EPOCH, source, "Ziel", List.of()))
            .toArray(Correction[]::new);
    ControlCommand append = append(id, terms);
    append.setAppendTo(GLOSSARY);
    return append;
  }

  private static ControlCommand glossary(String id, String sha256, long covers) {
    ControlCommand swap = swap(id, "glossary", sha256, covers);
    swap.getSwap().setStage(GLOSSARY);
    swap.getSwap().getReference().setKind("glossary");
    return swap;
  }

  /** The stamps of the batches for both indexes. */
  private List<String> stamps() {
    List<String> all = new ArrayList<>();
    for (Batch batch : harness.extractOutputValues()) {
      StringBuilder stamps = new StringBuilder();
      for (StageIndexVersion one : batch.getReferences()) {
        stamps.append(one.getReference().getSha256().charAt(0)).append(one.getLearnedFrom());
        stamps.append('-').append(one.getLearnedTo()).append(' ');
      }
      all.add(stamps.toString().strip());
    }
    return all;
  }

  @Test
  void termsActInTheNextBatchAndComeBackAfterARestore() throws Exception {
    gather("x");
    assertThat(carryOut(terms("1", "lift", "desk"))).isEqualTo("in-use: learned terms from 0 to 2");
    gather("y", "y", "y");
    assertThat(carryOut(terms("2", "lift"))).isEqualTo("in-use: learned terms from 0 to 2");
    assertThat(stamps()).containsExactly("a0-0 b0-0", "a0-0 b0-2");
    reopen(harness.snapshot(1, 1));
    assertThat(stages.events).contains("prepare b+0-2");
    gather("z", "z", "z");
    assertThat(stamps()).containsExactly("a0-0 b0-2");
    assertThat(carryOut(terms("3", "key", "room")))
        .startsWith("refused: learned 1 of 2 corrections; stage work.glossary has no room for more")
        .endsWith("; add them to a new file of the glossary and swap to it (--covers)");
    assertThat(carryOut(terms("4", "bed")))
        .startsWith("refused: stage work.glossary has no room for more: it has 3 learned terms");
  }

  /** As for learned pairs: they stay unless the new file has them in it. */
  @Test
  void aSwapOfTheGlossaryKeepsTheTermsThatItDoesNotCover() throws Exception {
    carryOut(terms("1", "lift", "desk"));
    assertThat(carryOut(glossary("2", THIRD, 3)))
        .startsWith("refused: the swap says that the new index has the first 3 learned terms");
    assertThat(carryOut(glossary("3", THIRD, 1)))
        .isEqualTo("in-use: learned terms from 1 to 2 beside it");
    gather("x", "y", "z");
    assertThat(stamps()).containsExactly("a0-0 c1-2");
  }

  @Test
  void theMainIndexOfSuchAStageStillDoesNotLearn() throws Exception {
    index = "work";
    assertThat(carryOut(append("1", "one")))
        .isEqualTo("refused: stage work does not learn; add it to control.learn");
  }
}
