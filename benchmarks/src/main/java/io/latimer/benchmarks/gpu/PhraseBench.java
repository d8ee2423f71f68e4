package io.latimer.benchmarks.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.SourcePhrase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The phrase operator end to end, in Java's heap: text in, phrase tables out. Arguments: INDEX TEXT
 * SENTENCES SAMPLES RUNS, where the two in the middle are lists such as {@code 2000,16000} and
 * {@code 300,0}; then {@code cpu} or {@code gpu} for only that. The text's lines are repeated up to
 * the number of sentences. Prints one JSON object per line; median, minimum and maximum, after a
 * warm-up.
 *
 * <p>{@code distinct} says whether a phrase of several sentences is extracted once. {@code
 * views_ms} is the time to visit all translations through their views, on one thread. A batch of
 * one sentence is measured with the text's first {@value #SINGLES}, one after the other; {@code ms}
 * is then the time of one.
 */
public final class PhraseBench {
  private static final long DEVICE_BYTES = 64L << 30;

  private static final int SINGLES = 200;

  private final Path index;
  private final List<String> text;
  private final int runs;

  private PhraseBench(Path index, List<String> text, int runs) {
    this.index = index;
    this.text = text;
    this.runs = runs;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 5 && args.length != 6) {
      System.err.println("usage: PhraseBench INDEX.lpx TEXT SENTENCES SAMPLES RUNS [cpu|gpu]");
      System.exit(2);
    }
    PhraseBench bench =
        new PhraseBench(
            Path.of(args[0]), Files.readAllLines(Path.of(args[1])), Integer.parseInt(args[4]));
    String only = args.length == 6 ? args[5] : "";
    for (int samples : numbers(args[3])) {
      for (int sentences : numbers(args[2])) {
        if (!only.equals("gpu")) {
          bench.measure(Device.CPU, sentences, samples, true);
        }
        if (!only.equals("cpu") && Device.parse("auto").kind() == Device.Kind.GPU) {
          bench.measure(Device.gpu(0), sentences, samples, true);
          bench.measure(Device.gpu(0), sentences, samples, false);
        }
      }
    }
  }

  private static int[] numbers(String list) {
    return Arrays.stream(list.split(",", -1)).mapToInt(Integer::parseInt).toArray();
  }

  /** The text's lines, repeated, in batches. */
  private List<List<String>> batches(int sentences) {
    if (sentences == 1) {
      return text.stream().limit(SINGLES).map(List::of).toList();
    }
    List<String> batch = new ArrayList<>();
    for (int i = 0; i < sentences; i++) {
      batch.add(text.get(i % text.size()));
    }
    return List.of(batch);
  }

  private void measure(Device device, int sentences, int samples, boolean distinct) {
    PhraseOptions options =
        new PhraseOptions(
            samples, PhraseOptions.DEFAULT.maxSource(), PhraseOptions.DEFAULT.maxTarget(), false);
    List<List<String>> batches = batches(sentences);
    long words =
        batches.stream()
            .flatMap(List::stream)
            .mapToLong(sentence -> WordIds.split(sentence).size())
            .sum();
    double[] extracting = new double[runs];
    double[] viewing = new double[runs];
    long pairs = 0;
    try (Phrases phrases = Phrases.opener(options, DEVICE_BYTES, !distinct).open(index, device)) {
      long began = System.nanoTime();
      for (int run = -Spread.WARM_UP; run < runs; run = Spread.next(run, began)) {
        long viewed = 0;
        long start = System.nanoTime();
        pairs = 0;
        for (List<String> batch : batches) {
          List<Result<PhraseTable>> tables = phrases.apply(batch);
          long done = System.nanoTime();
          pairs += view(tables);
          viewed += System.nanoTime() - done;
        }
        if (run >= 0) {
          extracting[run] = (System.nanoTime() - start - viewed) / 1e6 / batches.size();
          viewing[run] = viewed / 1e6 / batches.size();
        }
      }
    }
    Spread ms = Spread.of(extracting);
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"phrases\", \"level\": \"operator\", \"device\": \"%s\", \"sentences\": %d,"
            + " \"words\": %d, \"samples\": %d, \"distinct\": %s, \"pairs\": %d, %s, %s,"
            + " \"views_ms\": %.3f, \"runs\": %d}%n",
        device,
        sentences,
        words,
        samples,
        distinct,
        pairs,
        ms.json("ms", 3),
        ms.rateOf(words * 1e3 / batches.size()).json("words_per_s", 0),
        Spread.of(viewing).median(),
        runs);
  }

  /** Visits all translations; returns their number. */
  private static long view(List<Result<PhraseTable>> tables) {
    long pairs = 0;
    for (Result<PhraseTable> table : tables) {
      for (SourcePhrase phrase : table.orElseThrow().phrases()) {
        pairs += phrase.pairs().size();
      }
    }
    return pairs;
  }
}
