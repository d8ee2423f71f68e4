package io.latimer.benchmarks.gpu;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.LanguageModel;
import io.latimer.operators.lm.LmOnGpu;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.LmText;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.ScoreWordsCpu;
import io.latimer.operators.lm.ScoreWordsGpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The scoring operator from end to end: lines of raw text in Java's heap, words mapped to ids on
 * all cores, scores of every word back in Java. Arguments: MODEL TEXT REPEAT RUNS. One JSON object
 * a line: the CPU with one thread and with all, then the GPU; medians, after two runs of warm-up.
 */
public final class LmBench {
  private static final int WARM_UP = 2;

  private final LanguageModel model;
  private final byte[] text;
  private final int[] lines; // where each begins, and where the last ends
  private final int repeat;
  private final int runs;

  private LmBench(LanguageModel model, byte[] text, int repeat, int runs) {
    this.model = model;
    this.text = text;
    this.repeat = repeat;
    this.runs = runs;
    List<Integer> starts = new ArrayList<>();
    starts.add(0);
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '\n') {
        starts.add(i + 1);
      }
    }
    this.lines = starts.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 4) {
      System.err.println("usage: LmBench MODEL.llm TEXT REPEAT RUNS");
      System.exit(2);
    }
    try (IndexFile file = IndexFile.open(Path.of(args[0]));
        LanguageModel model = LanguageModel.open(file)) {
      LmBench bench =
          new LmBench(
              model,
              Files.readAllBytes(Path.of(args[1])),
              Integer.parseInt(args[2]),
              Integer.parseInt(args[3]));
      int cores = Runtime.getRuntime().availableProcessors();
      for (int threads : cores == 1 ? new int[] {1} : new int[] {1, cores}) {
        try (ScoreWords scorer = new ScoreWordsCpu(model, threads)) {
          bench.score("cpu, " + threads + " threads", scorer);
        }
      }
      try (LmOnGpu resident = new LmOnGpu(model, Device.parse("gpu:0"));
          ScoreWords scorer = new ScoreWordsGpu(resident)) {
        bench.score("gpu:0", scorer);
      }
    }
  }

  private void score(String device, ScoreWords scorer) {
    double[] mapping = new double[runs];
    double[] scoring = new double[runs];
    long words = 0;
    for (int run = -WARM_UP; run < runs; run++) {
      long start = System.nanoTime();
      LmSentence[] sentences = new LmSentence[(lines.length - 1) * repeat];
      Arrays.parallelSetAll(sentences, i -> sentence(i % (lines.length - 1)));
      long mapped = System.nanoTime();
      words =
          scorer.apply(Arrays.asList(sentences)).stream()
              .mapToLong(result -> result.orElseThrow().log10().length)
              .sum();
      if (run >= 0) {
        mapping[run] = (mapped - start) / 1e6;
        scoring[run] = (System.nanoTime() - mapped) / 1e6;
      }
    }
    double map = Median.of(mapping);
    double score = Median.of(scoring);
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"lm\", \"level\": \"operator\", \"device\": \"%s\", \"layout\": \"%s\","
            + " \"queries\": %d, \"to_ids_ms\": %.2f, \"score_ms\": %.2f, \"score_mqps\": %.1f,"
            + " \"text_mqps\": %.1f, \"runs\": %d}%n",
        device,
        model.layout(),
        words,
        map,
        score,
        words / score / 1e3,
        words / (map + score) / 1e3,
        runs);
  }

  private LmSentence sentence(int line) {
    return LmSentence.of(LmText.ids(model.vocabulary(), text, lines[line], lines[line + 1] - 1));
  }
}
