package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.ShippedModel;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OutputDoubtsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "I like your dog very much. | Ich mag deinen Hund sehr. | ",
        "No, no, no! | Nein, nein, nein! | ",
        "It is very, very, very, very good. | Es ist sehr, sehr, sehr, sehr gut. | ",
        "It is good. | Es ist sehr, sehr, sehr, sehr gut. | loop",
        "He went home. | Er ging nach Hause, nach Hause, nach Hause. | loop",
        "We asked them twice. | Wir haben sie gefragt, was sie gefragt haben, weil sie das gefragt haben. | too-long",
        "I like your dog very much. | Ja. | too-short",
        "Hi. | Guten Tag. | ",
        "I like your dog very much. | I like your dog very much. | copied",
        "Tom Smith. | Tom Smith. | ",
      })
  void whatLooksWrong(String source, String line, String expected) {
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file)) {
      Set<TranslationFlag> doubts =
          OutputDoubts.of(model.pipeline().prepare(source, false).get(0), line);
      assertThat(doubts.stream().map(TranslationFlag::text).collect(Collectors.joining(" ")))
          .isEqualTo(expected == null ? "" : expected);
    }
  }
}
