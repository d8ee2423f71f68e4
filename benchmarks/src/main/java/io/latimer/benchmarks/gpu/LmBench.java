package io.latimer.benchmarks.gpu;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.GpuLanguageModel;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.LmText;
import io.latimer.operators.lm.LmTexts;
import io.latimer.operators.lm.Perplexity;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.ScoreWordsCpu;
import io.latimer.operators.lm.ScoreWordsGpu;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.ScoredTexts;
import io.latimer.operators.lm.model.LanguageModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The scoring operator end to end, in Java's heap: the CPU with one thread and with all, then with
 * all and a copy of the model in memory, then the GPU. Arguments: MODEL TEXT REPEAT RUNS, and
 * {@code cpu}, {@code gpu} or {@code text} for only that. Prints one JSON object per line; median,
 * minimum and maximum, after a warm-up.
 *
 * <ul>
 *   <li>{@code text}: raw text in, its lines concatenated in an array; ids, scores, lengths, totals
 *       and unknown words out, in columns. Also {@code perplexity_ms}, the time to compute the
 *       text's perplexities from them, and {@code views_ms}, the time to visit all words of all
 *       texts through their views, both on one thread
 *   <li>{@code totals}: raw text in; totals and unknown words of each text out
 *   <li>{@code lines}: the same as {@code text}, but each line is a separate array
 *   <li>{@code ids}: words looked up on all cores, then sentences of ids in, one object each, and
 *       the scores of each sentence out
 * </ul>
 */
public final class LmBench {
  private final LanguageModel model;
  private final byte[] text;
  private final List<byte[]> lines = new ArrayList<>();
  private final int runs;
  private final boolean textOnly;
  private double checked = Double.NaN;

