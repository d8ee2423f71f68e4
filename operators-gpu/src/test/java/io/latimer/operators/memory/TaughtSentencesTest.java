package io.latimer.operators.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.phrases.index.TaughtPair;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaughtSentencesTest {
  /** Pairs of a source and a target each, learned in this order; the ids are c0, c1 and so on. */
  private static TaughtSentences taught(String... texts) {
    List<TaughtPair> pairs = new ArrayList<>();
    for (int i = 0; i < texts.length; i += 2) {
      pairs.add(new TaughtPair("c" + i / 2, i, texts[i], texts[i + 1]));
    }
    return new TaughtSentences(pairs, "en", "de");
  }

  private static String find(TaughtSentences taught, String text) {
    return taught.find(text).map(Remembered::text).orElse(null);
  }

  @Test
  void aSentenceComesBackAsItWasTaught() {
    TaughtSentences taught = taught("Do you have a sauna?", "habt ihr eine  Sauna");
    assertThat(taught.find("do you\nhave a SAUNA?"))
        .contains(new Remembered("habt ihr eine  Sauna", "c0", 0));
    assertThat(find(taught, "Do you have a sauna!")).isNull();
    assertThat(find(taught, "Do you have a sauna? Yes")).isNull();
    assertThat(find(taught, "")).isNull();
  }

  @Test
  void theLastCorrectionCounts() {
    TaughtSentences taught = taught("Hello", "Hallo", "hello", "Servus", "HELLO", "Moin");
    assertThat(taught.find("Hello")).contains(new Remembered("Moin", "c2", 4));
    assertThat(taught.size()).isEqualTo(1);
  }

  @Test
  void theTranslationHasAFullStopWhereTheTextHasOne() {
    TaughtSentences with = taught("The end.", "Das Ende.");
    assertThat(find(with, "The end.")).isEqualTo("Das Ende.");
    assertThat(find(with, "The end")).isEqualTo("Das Ende");
    TaughtSentences without = taught("The end", "Das Ende", "Stop", "Halt!", "Japan", "日本");
    assertThat(find(without, "The end.")).isEqualTo("Das Ende.");
    assertThat(find(without, "The end")).isEqualTo("Das Ende");
    assertThat(find(without, "Stop.")).isEqualTo("Halt!");
    assertThat(find(without, "Japan.")).isEqualTo("日本。");
    TaughtSentences both = taught("No.", "Nr.", "No", "Nein");
    assertThat(find(both, "No.")).isEqualTo("Nr.");
    assertThat(find(both, "no")).isEqualTo("Nein");
  }

  @Test
  void aTextOfSeveralSentencesIsTaughtWholeAndByTheSentence() {
    TaughtSentences taught = taught("We came. We saw.\nBye!", "Wir kamen. Wir sahen.\nTschüss!");
    assertThat(find(taught, "We came. We saw. Bye!")).isEqualTo("Wir kamen. Wir sahen.\nTschüss!");
    assertThat(find(taught, "we saw.")).isEqualTo("Wir sahen.");
    assertThat(find(taught, "Bye!")).isEqualTo("Tschüss!");
    TaughtSentences uneven = taught("We came. We saw.", "Wir kamen und sahen.");
    assertThat(find(uneven, "We came. We saw.")).isEqualTo("Wir kamen und sahen.");
    assertThat(find(uneven, "We saw.")).isNull();
  }

  @Test
  void aLaterSentenceReplacesThatOfAText() {
    TaughtSentences taught =
        taught("We came. We saw.", "Wir kamen. Wir sahen.", "We saw.", "Wir schauten.");
    assertThat(find(taught, "We saw.")).isEqualTo("Wir schauten.");
    assertThat(find(taught, "We came.")).isEqualTo("Wir kamen.");
    assertThat(find(taught, "We came. We saw.")).isEqualTo("Wir kamen. Wir sahen.");
  }
}
