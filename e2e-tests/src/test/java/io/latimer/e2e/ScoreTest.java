package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.schemas.Translation;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sentences and translations scored by a language model between two topics. */
@Timeout(240)
class ScoreTest {
  @TempDir Path folder;
  private Flow flow;
  private Path model;

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    flow.topic("in", 2);
    flow.topic("out", 2);
    flow.topic("dead", 1);
    model = estimate("model.llm", Flow.feed().subList(0, 200));
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  private Path estimate(String name, List<String> sentences) throws Exception {
    Path file = folder.resolve(name);
    LanguageModels.estimate(sentences, file);
    return file;
  }

  private String score(String settings) {
    return "score: {model: \"" + model + "\"" + settings + "}";
  }

  @Test
  void aKilledTaskManagerTakesNoScoreWithIt() throws Exception {
    flow.runAcrossKill(flow.job(score(""), 3));

    Scores.assertThose(model, Received.translations(flow.readAll("out")), "source");
  }

  @Test
  void translationsAreScored() throws Exception {
    List<String> sentences = Flow.feed().subList(0, 40);
    flow.start(
        flow.job(
            Flow.translate(Flow.MODEL, ", beam: 1") + "\n  - " + score(", of: translation"), 1));
    flow.send(2, sentences);

    List<Translation> received = Received.translations(flow.await("out", sentences.size()));

    Scores.assertThose(model, received, "translation");
    Map<String, Long> models = new HashMap<>();
    received.forEach(t -> models.merge(t.getModelId(), 1L, Long::sum));
    assertThat(models).hasSize(1); // still the translation model's
    assertThat(received.get(0).getLanguageScores().get(0).getModelId())
        .isNotEqualTo(received.get(0).getModelId());
  }

  @Test
  void anotherModelUnderTheSameNameIsRefusedOnRestart() throws Exception {
    JobID job = flow.start(flow.job(score(""), 1));
    flow.send(2, Flow.feed().subList(0, 20));
    flow.await("out", 1);
    String savepoint = flow.stop(job);
    String before = IndexRefs.of(model).sha256();

    model = estimate("model.llm", Flow.feed().subList(100, 300));
    String after = IndexRefs.of(model).sha256();

    JobID restored = flow.restore(savepoint, flow.job(score(""), 1));
    String messages =
        Failures.messages(
            flow.cluster().requestJobResult(restored).get().getSerializedThrowable().orElseThrow());
    assertThat(messages).contains("model.llm").contains(before).contains(after);
  }
}
