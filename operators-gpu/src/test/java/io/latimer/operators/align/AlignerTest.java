package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.index.PhraseIndex;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlignerTest {
  private static final String[] TEXT = {
    "the house is small ||| das haus ist klein ||| 0-0 1-1 2-2 3-3",
    "the cat is small ||| die katze ist klein ||| 0-0 1-1 2-2 3-3",
    "the cat sees the house ||| die katze sieht das haus ||| 0-0 1-1 2-2 3-3 4-4",
    "today the cat sees him ||| heute sieht ihn die katze ||| 0-0 1-3 2-4 3-1 4-2",
    "he sees him today ||| er sieht ihn heute ||| 0-0 1-1 2-2 3-3",
    "he does not see him ||| er sieht ihn nicht ||| 0-0 2-3 3-1 4-2",
    "he does not sleep ||| er schläft nicht ||| 0-0 1-1 2-2 3-1",
    "the washing machine ||| die waschmaschine ||| 0-0 1-1 2-1",
    "a washing machine ||| eine waschmaschine ||| 0-0 1-1 2-1",
  };

  @TempDir private Path folder;

  private Aligner aligner(ParallelText text, String name) {
    try (IndexFile file = IndexFile.open(text.index(folder, name))) {
      return Aligner.of(PhraseIndex.open(file));
    }
  }

  private Aligner aligner() {
    return aligner(text(), "x.lpx");
  }

  /** The lines many times, since a text of few words says little. */
  private static ParallelText text() {
    List<ParallelText.Pair> pairs = ParallelText.of(TEXT).pairs();
    return new ParallelText(Collections.nCopies(20, pairs).stream().flatMap(List::stream).toList());
  }

  private static List<String> words(String text) {
    return List.of(text.split(" "));
  }

  @ParameterizedTest(name = "{0} | {1}")
  @CsvSource({
    // known words in the same order, and in another
    "the cat sees him,            die katze sieht ihn,          0-0 1-1 2-2 3-3",
    "today he sees the cat,       heute sieht er die katze,     0-0 1-2 2-1 3-3 4-4",
    "the house is small today,    heute ist das haus klein,     0-2 1-3 2-1 3-4 4-0",
    // two words for one, and a word for nothing
    "the washing machine is small, die waschmaschine ist klein, 0-0 1-1 2-1 3-2 4-3",
    "he does not see the cat,     er sieht die katze nicht,     0-0 2-4 3-1 4-2 5-3",
    // repeated words go along the diagonal
    "the cat the cat the cat,     die katze die katze die katze, 0-0 1-1 2-2 3-3 4-4 5-5",
    // unknown words: one left on either side; by spelling, wherever they stand; by their places
    "the dog sees him,            der hund sieht ihn,           0-0 1-1 2-2 3-3",
    "today anna sees the 2.50,    heute sieht anna die 2.50,    0-0 1-2 2-1 3-3 4-4",
    "7 x y z,                     z x y 7,                      0-3 1-1 2-2 3-0",
    "p q r s,                     t u v w,                      0-0 1-1 2-2 3-3",
    // known words that the index never links to each other, in the place of one another
    "the house sees him,          die klein sieht ihn,          0-0 1-1 2-2 3-3",
    "cat,                         haus,                         0-0",
  })
  void aligns(String source, String target, String links) {
    assertThat(aligner().align(words(source), words(target)).toString()).isEqualTo(links);
  }

  @ParameterizedTest
  @CsvSource({
    "today he sees the cat,       heute sieht er die katze",
    "he does not see the cat,     er sieht die katze nicht",
    "the washing machine is small, die waschmaschine ist klein",
    "today anna sees the 2.50,    heute sieht anna die 2.50",
  })
  void alignsTheOtherDirectionAlike(String source, String target) {
    ParallelText text = text();
    ParallelText swapped =
        new ParallelText(text.pairs().stream().map(AlignerTest::swapped).toList());
    Alignment there = aligner(text, "x.lpx").align(words(source), words(target));
    Alignment back = aligner(swapped, "y.lpx").align(words(target), words(source));
    assertThat(back.links().stream().map(link -> swapped(link)))
        .containsExactlyInAnyOrderElementsOf(there.links());
  }

  private static ParallelText.Pair swapped(ParallelText.Pair pair) {
    return new ParallelText.Pair(
        /* source= */ pair.target(),
        /* target= */ pair.source(),
        pair.points().stream()
            .map(p -> new ParallelText.Point(/* source= */ p.target(), /* target= */ p.source()))
            .toList());
  }

  private static Alignment.Link swapped(Alignment.Link link) {
    return new Alignment.Link(/* source= */ link.target(), /* target= */ link.source());
  }

  @Test
  void givesSortedLinksWithinThePair() {
    Random random = new Random(4);
    ParallelText text = ParallelText.random(random, 60, 8, 12);
    Aligner aligner = aligner(text, "x.lpx");
    for (ParallelText.Pair pair : ParallelText.random(random, 500, 12, 14).pairs()) {
      Alignment alignment = aligner.align(pair.source(), pair.target());
      assertThat(alignment.links()).isNotEmpty().doesNotHaveDuplicates();
      assertThat(alignment.links())
          .isSortedAccordingTo(
              Comparator.comparingInt(Alignment.Link::source)
                  .thenComparingInt(Alignment.Link::target));
      assertThat(alignment.links())
          .allMatch(link -> link.source() >= 0 && link.source() < pair.source().size())
          .allMatch(link -> link.target() >= 0 && link.target() < pair.target().size());
      assertThat(aligner.align(pair.source(), pair.target())).isEqualTo(alignment);
    }
  }

  @Test
  void refusesSentencesWithoutWordsAndTooManyWords() {
    Aligner aligner = aligner();
    List<String> one = List.of("cat");
    assertThatThrownBy(() -> aligner.align(List.of(), one))
        .isInstanceOf(RecordException.class)
        .hasMessage("the source sentence has no words");
    assertThatThrownBy(() -> aligner.align(one, List.of()))
        .isInstanceOf(RecordException.class)
        .hasMessage("the target sentence has no words");
    assertThatThrownBy(() -> aligner.align(one, Collections.nCopies(65_535, "katze")))
        .isInstanceOf(RecordException.class)
        .hasMessage("the target sentence has 65535 words, an aligner takes 65534; split it");
    assertThatThrownBy(
            () ->
                aligner.align(Collections.nCopies(1025, "cat"), Collections.nCopies(1024, "katze")))
        .isInstanceOf(RecordException.class)
        .hasMessage(
            "the sentence pair has 1025 and 1024 words, whose product is above 1048576; split it or"
                + " give its alignment");
  }

  @Test
  void countsTheCellsOfAPair() {
    assertThat(Aligner.cells(7, 3)).isEqualTo(21);
    assertThat(Aligner.cells(0, 3)).isZero();
    assertThat(Aligner.cells(1024, 1024)).isEqualTo(Aligner.MAX_CELLS);
    assertThat(Aligner.cells(Aligner.MAX_WORDS, Aligner.MAX_WORDS)).isEqualTo(4_294_705_156L);
  }

  @Test
  void endsWhenItsThreadIsInterrupted() {
    Aligner aligner = aligner();
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> aligner.align(words("the cat"), words("die katze")))
          .isInstanceOf(OperatorException.class)
          .hasMessage("the alignment was interrupted after 0 of 2 words");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(aligner.align(words("the cat"), words("die katze"))).hasToString("0-0 1-1");
  }

  @Test
  void alignsTheLongestSentences() {
    Aligner aligner = aligner();
    List<String> long1 = Collections.nCopies(Aligner.MAX_WORDS, "cat");
    assertThat(aligner.align(long1, List.of("katze")).links()).isNotEmpty();
    assertThat(
            aligner.align(List.of("cat"), Collections.nCopies(Aligner.MAX_WORDS, "katze")).links())
        .isNotEmpty();
    List<String> square = Collections.nCopies(1024, "cat");
    assertThat(aligner.align(square, Collections.nCopies(1024, "katze")).links())
        .isEqualTo(IntStream.range(0, 1024).mapToObj(i -> new Alignment.Link(i, i)).toList());
  }
}
