package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.grammar.index.GrammarIndexBuilder;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.SentenceWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where sentences leave random grammars, and how they could have gone on. */
final class NextWordsTest {
  private static final int GRAMMARS = 300;
  private static final int SENTENCES = 20;
  private static final List<String> WORDS = List.of("a", "b", "c");

  @TempDir private Path folder;

  private static BinaryGrammar random(Random random) {
    BinaryGrammar.Builder builder = new BinaryGrammar.Builder();
    int variables = 1 + random.nextInt(7);
    for (int v = 0; v < variables; v++) {
      builder.variable("V" + v);
    }
    for (int i = random.nextInt(12); i >= 0; i--) {
      builder.binary(
          random.nextInt(variables), random.nextInt(variables), random.nextInt(variables), 0);
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      builder.unary(random.nextInt(variables), random.nextInt(variables), 0);
    }
    for (int i = random.nextInt(5); i >= 0; i--) {
      builder.lexical(random.nextInt(variables), WORDS.get(random.nextInt(WORDS.size())), 0);
    }
    return builder.build(0);
  }

  /**
   * What a grammar derives of the sentences of an automaton: it reads the words, and then, if open,
   * any others.
   */
  private static boolean derives(BinaryGrammar grammar, List<String> words, boolean open) {
    int end = words.size();
    boolean[][][] paths = new boolean[grammar.variables().size()][end + 1][end + 1];
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int r = 0; r < grammar.lexicalRules(); r++) {
        String word = grammar.terminals().get(grammar.terminal(r));
        for (int from = 0; from < end; from++) {
          changed |=
              words.get(from).equals(word) && set(paths[grammar.lexicalParent(r)], from, from + 1);
        }
        changed |= open && set(paths[grammar.lexicalParent(r)], end, end);
      }
      for (int from = 0; from <= end; from++) {
        for (int to = from; to <= end; to++) {
          for (int r = 0; r < grammar.unaryRules(); r++) {
            changed |=
                paths[grammar.unaryChild(r)][from][to]
                    && set(paths[grammar.unaryParent(r)], from, to);
          }
          for (int r = 0; r < grammar.binaryRules(); r++) {
            for (int split = from; split <= to; split++) {
              changed |=
                  paths[grammar.left(r)][from][split]
                      && paths[grammar.right(r)][split][to]
                      && set(paths[grammar.parent(r)], from, to);
            }
          }
        }
      }
    }
    return paths[grammar.start()][0][end];
  }

  private static boolean set(boolean[][] paths, int from, int to) {
    boolean isNew = !paths[from][to];
    paths[from][to] = true;
    return isNew;
  }

  private static List<String> with(List<String> words, String word) {
    List<String> longer = new ArrayList<>(words);
    longer.add(word);
    return longer;
  }

  @Test
  void findsTheLongestBeginningOfASentenceAndWhatMayFollow() {
    int broken = 0;
    int followed = 0;
    for (int seed = 0; seed < GRAMMARS; seed++) {
      Random random = new Random(seed);
      BinaryGrammar grammar = random(random);
      GrammarIndex index = index(grammar);
      NextWords next = new NextWords(index, UnknownWords.REFUSE, 2);
      for (int i = 0; i < SENTENCES; i++) {
        List<String> sentence =
            random.ints(random.nextInt(11), 0, WORDS.size()).mapToObj(WORDS::get).toList();
        NextWords.Continuation found = next.after(new SentenceWords(String.join(" ", sentence)));
        int viable = 0;
        while (viable < sentence.size()
            && derives(grammar, sentence.subList(0, viable + 1), true)) {
          viable++;
        }
        List<String> beginning = sentence.subList(0, viable);
        List<String> follow =
            grammar.terminals().stream()
                .filter(word -> derives(grammar, with(beginning, word), true))
                .toList();
        assertThat(found)
            .as("grammar %d, sentence %s", seed, sentence)
            .isEqualTo(
                new NextWords.Continuation(
                    viable,
                    viable > 0 && derives(grammar, beginning, false),
                    follow.subList(0, Math.min(2, follow.size())),
                    follow.size()));
        broken += viable < sentence.size() ? 1 : 0;
        followed += viable > 0 && !follow.isEmpty() ? 1 : 0;
      }
    }
    assertThat(broken).isGreaterThan(GRAMMARS);
    assertThat(followed).isGreaterThan(GRAMMARS);
  }

  private GrammarIndex index(BinaryGrammar grammar) {
    Path file = folder.resolve("random.lgx");
    GrammarIndexBuilder.build(grammar, file, "");
    try (IndexFile opened = IndexFile.open(file)) {
      return GrammarIndex.open(opened);
    }
  }

  private static NextWords.Continuation after(Path index, String sentence) {
    try (IndexFile file = IndexFile.open(index);
        GrammarIndex grammar = GrammarIndex.open(file)) {
      return new NextWords(grammar, UnknownWords.REFUSE, 1).after(new SentenceWords(sentence));
    }
  }

  @Test
  void doesNotGuessBehindTheWordsThatItReads() {
    Path index = GrammarFiles.index(folder, "repeat", "start V", "v V", "b V V V", "t V a");
    assertThat(after(index, "a ".repeat(1024)).viable()).isEqualTo(1024);
    assertThat(after(index, "a ".repeat(1025))).isNull();
    assertThat(after(index, "a ".repeat(1000) + "b" + " a".repeat(1000)).viable()).isEqualTo(1000);
  }

  /** Each variable is productive because the next one is. */
  @Test
  void aLongChainOfVariablesTakesNoTime() {
    int last = 20_000;
    List<String> lines = new ArrayList<>(List.of("start V0"));
    for (int v = 0; v <= last; v++) {
      lines.add("v V" + v);
    }
    for (int v = 0; v < last; v++) {
      lines.add("b V" + v + " V" + (v + 1) + " V" + (v + 1));
    }
    lines.add("t V" + last + " a");
    Path index = GrammarFiles.index(folder, "chain", lines.toArray(String[]::new));
    NextWords.Continuation found = after(index, "a");
    assertThat(found.viable()).isEqualTo(1);
    assertThat(found.words()).containsExactly("a");
  }
}
