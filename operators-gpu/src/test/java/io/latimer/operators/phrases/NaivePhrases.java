package io.latimer.operators.phrases;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Extracts phrases by looking at every substring of a text, with points instead of extents and
 * words instead of ids, as the definitions say it.
 */
final class NaivePhrases {
  private static final String NOTHING = "";

  private final ParallelText text;
  private final int base;
  private final PhraseOptions options;
  private final Map<String, List<Occurrence>> occurrences = new HashMap<>();
  private final Map<String, Integer> sourceIds = new HashMap<>();
  private final Map<String, Integer> targetIds = new HashMap<>();
  private final Map<List<String>, Integer> links = new HashMap<>();
  private final Map<String, Integer> sourceLinks = new HashMap<>();
  private final Map<String, Integer> targetLinks = new HashMap<>();

  /** A phrase in a sentence: its first word, and the place after its last. */
  private record Occurrence(int sentence, int from, int to) {}

  /** What a phrase gives. */
  static final class Entry {
    long occurrences;
    int samples;
    final int[] outcomes = new int[ExtractionOutcome.COUNT];
    final Map<String, Integer> targets = new TreeMap<>();
  }

  NaivePhrases(ParallelText text, PhraseOptions options) {
    this(text, text.pairs().size(), options);
  }

  /**
   * Takes a text whose last pairs were learned.
   *
   * @param base pairs before those
   */
  NaivePhrases(ParallelText text, int base, PhraseOptions options) {
    this.text = text;
    this.base = base;
    this.options = options;
    for (int i = 0; i < text.pairs().size(); i++) {
      ParallelText.Pair pair = text.pairs().get(i);
      pair.source().forEach(word -> sourceIds.putIfAbsent(word, sourceIds.size() + 1));
      pair.target().forEach(word -> targetIds.putIfAbsent(word, targetIds.size() + 1));
      for (int from = 0; from < pair.source().size(); from++) {
        for (int to = from + 1; to <= pair.source().size(); to++) {
          occurrences
              .computeIfAbsent(phrase(pair.source(), from, to), any -> new ArrayList<>())
              .add(new Occurrence(i, from, to));
        }
      }
      countLinks(pair);
    }
  }

  private static String phrase(List<String> words, int from, int to) {
    return String.join(" ", words.subList(from, to));
  }

  private void countLinks(ParallelText.Pair pair) {
    pair.points().stream()
        .distinct()
        .forEach(p -> link(pair.source().get(p.source()), pair.target().get(p.target())));
    for (int i = 0; i < pair.source().size(); i++) {
      int place = i;
      if (pair.points().stream().noneMatch(point -> point.source() == place)) {
        link(pair.source().get(i), NOTHING);
      }
    }
    for (int i = 0; i < pair.target().size(); i++) {
      int place = i;
      if (pair.points().stream().noneMatch(point -> point.target() == place)) {
        link(NOTHING, pair.target().get(i));
      }
    }
  }

  private void link(String source, String target) {
    links.merge(List.of(source, target), 1, Integer::sum);
    sourceLinks.merge(source, 1, Integer::sum);
    targetLinks.merge(target, 1, Integer::sum);
  }

  /** The phrases of a sentence that occur, with their first places, by place and length. */
  Map<String, Integer> phrases(List<String> sentence) {
    Map<String, Integer> phrases = new LinkedHashMap<>();
    for (int from = 0; from < sentence.size(); from++) {
      int most = options.maxSource() == 0 ? sentence.size() : from + options.maxSource();
      for (int to = from + 1; to <= Math.min(most, sentence.size()); to++) {
        String phrase = phrase(sentence, from, to);
        if (occurrences.containsKey(phrase)) {
          phrases.putIfAbsent(phrase, from);
        }
      }
    }
    return phrases;
  }

  /** Whether a phrase occurs. */
  boolean has(String phrase) {
    return occurrences.containsKey(phrase);
  }

  /**
   * Extracts a phrase that occurs; samples are those of an index with one segment, and beside them
   * those of the learned pairs.
   */
  Entry extract(String phrase) {
    Entry entry = new Entry();
    extract(phrase, 0, base, entry);
    extract(phrase, base, text.pairs().size(), entry);
    return entry;
  }

  private void extract(String phrase, int from, int to, Entry entry) {
    List<Occurrence> all =
        occurrences.get(phrase).stream().filter(at -> inside(at.sentence(), from, to)).toList();
    List<Occurrence> sampled =
        options.samples() == 0 || all.size() <= options.samples() ? all : sampled(all, from, to);
    entry.occurrences += all.size();
    entry.samples += sampled.size();
    sampled.forEach(occurrence -> extract(occurrence, entry));
  }

  /** What all occurrences of a phrase give. */
  Entry extractAll(String phrase) {
    Entry entry = new Entry();
    occurrences.get(phrase).forEach(occurrence -> extract(occurrence, entry));
    return entry;
  }

