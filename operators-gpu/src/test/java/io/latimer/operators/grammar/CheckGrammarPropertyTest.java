package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random grammars give what follows from their definition. */
class CheckGrammarPropertyTest {
  @TempDir private Path folder;

  private static String sentence(int[] words) {
    return Arrays.stream(words).mapToObj(w -> "w" + w).collect(Collectors.joining(" "));
  }

  private static int[] words(Random random, int length) {
    return IntStream.range(0, length).map(i -> random.nextInt(5)).toArray();
  }

  private static GrammarVerdict expected(NaiveGrammar grammar, int[] words) {
    int n = words.length;
    List<List<TreeSet<Integer>>> chart = grammar.chart(words);
    int longest = 0;
    int accepted = 0;
    for (int j = 1; j <= n; j++) {
      if (chart.get(0).get(j).contains(0)) {
        longest = j;
        accepted++;
      }
    }
    int[] identity = IntStream.range(0, grammar.variables()).toArray();
    return new GrammarVerdict(
        longest == n,
        n,
        longest,
        accepted,
        chart.get(0).get(n).stream().map(v -> "V" + v).toList(),
        Optional.of(ChartSummary.of(n, identity, (i, j, v) -> chart.get(i).get(j).contains(v))),
        Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 9, 20, 70, 140})
  void chartsFollowFromTheDefinition(int variables) {
    Random random = new Random(variables);
    int derivable = 0;
    for (int round = 0; round < 40; round++) {
      NaiveGrammar grammar = NaiveGrammar.random(random, variables, false);
      Path index = GrammarFiles.index(folder, "random", grammar.lines());
      List<int[]> sentences = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        sentences.add(words(random, 1 + random.nextInt(8)));
      }
      try (CheckGrammar check =
          CheckGrammar.opener(new GrammarOptions(UnknownWords.REFUSE, 1024, true, false))
              .open(index, Device.CPU)) {
        List<Result<GrammarVerdict>> found =
            check.apply(sentences.stream().map(CheckGrammarPropertyTest::sentence).toList());
        for (int i = 0; i < sentences.size(); i++) {
          GrammarVerdict expected = expected(grammar, sentences.get(i));
          assertThat(found.get(i).orElseThrow())
              .as(String.join("\n", grammar.lines()) + "\n" + sentence(sentences.get(i)))
              .isEqualTo(expected);
          derivable += expected.derivable() ? 1 : 0;
        }
      }
    }
    assertThat(derivable).isBetween(1, 239);
  }

  /** Rows and masks of several words. */
  @ParameterizedTest
  @ValueSource(ints = {3, 600})
  void lengthsAroundWordBorders(int variables) {
    Random random = new Random(7);
    NaiveGrammar grammar = NaiveGrammar.random(random, 3, false);
    List<String> lines = new ArrayList<>(List.of(grammar.lines()));
    for (int v = 3; v < variables; v++) {
      lines.add(3, "v X" + v);
      lines.add("b X" + v + " V0 V" + v % 3);
      lines.add("u X" + v + " V" + v % 2);
    }
    Path index = GrammarFiles.index(folder, "borders", lines.toArray(String[]::new));
    try (CheckGrammar check = CheckGrammar.opener(GrammarOptions.DEFAULT).open(index, Device.CPU)) {
      for (int length : new int[] {31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 193}) {
        int[] words = words(random, length);
        GrammarVerdict expected = expected(grammar, words);
        GrammarVerdict found = check.apply(List.of(sentence(words))).get(0).orElseThrow();
        assertThat(found.derivable()).isEqualTo(expected.derivable());
        assertThat(found.longestPrefix()).isEqualTo(expected.longestPrefix());
        assertThat(found.acceptedPrefixes()).isEqualTo(expected.acceptedPrefixes());
        assertThat(found.roots().stream().filter(name -> name.startsWith("V")).toList())
            .isEqualTo(expected.roots());
      }
    }
  }

  /** More different cells in a row than there is room to remember what has been done after them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void rowsOfManyDifferentCells(int seed) {
    Random random = new Random(seed);
    List<List<Integer>> binary = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      binary.add(List.of(random.nextInt(24), random.nextInt(24), random.nextInt(24)));
    }
    List<List<Integer>> lexical =
        IntStream.range(0, 24).mapToObj(v -> List.of(v, random.nextInt(5))).toList();
    NaiveGrammar grammar = new NaiveGrammar(24, binary, List.of(), lexical, List.of());
    Path index = GrammarFiles.index(folder, "cells", grammar.lines());
    try (CheckGrammar check =
        CheckGrammar.opener(new GrammarOptions(UnknownWords.REFUSE, 1024, true, false))
            .open(index, Device.CPU)) {
      int[] words = words(random, 100);
      GrammarVerdict found = check.apply(List.of(sentence(words))).get(0).orElseThrow();
      assertThat(found).isEqualTo(expected(grammar, words));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 9, 20})
  void treesAreTheMostProbable(int variables) {
    Random random = new Random(variables);
    int trees = 0;
    for (int round = 0; round < 40; round++) {
      NaiveGrammar grammar = NaiveGrammar.random(random, variables, true);
      Path index = GrammarFiles.index(folder, "weighted", grammar.lines());
      try (CheckGrammar check =
          CheckGrammar.opener(new GrammarOptions(UnknownWords.REFUSE, 1024, false, true))
              .open(index, Device.CPU)) {
        for (int i = 0; i < 6; i++) {
          int[] words = words(random, 1 + random.nextInt(8));
          double best = grammar.best(words);
          GrammarVerdict found = check.apply(List.of(sentence(words))).get(0).orElseThrow();
          assertThat(found.tree().isPresent()).isEqualTo(best > Double.NEGATIVE_INFINITY);
          assertThat(found.derivable()).isEqualTo(found.tree().isPresent());
          if (found.tree().isPresent()) {
            trees++;
            assertThat((double) found.tree().get().logProbability())
                .isEqualTo(best, within(1e-5 - best * 1e-6));
            assertTree(grammar, found.tree().get(), sentence(words));
          }
        }
      }
    }
    assertThat(trees).isPositive();
  }

  /** Every step of a tree is a rule; the probabilities of the rules give that of the tree. */
  private static void assertTree(NaiveGrammar grammar, BestTree tree, String sentence) {
    TreeReader reader = new TreeReader(grammar, tree.bracketed());
    assertThat(reader.read()).isZero();
    assertThat(String.join(" ", reader.words)).isEqualTo(sentence);
    assertThat(reader.logProbability)
        .isEqualTo(tree.logProbability(), within(1e-5 - tree.logProbability() * 1e-6));
  }

  private static final class TreeReader {
    private final NaiveGrammar grammar;
    private final String[] tokens;
    private final List<String> words = new ArrayList<>();
    private double logProbability;
    private int at;

    TreeReader(NaiveGrammar grammar, String tree) {
      this.grammar = grammar;
      this.tokens = tree.replace("(", "( ").replace(")", " )").split(" +", -1);
    }

    /** Reads a node and returns its variable. */
    int read() {
      assertThat(tokens[at++]).isEqualTo("(");
      int parent = Integer.parseInt(tokens[at++].substring(1));
      List<Integer> rule = new ArrayList<>(List.of(parent));
      if (tokens[at].equals("(")) {
        while (tokens[at].equals("(")) {
          rule.add(read());
        }
        boolean binary = rule.size() == 3;
        add(
            binary ? grammar.binary() : grammar.unary(),
            rule,
            binary ? 0 : grammar.binary().size());
      } else {
        words.add(tokens[at]);
        rule.add(Integer.parseInt(tokens[at++].substring(1)));
        add(grammar.lexical(), rule, grammar.binary().size() + grammar.unary().size());
      }
      assertThat(tokens[at++]).isEqualTo(")");
      return parent;
    }

    private void add(List<List<Integer>> rules, List<Integer> rule, int first) {
      double most = 0;
      for (int r = 0; r < rules.size(); r++) {
        if (rules.get(r).equals(rule)) {
          most = Math.max(most, grammar.weights().get(first + r));
        }
      }
      assertThat(most).as("rule " + rule).isPositive();
      logProbability += Math.log(most);
    }
  }

  @Test
  void treesNameEveryStepOfUnaryChains() {
    Path index =
        GrammarFiles.index(
            folder,
            "chain",
            "v S",
            "v A",
            "v (B)",
            "start S",
            "u S A 0.5",
            "u A (B) 0.5",
            "u S (B) 0.125",
            "t (B) x 1",
            "t (B) ) 0.5",
            "b (B) S S 0.5");
    try (CheckGrammar check =
        CheckGrammar.opener(new GrammarOptions(UnknownWords.ANY, 1024, false, true))
            .open(index, Device.CPU)) {
      assertThat(check.apply(List.of("x", "x )", "y")))
          .extracting(result -> result.orElseThrow().tree().orElseThrow())
          .containsExactly(
              new BestTree((float) Math.log(0.25), "(S (A (-LRB-B-RRB- x)))"),
              new BestTree(
                  (float) Math.log(0.25 * 0.5 * 0.25 * 0.125),
                  "(S (A (-LRB-B-RRB- (S (A (-LRB-B-RRB- x))) (S (A (-LRB-B-RRB- -RRB-))))))"),
              new BestTree((float) Math.log(0.25), "(S (A (-LRB-B-RRB- y)))"));
    }
  }
}
