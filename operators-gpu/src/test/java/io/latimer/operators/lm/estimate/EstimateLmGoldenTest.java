package io.latimer.operators.lm.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.latimer.operators.lm.arpa.Arpa;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.util.BuildProgress;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares with models that lmplz made. The large text takes a minute: the system property {@value
 * #ALL} turns it on.
 */
final class EstimateLmGoldenTest {
  /** System property: {@code true} to compare every model. */
  static final String ALL = "latimer.golden.all";

  // lmplz prints what the C library's log10f gives, which is not always the nearest float32.
  private static final float CLOSE = 1e-6f;

  @TempDir Path folder;

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "small.o2, 2, 0",
    "small.o4, 4, 0",
    "small.o6, 6, 0",
    "small.o4.prune0023, 4, 0 0 2 3",
  })
  void aSmallModelIsThatOfLmplz(String name, int order, String prune) throws IOException {
    Path golden = SharedData.require("data/lm/small/" + name + ".arpa.gz");
    Path text = SharedData.require("data/lm/small/small_train.txt.gz");
    EstimateOptions options =
        EstimateOptions.of(order)
            .withPrune(List.of(prune.split(" ")).stream().map(Long::valueOf).toList())
            .withFallback(Discounts.FALLBACK);
    estimate(text, options);
    compare(golden, folder.resolve("model.arpa"));
    try (InputStream in = Files.newInputStream(folder.resolve("model.arpa"))) {
      requireSumsOfOne(Arpa.read(in));
    }
  }

  private static void requireSumsOfOne(Arpa model) {
    List<String> ngrams = List.copyOf(model.entries().keySet());
    List<String> words = ngrams.stream().filter(w -> !w.contains(" ") && !w.equals("<s>")).toList();
    for (int i = 1; i < ngrams.size(); i += ngrams.size() / 30) {
      List<String> context = new ArrayList<>(List.of(ngrams.get(i).split(" ", -1)));
      double sum = 0;
      for (String word : words) {
        context.add(word);
        sum += Math.pow(10, model.score(context));
        context.remove(context.size() - 1);
      }
      assertThat(sum).as("behind " + context).isCloseTo(1, within(1e-6));
    }
  }

  @Test
  void discountsOfTheSmallTextAreThoseOfLmplz() throws IOException {
    EstimateReport report =
        estimate(SharedData.require("data/lm/small/small_train.txt.gz"), EstimateOptions.of(4));
    assertThat(report.words()).isEqualTo(47_876);
    assertThat(discounts(report))
        .isEqualTo(
            "0.643082 0.990474 1.55602; 0.779462 1.1642 1.63449; 0.876192 1.2559 1.66011;"
                + " 0.914158 1.35203 1.59654");
  }

  @Test
  void theLargeModelIsThatOfLmplz() throws IOException {
    assumeTrue(Boolean.getBoolean(ALL), "-D" + ALL + "=true compares the large model");
    Path golden = SharedData.require("data/lm/en5.arpa.gz");
    EstimateReport report =
        estimate(
            SharedData.require("data/lm/en.train.txt.gz"),
            EstimateOptions.of(5).withPrune(List.of(0L, 1L)));
    assertThat(report.sentences()).isEqualTo(702_507);
    assertThat(report.words()).isEqualTo(12_976_026);
    assertThat(report.orders().stream().map(EstimateReport.Order::types))
        .containsExactly(115_446L, 1_858_459L, 5_844_177L, 9_177_357L, 10_459_065L);
    assertThat(discounts(report))
        .isEqualTo(
            "0.652116 0.984677 1.30714; 0.732519 1.06002 1.37212; 0.827316 1.12951 1.37286;"
                + " 0.904459 1.22688 1.41338; 0.940479 1.32399 1.422");
    compare(golden, folder.resolve("model.arpa"));
  }

  private EstimateReport estimate(Path text, EstimateOptions options) throws IOException {
    try (InputStream in = unzip(text);
        OutputStream out = Files.newOutputStream(folder.resolve("model.arpa"))) {
      return EstimateLm.estimate(in, out, options.withTempFolder(folder), BuildProgress.NONE);
    }
  }

  private static InputStream unzip(Path file) throws IOException {
    return new BufferedInputStream(new GZIPInputStream(Files.newInputStream(file)));
  }

  /** Six digits, as lmplz prints them. */
  private static String discounts(EstimateReport report) {
    List<String> all = new ArrayList<>();
    for (EstimateReport.Order order : report.orders()) {
      Discounts d = order.discounts();
      assertThat(order.fallback()).isFalse();
      all.add(sixDigits(d.one()) + " " + sixDigits(d.two()) + " " + sixDigits(d.threePlus()));
    }
    return String.join("; ", all);
  }

  private static String sixDigits(float number) {
    String text = String.format(Locale.ROOT, number < 1 ? "%.6f" : "%.5f", number);
    return text.replaceAll("0+$", "");
  }

  /** Line by line: the n-grams and their order must be the same, the numbers close. */
  private static void compare(Path golden, Path made) throws IOException {
    long lines = 0;
    try (BufferedReader theirs =
            new BufferedReader(new InputStreamReader(unzip(golden), StandardCharsets.UTF_8));
        BufferedReader ours = Files.newBufferedReader(made)) {
      for (String line = theirs.readLine(); line != null; line = theirs.readLine()) {
        String our = ours.readLine();
        lines++;
        if (line.equals(our)) {
          continue;
        }
        assertThat(our).as("line " + lines).isNotNull();
        String[] wanted = line.split("\t", -1);
        String[] found = our.split("\t", -1);
        assertThat(found).as(line + " | " + our).hasSameSizeAs(wanted);
        assertThat(wanted.length).as(line + " | " + our).isGreaterThan(1);
        assertThat(found[1]).isEqualTo(wanted[1]);
        for (int i = 0; i < wanted.length; i += 2) {
          assertThat(Float.parseFloat(found[i]))
              .as(line + " | " + our)
              .isCloseTo(Float.parseFloat(wanted[i]), within(CLOSE));
        }
      }
      assertThat(ours.readLine()).isNull();
    }
    assertThat(lines).isGreaterThan(100);
  }
}