  /**
   * Ranks round-half-up(lo + k * step), step added up, among the sorted suffixes of the pairs from
   * a number up to another.
   */
  private List<Occurrence> sampled(List<Occurrence> all, int from, int to) {
    List<int[]> suffixes = new ArrayList<>(); // {position, sentence, place}
    List<Integer> ids = new ArrayList<>();
    for (int i = from; i < to; i++) {
      List<String> source = text.pairs().get(i).source();
      for (int place = 0; place <= source.size(); place++) {
        suffixes.add(new int[] {ids.size(), i, place});
        ids.add(place == source.size() ? 0 : sourceIds.get(source.get(place)));
      }
    }
    suffixes.sort((a, b) -> compare(ids.subList(a[0], ids.size()), ids.subList(b[0], ids.size())));
    int words = all.get(0).to() - all.get(0).from();
    List<Occurrence> sorted =
        suffixes.stream().map(s -> new Occurrence(s[1], s[2], s[2] + words)).toList();
    int low =
        IntStream.range(0, sorted.size())
            .filter(rank -> all.contains(sorted.get(rank)))
            .findFirst()
            .orElseThrow();
    List<Occurrence> sampled = new ArrayList<>();
    double step = (double) all.size() / options.samples();
    double at = low;
    for (int k = 0; k < options.samples(); k++) {
      sampled.add(sorted.get((int) Math.floor(at + 0.5)));
      at += step;
    }
    return sampled;
  }

  private static int compare(List<Integer> a, List<Integer> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      if (!a.get(i).equals(b.get(i))) {
        return Integer.compare(a.get(i), b.get(i));
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  private void extract(Occurrence at, Entry entry) {
    ParallelText.Pair pair = text.pairs().get(at.sentence());
    int[] span =
        pair.points().stream()
            .filter(point -> point.source() >= at.from() && point.source() < at.to())
            .mapToInt(ParallelText.Point::target)
            .sorted()
            .toArray();
    ExtractionOutcome outcome = ExtractionOutcome.UNALIGNED;
    if (span.length > 0) {
      int first = span[0];
      int last = span[span.length - 1];
      int[] back =
          pair.points().stream()
              .filter(point -> point.target() >= first && point.target() <= last)
              .mapToInt(ParallelText.Point::source)
              .sorted()
              .toArray();
      int backFirst = back[0];
      int backLast = back[back.length - 1];
      if (backFirst < at.from() || backLast >= at.to()) {
        outcome = ExtractionOutcome.INCONSISTENT;
      } else if (!options.loose() && (backFirst != at.from() || backLast != at.to() - 1)) {
        outcome = ExtractionOutcome.LOOSE;
      } else if (options.maxTarget() > 0 && last - first + 1 > options.maxTarget()) {
        outcome = ExtractionOutcome.TOO_LONG;
      } else {
        outcome = ExtractionOutcome.EXTRACTED;
        addTargets(at, pair, first, last, entry);
      }
    }
    entry.outcomes[outcome.column]++;
  }

  /** Tight: the span itself. Loose: every span that has a point, and none with one end outside. */
  private void addTargets(Occurrence at, ParallelText.Pair pair, int first, int last, Entry entry) {
    if (!options.loose()) {
      entry.targets.merge(phrase(pair.target(), first, last + 1), 1, Integer::sum);
      return;
    }
    for (int from = 0; from < pair.target().size(); from++) {
      for (int to = from + 1; to <= pair.target().size(); to++) {
        int begin = from;
        int end = to;
        boolean any =
            pair.points().stream()
                .anyMatch(
                    p -> inside(p.source(), at.from(), at.to()) && inside(p.target(), begin, end));
        boolean consistent =
            pair.points().stream()
                .allMatch(
                    p -> inside(p.source(), at.from(), at.to()) == inside(p.target(), begin, end));
        if (any && consistent && (options.maxTarget() == 0 || to - from <= options.maxTarget())) {
          entry.targets.merge(phrase(pair.target(), from, to), 1, Integer::sum);
        }
      }
    }
  }

  private static boolean inside(int place, int from, int to) {
    return place >= from && place < to;
  }

  /** The order of a phrase's translations. */
  Comparator<Map.Entry<String, Integer>> order() {
    return Comparator.comparingInt((Map.Entry<String, Integer> target) -> -target.getValue())
        .thenComparing(
            target -> List.of(target.getKey().split(" ", -1)).stream().map(targetIds::get).toList(),
            NaivePhrases::compare);
  }

  /** Each target word with its best link. */
  double targetGivenSource(String source, String target) {
    double sum = 0;
    for (String y : target.split(" ", -1)) {
      double best = share(NOTHING, y, sourceLinks.get(NOTHING));
      for (String x : source.split(" ", -1)) {
        best = Math.max(best, share(x, y, sourceLinks.get(x)));
      }
      sum += best == 0 ? 99 : -Math.log10(best);
    }
    return sum;
  }

  /** Each source word with its best link. */
  double sourceGivenTarget(String source, String target) {
    double sum = 0;
    for (String x : source.split(" ", -1)) {
      double best = share(x, NOTHING, targetLinks.get(NOTHING));
      for (String y : target.split(" ", -1)) {
        best = Math.max(best, share(x, y, targetLinks.get(y)));
      }
      sum += best == 0 ? 99 : -Math.log10(best);
    }
    return sum;
  }

  private double share(String source, String target, Integer all) {
    return all == null ? 0 : (double) links.getOrDefault(List.of(source, target), 0) / all;
  }
}
