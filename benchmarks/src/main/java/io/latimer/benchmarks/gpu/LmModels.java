package io.latimer.benchmarks.gpu;

import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.util.BuildProgress;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Makes the models that the scoring bench compares, from one text: unpruned, by order, by size and
 * by layout. Arguments: TEXT FOLDER. Prints one line per model on stdout: its file, and the series
 * of plots that it belongs to; on stderr the time of each estimation and import. An optional third
 * argument, a series, omits the models of other series.
 */
public final class LmModels {
  private static final int ORDER = 5;
  private static final int PART = 4; // fraction of the text for the series that need many models

  private LmModels() {}

  /**
   * A model.
   *
   * @param share denominator of the fraction of the text that it is made from
   * @param keys per node; 0 for the hash layout
   */
  private record Spec(int order, int share, int keys, String series) {
    boolean in(String one) {
      return Arrays.asList(series.split(",", -1)).contains(one);
    }

    String name() {
      return "order" + order + "-1in" + share + (keys == 0 ? "-hash" : "-btree" + keys) + ".llm";
    }
  }

  /** Makes the models. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2 && args.length != 3) {
      System.err.println("usage: LmModels TEXT FOLDER [SERIES]");
      System.exit(2);
    }
    byte[] text = Files.readAllBytes(Path.of(args[0]));
    Path folder = Files.createDirectories(Path.of(args[1]));
    List<Spec> specs =
        Stream.of(
                new Spec(ORDER, 1, 0, "main,batch,size,peers"),
                new Spec(ORDER, 1, 31, "main,batch,size"),
                new Spec(ORDER, PART, 0, "size,order"),
                new Spec(ORDER, PART, 31, "keys,size,order"),
                new Spec(ORDER, PART, 3, "keys"),
                new Spec(ORDER, PART, 7, "keys"),
                new Spec(ORDER, PART, 15, "keys"),
                new Spec(ORDER, PART, 47, "keys"),
                new Spec(ORDER, PART, 63, "keys"),
                new Spec(ORDER, 64, 0, "size"),
                new Spec(ORDER, 64, 31, "size"),
                new Spec(ORDER, 16, 0, "size"),
                new Spec(ORDER, 16, 31, "size"),
                new Spec(2, PART, 0, "order"),
                new Spec(2, PART, 31, "order"),
                new Spec(3, PART, 0, "order"),
                new Spec(3, PART, 31, "order"),
                new Spec(4, PART, 0, "order"),
                new Spec(4, PART, 31, "order"))
            .filter(spec -> args.length == 2 || spec.in(args[2]))
            .toList();
    for (Spec spec : specs) {
      Path arpa = arpa(folder, spec);
      if (!Files.exists(arpa)) {
        estimate(text, spec, arpa);
      }
    }
    specs.parallelStream().forEach(spec -> convert(folder, spec));
    for (Spec spec : specs) {
      System.out.println(folder.resolve(spec.name()) + " " + spec.series());
    }
  }

  private static Path arpa(Path folder, Spec spec) {
    return folder.resolve("order" + spec.order() + "-1in" + spec.share() + ".arpa");
  }

  private static void estimate(byte[] text, Spec spec, Path arpa) throws IOException {
    int length = text.length / spec.share();
    while (text[length - 1] != '\n') {
      length--;
    }
    byte[] part = Arrays.copyOf(text, length);
    long start = System.nanoTime();
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(arpa), 1 << 20)) {
      EstimateLm.estimate(
          new ByteArrayInputStream(part),
          out,
          EstimateOptions.of(spec.order()),
          BuildProgress.NONE);
    }
    say("estimate", arpa, start);
  }

  private static void convert(Path folder, Spec spec) {
    long start = System.nanoTime();
    LmImportRequest request =
        LmImportRequest.of(arpa(folder, spec), folder.resolve(spec.name()))
            .with(spec.keys() == 0 ? LmLayout.HASH : LmLayout.BTREE);
    LmImporter.importArpa(
        spec.keys() == 0 ? request : request.withKeys(spec.keys()), (section, read, total) -> {});
    say("import", folder.resolve(spec.name()), start);
  }

  private static void say(String what, Path file, long start) {
    try {
      System.err.printf(
          Locale.ROOT,
          "%s %s: %.2f s, %d MB%n",
          what,
          file.getFileName(),
          (System.nanoTime() - start) / 1e9,
          Files.size(file) / 1_000_000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
