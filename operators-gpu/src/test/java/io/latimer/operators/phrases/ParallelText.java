package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A parallel text and its word alignment, in the plainest form. */
public record ParallelText(List<Pair> pairs) {
  /** A link between the words at two places. */
  public record Point(int source, int target) {}

  /** A sentence pair. */
  public record Pair(List<String> source, List<String> target, List<Point> points) {
    String alignment() {
      return points.stream()
          .map(point -> point.source + "-" + point.target)
          .collect(Collectors.joining(" "));
    }
  }

  /** One line per pair: {@code a b ||| x y ||| 0-0 1-1}. */
  public static ParallelText of(String... lines) {
    List<Pair> pairs = new ArrayList<>();
    for (String line : lines) {
      String[] columns = line.split(" \\|\\|\\| ?", -1);
      List<Point> points = new ArrayList<>();
      for (String point : columns[2].isEmpty() ? new String[0] : columns[2].split(" ", -1)) {
        String[] places = point.split("-", -1);
        points.add(new Point(Integer.parseInt(places[0]), Integer.parseInt(places[1])));
      }
      pairs.add(new Pair(words(columns[0]), words(columns[1]), points));
    }
    return new ParallelText(pairs);
  }

  private static List<String> words(String text) {
    return Arrays.asList(text.split(" ", -1));
  }

  /**
   * A text of few words: sentences repeat, and so do words; its points cross, and words have none
   * or many.
   */
  public static ParallelText random(Random random) {
    int vocabulary = 1 + random.nextInt(6);
    int longest = 1 + random.nextInt(9);
    return random(random, 1 + random.nextInt(25), vocabulary, longest);
  }

  /**
   * The same, of a size.
   *
   * @param vocabulary words of each side: s0, s1 and so on, and t0, t1 and so on
   * @param longest words of the longest sentence
   */
  public static ParallelText random(Random random, int size, int vocabulary, int longest) {
    List<Pair> pairs = new ArrayList<>();
    while (pairs.size() < size) {
      if (!pairs.isEmpty() && random.nextInt(5) == 0) {
        pairs.add(pairs.get(random.nextInt(pairs.size())));
        continue;
      }
      List<String> source = randomWords(random, "s", vocabulary, longest);
      List<String> target = randomWords(random, "t", vocabulary, longest);
      pairs.add(new Pair(source, target, randomPoints(random, source.size(), target.size())));
    }
    return new ParallelText(pairs);
  }

  private static List<String> randomWords(
      Random random, String prefix, int vocabulary, int longest) {
    List<String> words = new ArrayList<>();
    for (int left = 1 + random.nextInt(longest); left > 0; left--) {
      words.add(prefix + random.nextInt(vocabulary));
    }
    return words;
  }

  /** Mostly along the diagonal, else most phrases would be inconsistent; some more than once. */
  private static List<Point> randomPoints(Random random, int source, int target) {
    List<Point> points = new ArrayList<>();
    for (int left = random.nextInt(source + 3); left > 0; left--) {
      int from = random.nextInt(source);
      int to = random.nextInt(4) == 0 ? random.nextInt(target) : from * target / source;
      points.add(new Point(from, to));
    }
    return points;
  }

  /** The pairs from a number up to another. */
  public ParallelText part(int from, int to) {
    return new ParallelText(pairs.subList(from, to));
  }

  /** The pairs of this text, then those of another. */
  public ParallelText and(ParallelText more) {
    return new ParallelText(Stream.concat(pairs.stream(), more.pairs.stream()).toList());
  }

  /** The pairs as learned ones, numbered from a number, by which their ids and times are made. */
  public LearnedPairs learned(long from) {
    List<LearnedPair> learned = new ArrayList<>();
    for (Pair pair : pairs) {
      long number = from + learned.size();
      learned.add(
          new LearnedPair(
              "pair " + number,
              1000 + number,
              String.join(" ", pair.source),
              String.join(" ", pair.target),
              pair.alignment()));
    }
    return LearnedPairs.none(from).with(learned);
  }

  /** Writes the three files. */
  public PhraseTextFiles write(Path folder) {
    return new PhraseTextFiles(
        write(folder.resolve("text.source"), pair -> String.join(" ", pair.source)),
        write(folder.resolve("text.target"), pair -> String.join(" ", pair.target)),
        write(folder.resolve("text.alignment"), Pair::alignment));
  }

  private Path write(Path file, Function<Pair, String> line) {
    try {
      return Files.write(file, pairs.stream().map(line).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes an index of it. */
  public Path index(Path folder, String name) {
    Path out = folder.resolve(name);
    PhraseIndexBuilder.index(write(folder), false, out, "", BuildProgress.NONE);
    return out;
  }

  /** Adds it to an index. */
  public void append(Path folder, Path index) {
    PhraseIndexBuilder.append(index, write(folder), false, index, "", BuildProgress.NONE);
  }
}
