package io.latimer.benchmarks;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.DecodePhrasesTimes;
import io.latimer.operators.smt.Derivation;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.SearchOptions;
import io.latimer.operators.text.bleu.Bleu;
import io.latimer.operators.util.PackedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * BLEU and speed of translation by phrases. Arguments: FOLDER SOURCE TARGET ALIGNMENT, a parallel
 * text to make indexes of in a folder (see {@link PhraseTranslator}); WEIGHTS, a file or {@code
 * default}; ALIGNMENTS, a list of {@code given} and {@code own}; SAMPLES and STACKS, lists of
 * numbers; then pairs of a test's source and reference. All files are tokenized, plain or gzip.
 *
 * <p>Prints one JSON object per line: first the alignment error rate between the alignments, if
 * both are wanted, then BLEU for each combination, with the words per second of time and of
 * processor time, and the seconds of each part. Nothing is warmed up: the first line of a run is
 * slower.
 */
public final class PhraseTranslationBench {
  /** Sentences that are translated together. */
  private static final int BATCH = 64;

  /** Extensions that are scored for each place of a stack, as in the usual settings. */
  private static final int CANDIDATES = 5;

  private final FeatureWeights weights;
  private final List<Test> tests = new ArrayList<>();

  /** Sentences and their references. */
  private record Test(String name, List<SentenceWords> sentences, List<String> references) {
    static Test of(Path source, Path reference) throws IOException {
      return new Test(
          source.getFileName().toString(), SentenceWords.of(lines(source)), lines(reference));
    }

    private static List<String> lines(Path file) throws IOException {
      try (InputStream in = PackedFile.open(file, 1 << 16)) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      }
    }

    long words() {
      return sentences.stream().mapToLong(SentenceWords::size).sum();
    }
  }

  private PhraseTranslationBench(FeatureWeights weights) {
    this.weights = weights;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length < 10 || args.length % 2 != 0) {
      System.err.println(
          "usage: PhraseTranslationBench FOLDER SOURCE TARGET ALIGNMENT WEIGHTS.yaml|default"
              + " given,own SAMPLES STACKS TEST-SOURCE TEST-TARGET ...");
      System.exit(2);
    }
    Path folder = Files.createDirectories(Path.of(args[0]));
    PhraseTranslator files =
        new PhraseTranslator(folder, Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
    PhraseTranslationBench bench =
        new PhraseTranslationBench(
            args[4].equals("default")
                ? FeatureWeights.DEFAULT
                : FeatureWeights.read(Path.of(args[4])));
    for (int i = 8; i < args.length; i += 2) {
      bench.tests.add(Test.of(Path.of(args[i]), Path.of(args[i + 1])));
    }
    List<String> alignments = list(args[5]);
    if (alignments.size() == 2) {
      double rate = AlignmentErrorRate.of(files.alignment(), files.ownAlignment());
      System.out.printf(Locale.ROOT, "{\"alignment_error_rate\": %.4f}%n", rate);
    }
    for (String alignment : alignments) {
      Path index = alignment.equals("own") ? files.own() : files.given();
      for (String samples : list(args[6])) {
        for (String stack : list(args[7])) {
          bench.run(
              alignment,
              index,
              files.languageModel(),
              Integer.parseInt(samples),
              Integer.parseInt(stack));
        }
      }
    }
  }

  private static List<String> list(String text) {
    return List.of(text.split(",", -1));
  }

  private void run(String alignment, Path index, Path model, int samples, int stack) {
    PhraseOptions lookup = PhraseOptions.DEFAULT;
    lookup = new PhraseOptions(samples, lookup.maxSource(), lookup.maxTarget(), lookup.loose());
    SearchOptions search = SearchOptions.DEFAULT;
    search =
        new SearchOptions(stack, CANDIDATES * stack, search.translations(), search.distortion(), 1);
    try (DecodePhrases decoder =
        new DecodePhrases(
            Phrases.opener(lookup).open(index, Device.CPU),
            Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU),
            weights,
            search)) {
      for (Test test : tests) {
        DecodePhrasesTimes before = decoder.times();
        Duration cpu = cpu();
        long start = System.nanoTime();
        List<String> translations = translate(decoder, test.sentences);
        double seconds = (System.nanoTime() - start) / 1e9;
        double cpuSeconds = cpu().minus(cpu).toNanos() / 1e9;
        DecodePhrasesTimes after = decoder.times();
        System.out.printf(
            Locale.ROOT,
            "{\"test\": \"%s\", \"alignment\": \"%s\", \"samples\": %d, \"stack\": %d, \"bleu\":"
                + " %.2f, \"words_per_s\": %.0f, \"words_per_cpu_s\": %.0f, \"extraction_s\": %.2f, \"choices_s\": %.2f,"
                + " \"lm_s\": %.2f, \"search_s\": %.2f}%n",
            test.name,
            alignment,
            samples,
            stack,
            Bleu.of(translations, test.references),
            test.words() / seconds,
            test.words() / cpuSeconds,
            (after.extraction() - before.extraction()) / 1e9,
            (after.choices() - before.choices()) / 1e9,
            (after.languageModel() - before.languageModel()) / 1e9,
            (after.search() - before.search()) / 1e9);
      }
    }
  }

  /** What all threads of this process have used. */
  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static List<String> translate(DecodePhrases decoder, List<SentenceWords> sentences) {
    List<String> translations = new ArrayList<>();
    for (int from = 0; from < sentences.size(); from += BATCH) {
      List<SentenceWords> batch = sentences.subList(from, Math.min(sentences.size(), from + BATCH));
      List<Result<List<Derivation>>> results = decoder.apply(batch);
      for (int i = 0; i < batch.size(); i++) {
        Derivation best = results.get(i).orElseThrow().get(0);
        translations.add(String.join(" ", decoder.words(batch.get(i), best)));
      }
    }
    return translations;
  }
}
