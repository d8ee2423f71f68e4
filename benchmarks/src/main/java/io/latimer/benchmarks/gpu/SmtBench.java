package io.latimer.benchmarks.gpu;

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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Translation by phrases, from tokenized sentences to words, with its parts as in Table 4 of He,
 * Lin and Lopez 2013. Arguments: INDEX LM TEXT REFERENCE WEIGHTS DEVICES SAMPLES STACKS BATCH RUNS.
 * WEIGHTS is a file, or {@code default}; DEVICES is a list of devices of phrases and language
 * model, such as {@code cpu/cpu,gpu/cpu,gpu/gpu/cpu,gpu/gpu}, where a third one, {@code cpu}, says
 * that the search works on the cores although the language model is on a GPU; SAMPLES such as
 * {@code 300,0}; STACKS a list of sizes, each with the number of candidates and of translations,
 * such as {@code 100/500/20}; BATCH is the largest number of sentences in a batch. Prints one JSON
 * object per line: median, minimum and maximum of the whole text, after a warm-up; the parts are
 * means.
 */
public final class SmtBench {
  private static final int WARM_UP = 2;
  private static final long DEVICE_BYTES = 32L << 30;

  private final Path index;
  private final Path model;
  private final List<List<SentenceWords>> batches = new ArrayList<>();
  private final List<String> references;
  private final FeatureWeights weights;
  private final int runs;
  private final int words;

  private SmtBench(String[] args) throws IOException {
    index = Path.of(args[0]);
    model = Path.of(args[1]);
    List<SentenceWords> text = SentenceWords.of(Files.readAllLines(Path.of(args[2])));
    references = Files.readAllLines(Path.of(args[3]));
    weights =
        args[4].equals("default") ? FeatureWeights.DEFAULT : FeatureWeights.read(Path.of(args[4]));
    int batch = Integer.parseInt(args[8]);
    for (int from = 0; from < text.size(); from += batch) {
      batches.add(text.subList(from, Math.min(text.size(), from + batch)));
    }
    words = text.stream().mapToInt(SentenceWords::size).sum();
    runs = Integer.parseInt(args[9]);
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 10) {
      System.err.println(
          "usage: SmtBench INDEX.lpx LM.llm TEXT REFERENCE WEIGHTS|default DEVICES SAMPLES STACKS"
              + " BATCH RUNS");
      System.exit(2);
    }
    SmtBench bench = new SmtBench(args);
    for (String devices : args[5].split(",", -1)) {
      String[] parts = devices.split("/", -1);
      boolean onCores = parts.length == 3 && Device.parse(parts[2]).equals(Device.CPU);
      for (int samples : numbers(args[6], ",")) {
        for (String stack : args[7].split(",", -1)) {
          int[] sizes = numbers(stack, "/");
          bench.measure(
              Device.parse(parts[0]),
              Device.parse(parts[1]),
              onCores,
              samples,
              new SearchOptions(
                  sizes[0], sizes[1], sizes[2], SearchOptions.DEFAULT.distortion(), 1));
        }
      }
    }
  }

  private static int[] numbers(String list, String separator) {
    return Arrays.stream(list.split(separator, -1)).mapToInt(Integer::parseInt).toArray();
  }

  private void measure(
      Device phrases, Device lm, boolean onCores, int samples, SearchOptions search) {
    PhraseOptions lookup =
        new PhraseOptions(
            samples, PhraseOptions.DEFAULT.maxSource(), PhraseOptions.DEFAULT.maxTarget(), false);
    double[] ms = new double[runs];
    List<String> translations = List.of();
    try (DecodePhrases decoder = decoder(phrases, lm, onCores, lookup, search)) {
      DecodePhrasesTimes before = decoder.times();
      for (int run = -WARM_UP; run < runs; run++) {
        before = run == 0 ? decoder.times() : before;
        long start = System.nanoTime();
        translations = translate(decoder);
        if (run >= 0) {
          ms[run] = (System.nanoTime() - start) / 1e6;
        }
      }
      print(
          phrases + "/" + lm + (onCores ? "/cpu" : ""),
          samples,
          search,
          Spread.of(ms),
          before,
          decoder.times(),
          translations);
    }
  }

  private DecodePhrases decoder(
      Device phrases, Device lm, boolean onCores, PhraseOptions lookup, SearchOptions search) {
    Phrases extract = Phrases.opener(lookup, DEVICE_BYTES, false).open(index, phrases);
    Score score = Score.opener(ScoreOptions.SENTENCES).open(model, lm);
    return onCores
        ? DecodePhrases.onCores(extract, score, weights, search)
        : new DecodePhrases(extract, score, weights, search);
  }

  private List<String> translate(DecodePhrases decoder) {
    List<String> translations = new ArrayList<>();
    for (List<SentenceWords> batch : batches) {
      List<Result<List<Derivation>>> best = decoder.apply(batch);
      for (int i = 0; i < batch.size(); i++) {
        translations.add(
            String.join(" ", decoder.words(batch.get(i), best.get(i).orElseThrow().get(0))));
      }
    }
    return translations;
  }

  private void print(
      String devices,
      int samples,
      SearchOptions search,
      Spread ms,
      DecodePhrasesTimes before,
      DecodePhrasesTimes after,
      List<String> translations) {
    double each = 1e6 * runs;
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"smt\", \"level\": \"operator\", \"device\": \"%s\", \"samples\": %d,"
            + " \"stack\": %d, \"candidates\": %d, \"translations\": %d, \"sentences\": %d,"
            + " \"words\": %d, \"batch\": %d, %s, %s, \"extraction_ms\": %.1f, \"choices_ms\": %.1f,"
            + " \"lm_ms\": %.1f, \"search_ms\": %.1f, \"bleu\": %.2f, \"runs\": %d}%n",
        devices,
        samples,
        search.stack(),
        search.candidates(),
        search.translations(),
        references.size(),
        words,
        batches.get(0).size(),
        ms.json("ms", 1),
        ms.rateOf(words * 1e3).json("words_per_s", 0),
        (after.extraction() - before.extraction()) / each,
        (after.choices() - before.choices()) / each,
        (after.languageModel() - before.languageModel()) / each,
        (after.search() - before.search()) / each,
        Bleu.of(translations, references),
        runs);
  }
}
