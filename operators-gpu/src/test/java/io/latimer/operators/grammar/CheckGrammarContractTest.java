package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operator keeps to on every device. */
abstract class CheckGrammarContractTest extends BatchOperatorContract<String, GrammarVerdict> {
  private static final int MAX_WORDS = 100;
  private static final GrammarOptions OPTIONS =
      new GrammarOptions(UnknownWords.REFUSE, MAX_WORDS, true, true);

  /** Balanced brackets, the empty sentence included, with a filler that may stand anywhere. */
  private static final String[] BRACKETS = {
    "# Sentences of brackets",
    "start S",
    "v S",
    "v Open",
    "v Close",
    "v Rest",
    "v Filler",
    "",
    "b S S S 0.25",
    "b S Open Rest 0.25",
    "b S Open Close 0.25",
    "b Rest S Close 1",
    "u S Filler 0.25",
    "t Open ( 1",
    "t Close ) 1",
    "t Filler x 0.5",
    "t Filler UNK-LC 0.25",
    "t Filler UNK-LC-s 0.25",
    "e"
  };

  @TempDir private static Path folder;
  private static Path index;

  @BeforeAll
  static void makeIndex() {
    index = GrammarFiles.index(folder, "brackets", BRACKETS);
  }

  /** Opens an operator. */
  abstract CheckGrammar open(Path file, GrammarOptions options);

  /** Opens an operator with memory for a few of these records. */
  abstract CheckGrammar openWithLittleMemory(Path file, GrammarOptions options);

  /** Where tests write their files. */
  static Path folder() {
    return folder;
  }

  /** The index of a small weighted grammar. */
  static Path index() {
    return index;
  }

  @Override
  protected BatchOperator<String, GrammarVerdict> openOperator() {
    return open(index, OPTIONS);
  }

  @Override
  protected BatchOperator<String, GrammarVerdict> openOperatorWithLittleMemory() {
    return openWithLittleMemory(index, OPTIONS);
  }

  @Override
  protected String record(int number) {
    StringBuilder sentence = new StringBuilder();
    int rest = 7 * number + 11;
    for (int left = 3 + number % 40; left > 0; left--, rest = rest * 5 / 3 + 1) {
      sentence.append(List.of("(", ")", "x", "( )", "( x )").get(Math.floorMod(rest, 5)));
      sentence.append(' ');
    }
    return sentence.toString();
  }

  @Override
  protected List<String> badRecords() {
    return List.of("x ".repeat(MAX_WORDS + 1));
  }

  @Override
  protected void assertSameOutput(GrammarVerdict expected, GrammarVerdict found, String where) {
    assertThat(found).as(where).isEqualTo(expected);
  }

  private GrammarVerdict verdict(UnknownWords unknown, String sentence) {
    try (CheckGrammar check = open(index, new GrammarOptions(unknown, MAX_WORDS, false, false))) {
      return check.apply(List.of(sentence)).get(0).orElseThrow();
    }
  }

  private static GrammarVerdict of(
      boolean derivable, int words, int longest, int accepted, String... roots) {
    return new GrammarVerdict(
        derivable, words, longest, accepted, List.of(roots), Optional.empty(), Optional.empty());
  }

  @Test
  void saysWhereASentenceBreaksTheGrammar() {
    assertThat(verdict(UnknownWords.REFUSE, "( x ) ( ) x")).isEqualTo(of(true, 6, 6, 3, "S"));
    assertThat(verdict(UnknownWords.REFUSE, "( ) ) (")).isEqualTo(of(false, 4, 2, 1));
    assertThat(verdict(UnknownWords.REFUSE, ") ( )")).isEqualTo(of(false, 3, 0, 0));
    assertThat(verdict(UnknownWords.REFUSE, "x )")).isEqualTo(of(false, 2, 1, 1, "Rest"));
    assertThat(verdict(UnknownWords.REFUSE, "x")).isEqualTo(of(true, 1, 1, 1, "S", "Filler"));
  }

  @Test
  void anEmptySentenceIsDerivableIfTheGrammarSaysSo() {
    for (String sentence : List.of("", " ", "\t\n")) {
      assertThat(verdict(UnknownWords.REFUSE, sentence)).isEqualTo(of(true, 0, 0, 0, "S"));
    }
    Path without = GrammarFiles.index(folder, "without", "v S", "start S", "t S x");
    try (CheckGrammar check =
        open(without, new GrammarOptions(UnknownWords.REFUSE, 1, true, false))) {
      GrammarVerdict found = check.apply(List.of("")).get(0).orElseThrow();
      assertThat(found.derivable()).isFalse();
      assertThat(found.roots()).isEmpty();
      assertThat(found.chart()).contains(new ChartSummary(0, 0xcbf29ce484222325L));
    }
  }

  @Test
  void unknownWordsAreRefusedOrOfAClassOrAny() {
    assertThat(verdict(UnknownWords.REFUSE, "x houses")).isEqualTo(of(false, 2, 1, 1));
    assertThat(verdict(UnknownWords.CLASS, "x houses")).isEqualTo(of(true, 2, 2, 2, "S"));
    assertThat(verdict(UnknownWords.CLASS, "x well-known")).isEqualTo(of(true, 2, 2, 2, "S"));
    assertThat(verdict(UnknownWords.CLASS, "x 1990")).isEqualTo(of(false, 2, 1, 1));
    assertThat(verdict(UnknownWords.CLASS, "x \uD800")).isEqualTo(of(false, 2, 1, 1));
    assertThat(verdict(UnknownWords.ANY, "? houses 1990 )"))
        .isEqualTo(of(true, 4, 4, 4, "S", "Rest"));
  }

  @Test
  void theLongestSentenceHasAVerdict() {
    try (CheckGrammar check = open(index, OPTIONS)) {
      GrammarVerdict found = check.apply(List.of("( ) ".repeat(50))).get(0).orElseThrow();
      assertThat(found.derivable()).isTrue();
      assertThat(found.acceptedPrefixes()).isEqualTo(50);
      assertThat(found.tree()).isPresent();
    }
  }

  @Test
  void aThousandWordsAreChecked() {
    try (CheckGrammar check = open(index, GrammarOptions.DEFAULT)) {
      List<Result<GrammarVerdict>> found =
          check.apply(List.of("( ".repeat(500) + ") ".repeat(500), "x ".repeat(1024), "( ( )"));
      assertThat(found.get(0).orElseThrow()).isEqualTo(of(true, 1000, 1000, 1, "S"));
      assertThat(found.get(1).orElseThrow()).isEqualTo(of(true, 1024, 1024, 1024, "S"));
      assertThat(found.get(2).orElseThrow()).isEqualTo(of(false, 3, 0, 0));
    }
  }

  @Test
  void saysWhatIsWrongWithALongSentence() {
    try (CheckGrammar check = open(index, OPTIONS)) {
      assertThatThrownBy(() -> check.apply(badRecords()).get(0).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessage(
              "the sentence has 101 words, more than the 100 that are checked against a grammar;"
                  + " split it");
    }
  }

  @Test
  void aGrammarWithoutProbabilitiesHasNoBestTrees() {
    Path without = GrammarFiles.index(folder, "unweighted", "v S", "start S", "t S x");
    assertThatThrownBy(() -> open(without, OPTIONS))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("the grammar has no probabilities");
  }
}
