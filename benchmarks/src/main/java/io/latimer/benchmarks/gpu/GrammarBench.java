package io.latimer.benchmarks.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.ngram.WordIds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The grammar operator end to end, in Java's heap: text in, verdicts out. Arguments: GRAMMAR TEXT
 * LENGTHS SENTENCES RUNS, where LENGTHS is a list such as {@code 25,50,0}: the words of a sentence,
 * for which the text's words are cut anew, or 0 for the sentences as they are; then {@code cpu} or
 * {@code gpu} for only that. The text is repeated up to the number of sentences in a batch. Prints
 * one JSON object per line; median, minimum and maximum, after a warm-up.
 *
 * <p>{@code thread_ms} is the CPU time of the calling thread per sentence: with
 * -Dlatimer.cpu.threads=1 that of all work, whatever else the machine does.
 */
public final class GrammarBench {
  private final Path grammar;
  private final List<String> text;
  private final int sentences;
  private final int runs;

  private GrammarBench(Path grammar, List<String> text, int sentences, int runs) {
    this.grammar = grammar;
    this.text = text;
    this.sentences = sentences;
    this.runs = runs;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 5 && args.length != 6) {
      System.err.println("usage: GrammarBench GRAMMAR.lgx TEXT LENGTHS SENTENCES RUNS [cpu|gpu]");
      System.exit(2);
    }
    GrammarBench bench =
        new GrammarBench(
            Path.of(args[0]),
            Files.readAllLines(Path.of(args[1])),
            Integer.parseInt(args[3]),
            Integer.parseInt(args[4]));
    String only = args.length == 6 ? args[5] : "";
    for (String length : args[2].split(",", -1)) {
      if (!only.equals("gpu")) {
        bench.measure(Device.CPU, Integer.parseInt(length));
      }
      if (!only.equals("cpu") && Device.parse("auto").kind() == Device.Kind.GPU) {
        bench.measure(Device.gpu(0), Integer.parseInt(length));
      }
    }
  }

  private List<String> batch(int length) {
    List<String> words =
        length == 0 ? text : text.stream().flatMap(line -> WordIds.split(line).stream()).toList();
    List<String> batch = new ArrayList<>(sentences);
    for (int i = 0; i < sentences; i++) {
      if (length == 0) {
        batch.add(words.get(i % words.size()));
      } else {
        List<String> sentence = new ArrayList<>(length);
        for (int w = 0; w < length; w++) {
          sentence.add(words.get((int) (((long) i * length + w) % words.size())));
        }
        batch.add(String.join(" ", sentence));
      }
    }
    return batch;
  }

  private void measure(Device device, int length) {
    List<String> batch = batch(length);
    double[] wall = new double[runs];
    double[] thread = new double[runs];
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    long derivable = 0;
    try (CheckGrammar check = CheckGrammar.opener(GrammarOptions.DEFAULT).open(grammar, device)) {
      long began = System.nanoTime();
      for (int run = -Spread.WARM_UP; run < runs; run = Spread.next(run, began)) {
        long start = System.nanoTime();
        long cpuStart = clock.getCurrentThreadCpuTime();
        List<Result<GrammarVerdict>> verdicts = check.apply(batch);
        long cpu = clock.getCurrentThreadCpuTime() - cpuStart;
        long time = System.nanoTime() - start;
        if (run >= 0) {
          wall[run] = time / 1e6 / sentences;
          thread[run] = cpu / 1e6 / sentences;
        }
        derivable = verdicts.stream().filter(verdict -> verdict.orElseThrow().derivable()).count();
      }
    }
    Spread ms = Spread.of(wall);
    double[] words = batch.stream().mapToDouble(line -> WordIds.split(line).size()).toArray();
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"grammar\", \"level\": \"operator\", \"device\": \"%s\", \"grammar\": \"%s\","
            + " \"length\": %d, \"sentences\": %d, \"words\": %.0f, \"derivable\": %d, %s, %s, %s,"
            + " \"runs\": %d}%n",
        device,
        grammar.getFileName(),
        length,
        sentences,
        Arrays.stream(words).sum(),
        derivable,
        ms.json("ms", 4),
        ms.rateOf(1e3).json("sentences_per_s", 0),
        Spread.of(thread).json("thread_ms", 4),
        runs);
  }
}