  private LmBench(LanguageModel model, byte[] once, int repeat, int runs, boolean textOnly) {
    this.model = model;
    this.runs = runs;
    this.textOnly = textOnly;
    this.text = new byte[Math.multiplyExact(once.length, repeat)];
    for (int i = 0; i < repeat; i++) {
      System.arraycopy(once, 0, text, i * once.length, once.length);
    }
    int start = 0;
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '\n') {
        lines.add(Arrays.copyOfRange(text, start, i));
        start = i + 1;
      }
    }
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 4 && args.length != 5) {
      System.err.println("usage: LmBench MODEL.llm TEXT REPEAT RUNS [cpu|gpu|text]");
      System.exit(2);
    }
    try (IndexFile file = IndexFile.open(Path.of(args[0]));
        LanguageModel model = LanguageModel.open(file)) {
      LmBench bench =
          new LmBench(
              model,
              Files.readAllBytes(Path.of(args[1])),
              Integer.parseInt(args[2]),
              Integer.parseInt(args[3]),
              args.length == 5 && args[4].equals("text"));
      String only = args.length == 5 ? args[4] : "";
      int cores = only.equals("gpu") ? 0 : Runtime.getRuntime().availableProcessors();
      for (int threads :
          cores == 0 ? new int[0] : cores == 1 ? new int[] {1} : new int[] {1, cores}) {
        try (ScoreWords scorer = new ScoreWordsCpu(model, threads)) {
          bench.score("cpu, " + threads + " threads", scorer);
        }
      }
      if (cores > 1) {
        try (ScoreWords scorer = new ScoreWordsCpu(model.copied(), cores)) {
          bench.score("cpu, " + cores + " threads, copied", scorer);
        }
      }
      if (!only.equals("cpu") && Device.parse("auto").kind() == Device.Kind.GPU) {
        try (GpuLanguageModel resident = new GpuLanguageModel(model, Device.parse("gpu:0"));
            ScoreWords scorer = new ScoreWordsGpu(resident)) {
          bench.score("gpu:0", scorer);
        }
      }
    }
  }

  private void score(String device, ScoreWords scorer) {
    texts(device, "text", scorer, LmTexts.lines(text), ScoreOptions.SENTENCES);
    texts(device, "totals", scorer, LmTexts.lines(text), ScoreOptions.SENTENCES.totalsOnly());
    if (textOnly) {
      return;
    }
    texts(device, "lines", scorer, LmTexts.of(lines), ScoreOptions.SENTENCES);
    ids(device, scorer);
  }

  private void texts(
      String device, String from, ScoreWords scorer, LmTexts texts, ScoreOptions options) {
    double[] scoring = new double[runs];
    double[] summing = new double[runs];
    double[] viewing = new double[runs];
    Perplexity perplexity = new Perplexity();
    long began = System.nanoTime();
    for (int run = -Spread.WARM_UP; run < runs; run = Spread.next(run, began)) {
      long start = System.nanoTime();
      ScoredTexts scored = scorer.score(texts, options);
      long done = System.nanoTime();
      perplexity = scored.perplexity();
      long summed = System.nanoTime();
      if (options.words()) {
        check(scored);
      }
      long viewed = System.nanoTime();
      if (run >= 0) {
        scoring[run] = (done - start) / 1e6;
        summing[run] = (summed - done) / 1e6;
        viewing[run] = (viewed - summed) / 1e6;
      }
    }
    print(
        device,
        from,
        perplexity.tokens(),
        String.format(
            Locale.ROOT,
            "\"text_mb\": %.1f, %s, %s, \"perplexity_ms\": %.2f, \"views_ms\": %.2f,"
                + " \"perplexity\": %.9f",
            text.length / 1e6,
            Spread.of(scoring).json("ms", 2),
            Spread.of(scoring).rateOf(perplexity.tokens() / 1e3).json("mqps", 1),
            Spread.of(summing).median(),
            Spread.of(viewing).median(),
            perplexity.including()));
  }

  /** Visits all scores: every device and every input form must give the same. */
  private void check(ScoredTexts scored) {
    double sum = 0;
    for (int i = 0; i < scored.size(); i++) {
      Scored one = scored.get(i);
      for (int word = 0; word < one.tokens(); word++) {
        sum += (double) one.log10(word) * (one.id(word) % 101 + one.length(word));
      }
    }
    if (!Double.isNaN(checked) && sum != checked) {
      throw new IllegalStateException(
          "the scores add up to " + sum + ", but previously to " + checked);
    }
    checked = sum;
  }

  private void ids(String device, ScoreWords scorer) {
    double[] mapping = new double[runs];
    double[] scoring = new double[runs];
    long words = 0;
    long began = System.nanoTime();
    for (int run = -Spread.WARM_UP; run < runs; run = Spread.next(run, began)) {
      long start = System.nanoTime();
      LmSentence[] sentences = new LmSentence[lines.size()];
      Arrays.parallelSetAll(sentences, i -> sentence(lines.get(i)));
      long mapped = System.nanoTime();
      words =
          scorer.apply(Arrays.asList(sentences)).stream()
              .mapToLong(result -> result.orElseThrow().tokens())
              .sum();
      if (run >= 0) {
        mapping[run] = (mapped - start) / 1e6;
        scoring[run] = (System.nanoTime() - mapped) / 1e6;
      }
    }
    print(
        device,
        "ids",
        words,
        String.format(
            Locale.ROOT,
            "\"to_ids_ms\": %.2f, %s, %s",
            Spread.of(mapping).median(),
            Spread.of(scoring).json("ms", 2),
            Spread.of(scoring).rateOf(words / 1e3).json("mqps", 1)));
  }

  private LmSentence sentence(byte[] line) {
    return LmSentence.of(LmText.ids(model.vocabulary(), line, 0, line.length));
  }

  private void print(String device, String from, long words, String figures) {
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"lm\", \"level\": \"operator\", \"device\": \"%s\", \"layout\": \"%s\","
            + " \"from\": \"%s\", \"queries\": %d, %s, \"runs\": %d}%n",
        device,
        model.layout(),
        from,
        words,
        figures,
        runs);
  }
}
