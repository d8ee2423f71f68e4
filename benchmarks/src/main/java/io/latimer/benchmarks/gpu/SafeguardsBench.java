package io.latimer.benchmarks.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What text with spans that stay costs: whole translations of the same lines without and with
 * placeholders, tags, numbers and links. Arguments: MODEL.lmx TEXT DEVICE RUNS. Prints one JSON
 * object per kind of text: lines and source words per second, the median of the runs after
 * warm-ups, and the share of the speed of the text without.
 */
public final class SafeguardsBench {
  private static final int BATCH = 1024;
  private static final int LINES = 1 << 15;
  private static final int WARM_UPS = 2;

  /** What is put around the words of a line; %s is the line without its last word, and that. */
  private enum Kind {
    NONE("%s %s"),
    PLACEHOLDER("{name}: %s %s"),
    TAG("%s <b>%s</b>"),
    NUMBER("%s 12.5 %s"),
    LINK("%s %s https://example.com/a?b=1"),
    ALL("{name}: %s 12.5 <b>%s</b> https://example.com/a?b=1");

    private final String form;

    Kind(String form) {
      this.form = form;
    }

    String of(String line) {
      int space = line.lastIndexOf(' ');
      return space < 0
          ? line
          : String.format(Locale.ROOT, form, line.substring(0, space), line.substring(space + 1));
    }
  }

  private SafeguardsBench() {}

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 4) {
      System.err.println("usage: SafeguardsBench MODEL.lmx TEXT DEVICE RUNS");
      System.exit(2);
    }
    List<String> text = lines(Path.of(args[1]));
    int runs = Integer.parseInt(args[3]);
    double plain = 0;
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(Path.of(args[0]), Device.parse(args[2]))) {
      for (Kind kind : Kind.values()) {
        List<String> lines = text.stream().map(kind::of).toList();
        double rate = median(translate, lines, runs);
        plain = kind == Kind.NONE ? rate : plain;
        long words = lines.stream().mapToLong(line -> line.split("\\s+").length).sum();
        System.out.printf(
            Locale.ROOT,
            "{\"text\": \"%s\", \"lines_per_s\": %.0f, \"words_per_s\": %.0f, \"share\": %.3f}%n",
            kind.name().toLowerCase(Locale.ROOT),
            rate,
            rate * words / lines.size(),
            rate / plain);
      }
    }
  }

  private static List<String> lines(Path file) throws IOException {
    List<String> text =
        Files.readAllLines(file).stream().filter(line -> line.strip().contains(" ")).toList();
    List<String> lines = new ArrayList<>(LINES);
    for (int i = 0; i < LINES; i++) {
      lines.add(text.get(i % text.size()));
    }
    return lines;
  }

  private static double median(Translate translate, List<String> lines, int runs)
      throws InterruptedException, ExecutionException {
    double[] rates = new double[runs];
    for (int run = -WARM_UPS; run < runs; run++) {
      long start = System.nanoTime();
      all(translate, lines);
      rates[Math.max(0, run)] = lines.size() / ((System.nanoTime() - start) / 1e9);
    }
    Arrays.sort(rates);
    return rates[runs / 2];
  }

  private static void all(Translate translate, List<String> lines)
      throws InterruptedException, ExecutionException {
    ExecutorService callers = Executors.newFixedThreadPool(translate.inFlight());
    try {
      List<Future<List<Result<Translated>>>> calls = new ArrayList<>();
      for (int from = 0; from < lines.size(); from += BATCH) {
        List<String> batch = lines.subList(from, Math.min(lines.size(), from + BATCH));
        calls.add(callers.submit(() -> translate.apply(batch)));
      }
      for (Future<List<Result<Translated>>> call : calls) {
        call.get();
      }
    } finally {
      callers.shutdown();
    }
  }
}
