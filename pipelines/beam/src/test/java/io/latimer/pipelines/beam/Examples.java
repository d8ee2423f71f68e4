package io.latimer.pipelines.beam;

import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.DecodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The example files of the repository. */
final class Examples {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  static final Path MODEL = ROOT.resolve("examples/models/tatoeba-en-de.lmx");
  private static final Path FEED = ROOT.resolve("examples/feeds/everyday.en.txt");

  private Examples() {}

  /** The first lines of the example feed. */
  static List<String> feed(int lines) throws IOException {
    return Files.readAllLines(FEED).subList(0, lines);
  }

  /** The parts of an output, whose names begin with a prefix. */
  static List<Path> parts(Path prefix) throws IOException {
    String name = prefix.getFileName().toString();
    try (Stream<Path> files = Files.list(prefix.getParent())) {
      return files.filter(one -> one.getFileName().toString().startsWith(name)).sorted().toList();
    }
  }

  /** The lines of all of them. */
  static List<String> lines(Path prefix) throws IOException {
    List<String> all = new ArrayList<>();
    for (Path part : parts(prefix)) {
      all.addAll(Files.readAllLines(part));
    }
    return all;
  }

  /** What the operator makes of texts, without any pipeline. */
  static List<String> translations(List<String> texts) throws IOException {
    return translations(texts, TranslateOptions.DEFAULTS);
  }

  /** The same with other options. */
  static List<String> translations(List<String> texts, TranslateOptions options)
      throws IOException {
    try (Translate translate = Translate.opener(options).open(MODEL, Device.CPU)) {
      return translate.apply(texts).stream().map(result -> result.orElseThrow().text()).toList();
    }
  }

  /** The defaults with another beam. */
  static TranslateOptions search(int beam) {
    return TranslateOptions.of(DecodeOptions.beam(beam));
  }
}
