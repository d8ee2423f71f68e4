package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.util.BuildProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random small texts, against {@link NaivePhrases}. */
class PhrasesPropertyTest {
  private static final int ROUNDS = 40;

  private static final List<PhraseOptions> UNSAMPLED =
      List.of(
          new PhraseOptions(0, 0, 0, false),
          new PhraseOptions(0, 0, 0, true),
          new PhraseOptions(0, 5, 15, false),
          new PhraseOptions(0, 3, 2, true),
          new PhraseOptions(0, 1, 0, true),
          new PhraseOptions(0, 0, 1, false),
          new PhraseOptions(0, 2, 3, true));

  @TempDir private Path folder;

  /** Sentences of the text, some joined, some with a word that it does not have. */
  private static List<List<String>> queries(ParallelText text, Random random) {
    List<List<String>> queries = new ArrayList<>();
    for (int i = 0; i < text.pairs().size(); i++) {
      List<String> query = new ArrayList<>(text.pairs().get(i).source());
      if (random.nextInt(3) == 0) {
        query.addAll(text.pairs().get((i + 1) % text.pairs().size()).source());
      }
      if (random.nextInt(3) == 0) {
        query.add(random.nextInt(query.size() + 1), "unknown");
      }
      queries.add(query);
    }
    queries.add(List.of());
    queries.add(List.of("unknown"));
    queries.add(List.of("t0", "s0", "unknown", "unknown", "s0", "s1"));
    return queries;
  }

  private static List<PhraseTable> apply(
      Path index, LearnedPairs learned, PhraseOptions options, List<List<String>> queries) {
    try (Phrases phrases =
        Phrases.opener(options, Phrases.GPU_BYTES, learned).open(index, Device.CPU)) {
      return phrases.apply(queries.stream().map(query -> String.join(" ", query)).toList()).stream()
          .map(result -> result.orElseThrow())
          .toList();
    }
  }

  private static void assertAsNaive(
      ParallelText text, Path index, PhraseOptions options, List<List<String>> queries) {
    assertAsNaive(text, index, LearnedPairs.none(), options, queries);
  }

  private static List<PhraseTable> assertAsNaive(
      ParallelText text,
      Path index,
      LearnedPairs learned,
      PhraseOptions options,
      List<List<String>> queries) {
    NaivePhrases naive = new NaivePhrases(text, text.pairs().size() - learned.size(), options);
    List<PhraseTable> tables = apply(index, learned, options, queries);
    for (int i = 0; i < queries.size(); i++) {
      Map<String, Integer> expected = naive.phrases(queries.get(i));
      List<SourcePhrase> found = tables.get(i).phrases();
      assertThat(found).extracting(SourcePhrase::text).containsExactlyElementsOf(expected.keySet());
      assertThat(found).extracting(SourcePhrase::from).containsExactlyElementsOf(expected.values());
      for (SourcePhrase phrase : found) {
        assertAsNaive(naive, naive.extract(phrase.text()), phrase);
      }
    }
    return tables;
  }

  private static void assertAsNaive(
      NaivePhrases naive, NaivePhrases.Entry expected, SourcePhrase found) {
    String text = found.text();
    assertThat(found.words()).isEqualTo(text.split(" ", -1).length);
    assertThat(found.occurrences()).as(text).isEqualTo(expected.occurrences);
    assertThat(found.samples()).as(text).isEqualTo(expected.samples);
    assertThat(outcomes(found)).as(text).isEqualTo(expected.outcomes);
    assertThat(found.coherence())
        .isEqualTo((double) expected.outcomes[0] / expected.samples, within(1e-15));
    long all = expected.targets.values().stream().mapToLong(count -> count).sum();
    assertThat(found.extractions()).isEqualTo(all);
    List<Map.Entry<String, Integer>> targets =
        expected.targets.entrySet().stream().sorted(naive.order()).toList();
    assertThat(found.pairs())
        .as(text)
        .extracting(PhrasePair::text)
        .containsExactlyElementsOf(targets.stream().map(Map.Entry::getKey).toList());
    for (int i = 0; i < targets.size(); i++) {
      PhrasePair pair = found.pairs().get(i);
      String target = targets.get(i).getKey();
      String where = text + " ||| " + target;
      assertThat(pair.words()).isEqualTo(target.split(" ", -1).length);
      assertThat(pair.count()).as(where).isEqualTo(targets.get(i).getValue());
      assertThat(pair.probability()).isEqualTo((double) pair.count() / all, within(1e-15));
      assertThat(pair.lexicalTargetGivenSource())
          .as(where)
          .isEqualTo(naive.targetGivenSource(text, target), within(1e-12));
      assertThat(pair.lexicalSourceGivenTarget())
          .as(where)
          .isEqualTo(naive.sourceGivenTarget(text, target), within(1e-12));
    }
  }

