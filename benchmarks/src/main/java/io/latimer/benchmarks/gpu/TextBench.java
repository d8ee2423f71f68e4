package io.latimer.benchmarks.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.nmt.DecodeSentences;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.TranslationMemory;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The host's cost of text around a decoder that is just a table: text to ids ({@code prepare}), ids
 * to text ({@code restore}), and all of {@link Translate} by batch size and calls in flight ({@code
 * translate}), by number of threads. Arguments: MODEL.lmx TEXT RUNS THREADS, with THREADS separated
 * by commas. The CPU decoder makes the table first. Prints one JSON object per line: source words
 * (separated by spaces) per second, the median of the runs after warm-ups; for the separate steps
 * also the thread time in microseconds per word.
 */
public final class TextBench {
  private static final int[] BATCHES = {256, 1024, 4096};

  /** Lines per run; the text is repeated. */
  private static final int LINES = 1 << 16;

  /** Lines per thread and step. */
  private static final int SHARE = 32;

  private static final int WARM_UPS = 3;

  private static final TranslateOptions OPTIONS =
      TranslateOptions.of(DecodeOptions.greedy().withScores(false));

  private final int runs;
  private final List<String> text;
  private final TextPipeline pipeline;
  private final Remembered remembered;
  private final long words;

  /** A decoder that replays another decoder's results. Thread-safe. */
  private record Remembered(Map<IntBuffer, Result<Decoded>> table) implements Decode {
    static Remembered of(Decode decode, List<int[]> sources) {
      List<Result<Decoded>> results = decode.decode(sources);
      Map<IntBuffer, Result<Decoded>> table = new HashMap<>();
      for (int i = 0; i < sources.size(); i++) {
        table.put(IntBuffer.wrap(sources.get(i)), results.get(i));
      }
      return new Remembered(table);
    }

    Hypothesis best(int[] ids) {
      return table.get(IntBuffer.wrap(ids)).orElseThrow().best();
    }

    @Override
    public List<Result<Decoded>> apply(List<DecodeInput> batch) {
      List<Result<Decoded>> results = new ArrayList<>(batch.size());
      for (DecodeInput input : batch) {
        results.add(table.get(IntBuffer.wrap(input.ids())));
      }
      return results;
    }

    @Override
    public int inFlight() {
      return 2;
    }

    @Override
    public void close() {
      // It holds no resources.
    }
  }

  private TextBench(TranslationModel model, List<String> text, int runs) {
    this.runs = runs;
    this.text = text;
    this.pipeline = model.pipeline();
    List<int[]> ids = new ArrayList<>();
    for (String line : text) {
      for (SourceSentence sentence : pipeline.prepare(line)) {
        if (!sentence.isEmpty()) {
          ids.add(sentence.ids());
        }
      }
    }
    DecodeOptions options = OPTIONS.decoding(pipeline, false);
    try (DecodeCpu decode = new DecodeCpu(model.network(), options)) {
      this.remembered = Remembered.of(decode, ids);
    }
    long count = 0;
    for (int i = 0; i < LINES; i++) {
      count += text.get(i % text.size()).trim().split("\\s+").length;
    }
    this.words = count;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 4) {
      System.err.println("usage: TextBench MODEL.lmx TEXT RUNS THREADS");
      System.exit(2);
    }
    List<String> text =
        Files.readAllLines(Path.of(args[1])).stream().filter(line -> !line.isBlank()).toList();
    try (IndexFile index = IndexFile.open(Path.of(args[0]));
        TranslationModel model = TranslationModel.open(index)) {
      TextBench bench = new TextBench(model, text, Integer.parseInt(args[2]));
      for (String threads : args[3].split(",", -1)) {
        bench.run(Integer.parseInt(threads));
      }
    }
  }

  private void run(int threads) {
    step("prepare", threads, line -> pipeline.prepare(text.get(line)));
    List<List<SourceSentence>> prepared = new ArrayList<>();
    text.forEach(line -> prepared.add(pipeline.prepare(line)));
    step("restore", threads, line -> restore(prepared.get(line)));
    System.setProperty(Team.THREADS, String.valueOf(threads));
    try (Translate translate =
        new Translate(
            pipeline,
            new DecodeSentences(remembered, false),
            OPTIONS.parts(),
            OPTIONS.splitSentences(),
            OPTIONS.guidance(),
            new Translate.Model("bench", "", "und", "und"),
            TranslationMemory.NONE,
            OPTIONS.safeguards(),
            Terminology.NONE,
            Lease.unshared(() -> {}))) {
      for (int batch : BATCHES) {
        for (int inFlight = 1; inFlight <= translate.inFlight(); inFlight++) {
          translate(translate, batch, inFlight, threads);
        }
      }
    }
  }

  private void step(String level, int threads, IntConsumer line) {
    Spread seconds =
        seconds(
            threads,
            LINES / SHARE,
            share -> {
              for (int i = share * SHARE; i < (share + 1) * SHARE; i++) {
                line.accept(i % text.size());
              }
            });
    print(
        "\"level\": \"%s\", \"threads\": %d, \"us_per_word\": %.3f, %s",
        level,
        threads,
        1e6 * seconds.median() * threads / words,
        seconds.rateOf((double) words).json("words_per_s", 0));
  }

  private void translate(Translate translate, int batch, int inFlight, int threads) {
    List<List<String>> batches = new ArrayList<>();
    for (int first = 0; first < LINES; first += batch) {
      List<String> lines = new ArrayList<>();
      for (int i = first; i < first + batch; i++) {
        lines.add(text.get(i % text.size()));
      }
      batches.add(lines);
    }
    Spread seconds =
        seconds(
            inFlight,
            batches.size(),
            b -> translate.apply(batches.get(b)).forEach(Result::orElseThrow));
    print(
        "\"level\": \"translate\", \"threads\": %d, \"batch\": %d, \"in_flight\": %d, %s",
        threads, batch, inFlight, seconds.rateOf((double) words).json("words_per_s", 0));
  }

  private void restore(List<SourceSentence> sentences) {
    List<String> texts = new ArrayList<>(sentences.size());
    for (SourceSentence sentence : sentences) {
      if (sentence.isEmpty()) {
        texts.add(pipeline.restore(sentence, new int[0], null));
      } else {
        Hypothesis best = remembered.best(sentence.ids());
        texts.add(pipeline.restore(sentence, best.ids(), best.attention()));
      }
    }
    pipeline.rejoin(sentences, texts);
  }

  private void print(String format, Object... values) {
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"text\", %s, \"runs\": %d}%n",
        String.format(Locale.ROOT, format, values),
        runs);
  }

  /** Runs a task for each number below a limit; returns the elapsed seconds. */
  private Spread seconds(int callers, int parts, IntConsumer work) {
    double[] seconds = new double[runs];
    for (int run = -WARM_UPS; run < runs; run++) {
      double took = InFlight.seconds(callers, parts, work);
      if (run >= 0) {
        seconds[run] = took;
      }
    }
    return Spread.of(seconds);
  }
}
