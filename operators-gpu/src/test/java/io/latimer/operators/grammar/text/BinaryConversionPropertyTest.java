package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.BestTree;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.UnknownWords;
import io.latimer.operators.grammar.index.GrammarFormatException;
import io.latimer.operators.grammar.index.GrammarIndexBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Converted random grammars derive what the grammars derive. */
final class BinaryConversionPropertyTest {
  private static final int GRAMMARS = 800;
  private static final int WEIGHTED_GRAMMARS = 150;
  private static final int SENTENCES = 40;

  @TempDir private Path folder;

  @Test
  void derivesTheSameSentences() {
    GrammarFiles files = new GrammarFiles(folder);
    int members = 0;
    int others = 0;
    for (int seed = 0; seed < GRAMMARS; seed++) {
      Random random = new Random(seed);
      NaiveGrammar naive = NaiveGrammar.random(random);
      List<List<String>> sentences = sentences(random);
      Path file = files.write("random.cfg", naive.nltk());
      GrammarText.Read read;
      try {
        read = GrammarText.read(List.of(file), GrammarTextOptions.DEFAULT);
      } catch (GrammarFormatException e) {
        assertThat(e).as(naive.nltk()).hasMessageContaining("X0 derives no sentence");
        assertThat(sentences).as(naive.nltk()).noneMatch(naive::accepts);
        continue;
      }
      PlainCyk converted = new PlainCyk(read.grammar());
      for (List<String> sentence : sentences) {
        boolean expected = naive.accepts(sentence);
        assertThat(converted.accepts(sentence))
            .as("%s%s", naive.nltk(), sentence)
            .isEqualTo(expected);
        members += expected ? 1 : 0;
        others += expected ? 0 : 1;
      }
    }
    assertThat(members).isGreaterThan(GRAMMARS);
    assertThat(others).isGreaterThan(GRAMMARS);
  }

  private static List<List<String>> sentences(Random random) {
    List<List<String>> sentences = new ArrayList<>(List.of(List.of()));
    for (String letter : List.of("a", "b", "c")) {
      sentences.add(List.of(letter));
    }
    while (sentences.size() < SENTENCES) {
      sentences.add(
          random
              .ints(1 + random.nextInt(7), 0, 3)
              .mapToObj(letter -> Character.toString('a' + letter))
              .toList());
    }
    return sentences;
  }

  @Test
  void bestTreesHaveTheProbabilityOfTheBestDerivations() {
    GrammarFiles files = new GrammarFiles(folder);
    GrammarOptions options = new GrammarOptions(UnknownWords.REFUSE, 100, false, true);
    int trees = 0;
    for (int seed = 0; seed < WEIGHTED_GRAMMARS; seed++) {
      Random random = new Random(seed);
      NaiveGrammar naive = NaiveGrammar.random(random);
      List<List<String>> sentences = sentences(random).subList(1, SENTENCES);
      if (sentences.stream().noneMatch(naive::accepts)) {
        continue;
      }
      Path index = folder.resolve("weighted.lgx");
      GrammarIndexBuilder.build(
          files.read("weighted.pcfg", naive.weightedNltk()).grammar(), index, "");
      List<Result<GrammarVerdict>> verdicts;
      try (CheckGrammar check = CheckGrammar.opener(options).open(index, Device.CPU)) {
        verdicts = check.apply(sentences.stream().map(words -> String.join(" ", words)).toList());
      }
      for (int i = 0; i < sentences.size(); i++) {
        double expected = naive.best(sentences.get(i));
        Optional<BestTree> tree = verdicts.get(i).orElseThrow().tree();
        if (tree.isEmpty()) {
          assertThat(expected).isEqualTo(Double.NEGATIVE_INFINITY);
        } else {
          assertThat((double) tree.get().logProbability())
              .as("%s%s %s", naive.weightedNltk(), sentences.get(i), tree.get())
              .isCloseTo(expected, within(1e-4));
          trees++;
        }
      }
    }
    assertThat(trees).isGreaterThan(WEIGHTED_GRAMMARS);
  }

  @Test
  void aLongRuleOfSymbolsThatCanBeEmptyStaysSmall() {
    String rule = "S ->" + " A".repeat(ContextFreeGrammar.LONGEST_RULE) + "\nA -> 'a' |\n";
    GrammarText.Read read = new GrammarFiles(folder).read("long.cfg", rule);
    assertThat(read.report().binaryRules()).isLessThanOrEqualTo(255);
    assertThat(read.report().unaryRules()).isLessThanOrEqualTo(2 * 255);
    assertThat(GrammarFiles.accepts(read, "a".repeat(255).replace("", " "))).isTrue();
    assertThat(GrammarFiles.accepts(read, "a".repeat(256).replace("", " "))).isFalse();
    assertThat(GrammarFiles.accepts(read, "")).isTrue();
    assertThatThrownBy(
            () -> new GrammarFiles(folder).read("longer.cfg", rule.replace("S ->", "S -> A")))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessage(
            folder.resolve("longer.cfg")
                + " line 1: a rule of S has more than 255 symbols; split it into several");
  }

  @Test
  void keepsTheBestWeight() {
    GrammarText.Read read =
        new GrammarFiles(folder)
            .read(
                "weights.pcfg",
                """
                S -> A B C [0.5] | A B C [0.25] | A [0.25]
                A -> 'a' [0.75] | [0.125] | B B [0.125]
                B -> 'b' [0.5] | [0.5]
                C -> 'c' [1.0]
                """);
    assertThat(read.report().weighted()).isTrue();
    // S -> A B C without A and B: 0.5 * 0.125 * 0.5, and not through A -> B B -> empty
    int best = read.grammar().variables().indexOf("S");
    double found = Double.NEGATIVE_INFINITY;
    for (int rule = 0; rule < read.grammar().unaryRules(); rule++) {
      String child = read.grammar().variables().get(read.grammar().unaryChild(rule));
      if (read.grammar().unaryParent(rule) == best && child.equals("S~1")) {
        found = read.grammar().unaryWeight(rule);
      }
    }
    assertThat(found).isEqualTo((float) Math.log(0.5 * 0.125));
  }
}