  private static int[] outcomes(SourcePhrase phrase) {
    return Arrays.stream(ExtractionOutcome.values()).mapToInt(phrase::outcomes).toArray();
  }

  @Test
  void extractsWhatEverySubstringOfTheTextGives() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      ParallelText text = ParallelText.random(random);
      Path index = text.index(folder, "whole.lpx");
      for (PhraseOptions options : UNSAMPLED) {
        assertAsNaive(text, index, options, queries(text, random));
      }
    }
  }

  @Test
  void samplesByTheRanksOfSuffixes() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(100 + round);
      ParallelText text = ParallelText.random(random);
      Path index = text.index(folder, "whole.lpx");
      for (int samples : new int[] {1, 2, 3, 7}) {
        PhraseOptions options = new PhraseOptions(samples, 4, 3, random.nextBoolean());
        assertAsNaive(text, index, options, queries(text, random));
      }
    }
  }

  /** Indexes the parts of a text, the first larger than the others; returns the segments. */
  private int indexInParts(ParallelText text, Path index, Random random) {
    int at = Math.max(1, text.pairs().size() - random.nextInt(8));
    text.part(0, at).index(folder, index.getFileName().toString());
    while (at < text.pairs().size()) {
      int next = at + 1 + random.nextInt(Math.min(2, text.pairs().size() - at));
      text.part(at, next).append(folder, index);
      at = next;
    }
    try (Phrases phrases = Phrases.opener(PhraseOptions.DEFAULT).open(index, Device.CPU)) {
      return phrases.index().segments().size();
    }
  }

  @Test
  void partsOfATextGiveWhatTheWholeTextGivesAndMergeToTheSameFile() {
    int most = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(200 + round);
      ParallelText text = ParallelText.random(random);
      Path parts = folder.resolve("parts.lpx");
      most = Math.max(most, indexInParts(text, parts, random));
      for (PhraseOptions options : UNSAMPLED) {
        assertAsNaive(text, parts, options, queries(text, random));
      }
      Path whole = text.index(folder, "whole.lpx");
      PhraseIndexBuilder.merge(parts, parts, "", BuildProgress.NONE);
      assertThat(parts).hasSameBinaryContentAs(whole);
    }
    assertThat(most).as("most segments of an index").isGreaterThan(2);
  }

  @Test
  void samplesOfPartsAreOccurrencesOfTheText() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(300 + round);
      ParallelText text = ParallelText.random(random);
      Path parts = folder.resolve("parts.lpx");
      indexInParts(text, parts, random);
      PhraseOptions options = new PhraseOptions(3, 3, 3, random.nextBoolean());
      NaivePhrases naive = new NaivePhrases(text, options);
      for (PhraseTable table : apply(parts, LearnedPairs.none(), options, queries(text, random))) {
        for (SourcePhrase phrase : table.phrases()) {
          NaivePhrases.Entry all = naive.extractAll(phrase.text());
          int[] outcomes = outcomes(phrase);
          assertThat(phrase.samples()).isEqualTo((int) Math.min(3, phrase.occurrences()));
          assertThat(Arrays.stream(outcomes).sum()).isEqualTo(phrase.samples());
          for (int i = 0; i < outcomes.length; i++) {
            assertThat(outcomes[i]).isLessThanOrEqualTo(all.outcomes[i]);
          }
          for (PhrasePair pair : phrase.pairs()) {
            assertThat(pair.count()).isBetween(1, all.targets.getOrDefault(pair.text(), 0));
          }
        }
      }
    }
  }

  @Test
  void learnedPairsGiveWhatTheWholeTextGivesAndAreNamed() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(400 + round);
      ParallelText text = ParallelText.random(random);
      int size = text.pairs().size();
      int base = Math.min(size, 1 + random.nextInt(size));
      Path index = folder.resolve("base.lpx");
      indexInParts(text.part(0, base), index, random);
      long from = random.nextInt(5);
      LearnedPairs learned = text.part(base, size).learned(from);
      for (PhraseOptions options : UNSAMPLED) {
        NaivePhrases[] alone = new NaivePhrases[size - base];
        Arrays.setAll(alone, i -> new NaivePhrases(text.part(base + i, base + i + 1), options));
        for (PhraseTable table :
            assertAsNaive(text, index, learned, options, queries(text, random))) {
          table.phrases().forEach(phrase -> assertNames(alone, from, phrase));
        }
      }
    }
  }

  /** What each learned pair gives alone says which pairs gave a translation, and how often. */
  private static void assertNames(NaivePhrases[] alone, long from, SourcePhrase phrase) {
    for (PhrasePair pair : phrase.pairs()) {
      int count = 0;
      List<String> ids = new ArrayList<>();
      for (int i = alone.length - 1; i >= 0; i--) {
        if (alone[i].has(phrase.text())) {
          int found = alone[i].extract(phrase.text()).targets.getOrDefault(pair.text(), 0);
          count += found;
          if (found > 0) {
            ids.add("pair " + (from + i));
          }
        }
      }
      String where = phrase.text() + " ||| " + pair.text();
      assertThat(pair.learned()).as(where).isEqualTo(count);
      assertThat(pair.corrections(3))
          .as(where)
          .extracting(LearnedPair::id)
          .containsExactlyElementsOf(ids.subList(0, Math.min(3, ids.size())));
    }
  }

  @Test
  void learnedPairsAreSampledBesideTheIndex() {
    int frequent = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(600 + round);
      ParallelText file = ParallelText.random(random, 20, 1 + random.nextInt(6), 9);
      ParallelText more = withOwnTargets(ParallelText.random(random, 9, 6, 9));
      ParallelText text = file.and(more);
      Path index = file.index(folder, "base.lpx");
      LearnedPairs learned = more.learned(random.nextInt(5));
      for (int samples : new int[] {1, 2, 3, 7}) {
        PhraseOptions options = new PhraseOptions(samples, 4, 3, random.nextBoolean());
        for (PhraseTable table :
            assertAsNaive(text, index, learned, options, queries(text, random))) {
          table.phrases().forEach(PhrasesPropertyTest::assertOwnTargets);
          frequent += table.phrases().stream().anyMatch(at -> at.samples() == 2 * samples) ? 1 : 0;
        }
      }
    }
    assertThat(frequent).as("tables with phrases frequent in both").isGreaterThan(100);
  }

  /** An index file to which the pairs were appended, as a segment or merged with others. */
  @Test
  void whereNothingIsSampledAnAppendedFileGivesWhatTheLearnedPairsGave() {
    int own = 0;
    int merged = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(500 + round);
      ParallelText text = ParallelText.random(random, 20, 1 + random.nextInt(6), 9);
      int base = 12 + random.nextInt(8);
      Path index = folder.resolve("base.lpx");
      indexInParts(text.part(0, base), index, random);
      ParallelText more = withOwnTargets(text.part(base, 20));
      text = text.part(0, base).and(more);
      LearnedPairs learned = more.learned(0);
      Path file = folder.resolve("appended.lpx");
      PhraseIndexBuilder.append(index, learned, file, "", BuildProgress.NONE);
      List<List<String>> queries = queries(text, random);
      SentenceWords[] sentences =
          queries.stream()
              .map(query -> new SentenceWords(String.join(" ", query)))
              .toArray(SentenceWords[]::new);
      try (IndexFile baseFile = IndexFile.open(index);
          IndexFile appendedFile = IndexFile.open(file);
          PhraseIndex both = PhraseIndex.open(baseFile).with(learned);
          PhraseIndex appended = PhraseIndex.open(appendedFile);
          ExtractPhrases taught = new ExtractPhrasesCpu(both, 1);
          ExtractPhrases plain = new ExtractPhrasesCpu(appended, 1)) {
        boolean sameSegments = both.segments().size() == appended.segments().size();
        own += sameSegments ? 1 : 0;
        merged += sameSegments ? 0 : 1;
        // no phrase occurs more than 200 times in these texts
        for (int samples : new int[] {0, 200}) {
          PhraseOptions options = new PhraseOptions(samples, 4, 3, random.nextBoolean());
          assertAsNaive(text, file, options, queries);
          for (PhraseTable table : assertAsNaive(text, index, learned, options, queries)) {
            table.phrases().forEach(PhrasesPropertyTest::assertOwnTargets);
          }
          if (sameSegments) {
            SameExtractions.require(
                plain.extract(sentences, options), taught.extract(sentences, options));
          }
        }
      }
    }
    assertThat(own).as("files with a segment for the learned pairs").isGreaterThan(5);
    assertThat(merged).as("files where they were merged with others").isGreaterThan(5);
  }

  /** The same text with target words that no other text has. */
  private static ParallelText withOwnTargets(ParallelText text) {
    return new ParallelText(
        text.pairs().stream()
            .map(
                pair ->
                    new ParallelText.Pair(
                        pair.source(),
                        pair.target().stream().map(word -> "own" + word).toList(),
                        pair.points()))
            .toList());
  }

  /** Where learned pairs have their own target words, each translation is from them or not. */
  private static void assertOwnTargets(SourcePhrase phrase) {
    for (PhrasePair pair : phrase.pairs()) {
      int learned = pair.text().startsWith("own") ? pair.count() : 0;
      assertThat(pair.learned()).as(phrase.text() + " ||| " + pair.text()).isEqualTo(learned);
      assertThat(pair.corrections(Integer.MAX_VALUE).isEmpty()).isEqualTo(learned == 0);
    }
  }
}
