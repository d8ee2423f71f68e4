package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.Translation;
import java.nio.file.Path;
import java.util.List;

/** Scores of language models in records. */
final class Scores {
  private Scores() {}

  /**
   * Each record's score equals the operator's for the same text.
   *
   * @param of the scored text: "source" or "translation"
   */
  static void assertThose(Path model, List<Translation> received, String of) {
    List<String> texts =
        received.stream()
            .map(t -> of.equals("source") ? t.getSource().getText() : t.getText())
            .toList();
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      List<Result<Scored>> expected = score.apply(texts);
      for (int i = 0; i < received.size(); i++) {
        LanguageScore found = received.get(i).getLanguageScores().get(0);
        Scored scored = expected.get(i).orElseThrow();
        assertThat(found.getText()).isEqualTo(of);
        assertThat(found.getLog10()).as(texts.get(i)).isEqualTo(scored.total());
        assertThat(found.getPerplexity()).isEqualTo(scored.perplexity());
        assertThat(found.getWords()).isEqualTo(scored.tokens());
        assertThat(found.getUnknownWords()).isEqualTo(scored.unknown());
      }
    }
  }
}
