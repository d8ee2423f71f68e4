package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.phrases.index.PhraseTextException;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlignedTextTest {
  @TempDir private Path folder;

  private Path file(String name, List<String> lines) throws IOException {
    return Files.write(folder.resolve(name), lines);
  }

  private static List<String> sentences(Random random, int count, int vocabulary) {
    List<String> sentences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> words = new ArrayList<>();
      for (int j = 1 + random.nextInt(7); j > 0; j--) {
        words.add("w" + random.nextInt(vocabulary));
      }
      sentences.add(String.join(" ", words));
    }
    return sentences;
  }

  @Test
  void modelsAreThoseOfTheEquations() throws IOException {
    Random random = new Random(5);
    for (int round = 0; round < 40; round++) {
      int size = 1 + random.nextInt(12);
      List<String> source = sentences(random, size, 6);
      List<String> target = sentences(random, size, 6);
      SentencePairs text =
          SentencePairs.read(file("s", source), file("t", target), BuildProgress.NONE);
      TrainingOptions options = new TrainingOptions(5, 0.08, 0.01 + random.nextDouble());
      Team team = new Team(1 + random.nextInt(3));
      for (boolean targetGivenSource : new boolean[] {true, false}) {
        DirectedTraining trained =
            new DirectedTraining(text, WordPairs.of(text), targetGivenSource, options, team);
        Naive naive = new Naive(text, targetGivenSource, options);
        for (int pass = 0; pass < 4; pass++) {
          trained.iterate(pass > 0);
          naive.iterate(pass > 0);
        }
        assertThat(trained.tension()).isCloseTo(naive.tension, within(1e-4));
        for (Map.Entry<List<Integer>, Double> pair : naive.probabilities.entrySet()) {
          int given = pair.getKey().get(0);
          assertThat(trained.probability(given, pair.getKey().get(1)))
              .isCloseTo(pair.getValue(), within(1e-4));
        }
      }
    }
  }

  /** The same in the simplest way, one direction at a time. */
  private static final class Naive {
    final Map<List<Integer>, Double> probabilities = new HashMap<>();
    final List<int[]> given = new ArrayList<>();
    final List<int[]> words = new ArrayList<>();
    final TrainingOptions options;
    double tension = 4;

    Naive(SentencePairs text, boolean targetGivenSource, TrainingOptions options) {
      this.options = options;
      for (int i = 0; i < text.size(); i++) {
        given.add(targetGivenSource ? text.source(i) : text.target(i));
        words.add(targetGivenSource ? text.target(i) : text.source(i));
      }
    }

    /** Place -1 is nothing. */
    double prior(int i, int j, int given, int words) {
      if (i < 0) {
        return options.nullProbability();
      }
      double sum = 0;
      for (int k = 0; k < given; k++) {
        sum += Math.exp(-tension * Math.abs((k + 1.0) / given - (j + 1.0) / words));
      }
      double one = Math.exp(-tension * Math.abs((i + 1.0) / given - (j + 1.0) / words));
      return (1 - options.nullProbability()) * one / sum;
    }

    void iterate(boolean fitTension) {
      Map<List<Integer>, Double> counts = new HashMap<>();
      double distance = 0;
      int all = 0;
      for (int pair = 0; pair < given.size(); pair++) {
        int[] g = given.get(pair);
        int[] w = words.get(pair);
        all += w.length;
        for (int j = 0; j < w.length; j++) {
          double sum = 0;
          for (int i = -1; i < g.length; i++) {
            sum += joint(g, w, i, j);
          }
          for (int i = -1; i < g.length; i++) {
            double share = joint(g, w, i, j) / sum;
            counts.merge(List.of(i < 0 ? 0 : g[i], w[j]), share, Double::sum);
            distance += i < 0 ? 0 : share * Math.abs((i + 1.0) / g.length - (j + 1.0) / w.length);
          }
        }
      }
      Map<Integer, Double> totals = new TreeMap<>();
      Map<Integer, Integer> kinds = new TreeMap<>();
      counts.forEach((key, count) -> totals.merge(key.get(0), count, Double::sum));
      counts.forEach((key, count) -> kinds.merge(key.get(0), 1, Integer::sum));
      double alpha = options.concentration();
      counts.forEach(
          (key, count) -> {
            double total = totals.get(key.get(0)) + alpha * kinds.get(key.get(0));
            probabilities.put(
                key,
                Math.exp(
                    DirectedTraining.digamma(count + alpha) - DirectedTraining.digamma(total)));
          });
      for (int step = 0; fitTension && step < 8; step++) {
        double expected = 0;
        for (int pair = 0; pair < given.size(); pair++) {
          int g = given.get(pair).length;
          int w = words.get(pair).length;
          for (int j = 0; j < w; j++) {
            for (int i = 0; i < g; i++) {
              expected +=
                  prior(i, j, g, w)
                      / (1 - options.nullProbability())
                      * Math.abs((i + 1.0) / g - (j + 1.0) / w);
            }
          }
        }
        tension = Math.min(14, Math.max(0.1, tension + (expected - distance) / all * 20));
      }
    }

    private double joint(int[] g, int[] w, int i, int j) {
      return prior(i, j, g.length, w.length)
          * probabilities.getOrDefault(List.of(i < 0 ? 0 : g[i], w[j]), 1.0);
    }
  }

  @Test
  void theNumberOfThreadsChangesNothing() throws IOException {
    Random random = new Random(9);
    Path source = file("s", sentences(random, 3_000, 40));
    Path target = file("t", sentences(random, 3_000, 40));
    assertThat(aligned(source, target, 7)).isEqualTo(aligned(source, target, 1));
  }

  @Test
  void wordsThatOccurTogetherAreLinked() throws IOException {
    Path source = file("s", List.of("the house", "the red house", "the car", "a red car", "house"));
    Path target =
        file("t", List.of("das haus", "das rote haus", "das auto", "ein rotes auto", "haus"));
    assertThat(aligned(source, target, 2))
        .isEqualTo("0-0 1-1\n0-0 1-1 2-2\n0-0 1-1\n0-0 1-1 2-2\n0-0\n");
  }

  @Test
  void aPairWithAnEmptySentenceHasAnEmptyLine() throws IOException {
    Path source = file("s", List.of("a b", "", "b", "", "a"));
    Path target = file("t", List.of("x y", "y", "", "  ", "x"));
    AlignedText text = train(source, target, 1);
    assertThat(text.size()).isEqualTo(5);
    assertThat(text.unalignable()).isEqualTo(3);
    StringBuilder lines = new StringBuilder();
    text.write(lines);
    assertThat(lines.toString().split("\n", -1)).hasSize(6).contains("", "0-0");
  }

  @Test
  void aTextOfNothingHasNoLines() throws IOException {
    assertThat(aligned(file("s", List.of()), file("t", List.of()), 2)).isEmpty();
  }

  @Test
  void filesThatDoNotFitAreRefusedByLine() throws IOException {
    Path two = file("two", List.of("a", "b"));
    Path one = file("one", List.of("x"));
    assertThatThrownBy(() -> train(two, one, 1))
        .isInstanceOf(PhraseTextException.class)
        .hasMessageContaining(one + " ends before line 2");
    assertThatThrownBy(() -> train(one, two, 1)).hasMessageContaining(one + " ends before line 2");
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {'a', (byte) 0xff, '\n'});
    assertThatThrownBy(() -> train(one, bytes, 1))
        .hasMessageContaining(bytes + " line 1 byte 2 is not UTF-8");
    assertThatThrownBy(() -> train(one, folder.resolve("none"), 1))
        .hasMessageContaining("none cannot be read");
  }

  @Test
  void digammaHasItsKnownValues() {
    assertThat(DirectedTraining.digamma(1)).isCloseTo(-0.5772156649015329, within(1e-9));
    assertThat(DirectedTraining.digamma(0.5)).isCloseTo(-1.9635100260214235, within(1e-9));
    assertThat(DirectedTraining.digamma(0.01)).isCloseTo(-100.5608854578687, within(1e-8));
    assertThat(DirectedTraining.digamma(1e6)).isCloseTo(13.81551005796419, within(1e-9));
  }

  private static AlignedText train(Path source, Path target, int threads) {
    return AlignedText.train(source, target, TrainingOptions.DEFAULTS, threads, BuildProgress.NONE);
  }

  private static String aligned(Path source, Path target, int threads) throws IOException {
    AlignedText text = train(source, target, threads);
    StringBuilder lines = new StringBuilder();
    text.write(lines);
    return lines.toString();
  }
}
