package io.latimer.operators.lm.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.lm.arpa.Arpa;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.CountNgramsCpu;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.TempFolder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EstimateLmTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void tinyModelsAreThoseOfThePlainFormulas(int order) throws IOException {
    Random random = new Random(order);
    for (int run = 0; run < 40; run++) {
      List<List<String>> sentences =
          sentences(random, 1 + random.nextInt(60), 2 + random.nextInt(9));
      long[] prune = new long[order];
      List<Long> thresholds = new ArrayList<>();
      for (int k = 0; k < order; k++) {
        prune[k] = k == 0 ? 0 : prune[k - 1] + (run % 2 == 0 ? 0 : random.nextInt(2));
        thresholds.add(prune[k]);
      }
      NaiveKneserNey naive =
          new NaiveKneserNey(sentences, order, prune, new double[] {0, 0.5, 1, 1.5});
      Arpa arpa =
          Arpa.read(
              new ByteArrayInputStream(
                  estimate(
                      text(sentences),
                      EstimateOptions.of(order)
                          .withFallback(Discounts.FALLBACK)
                          .withPrune(thresholds)
                          .withThreads(1 + run % 3))));
      assertThat(arpa.entries().keySet())
          .containsExactlyInAnyOrderElementsOf(
              naive.probabilities.keySet().stream().map(g -> String.join(" ", g)).toList());
      assertThat(arpa.counts().stream().mapToLong(Long::longValue).sum())
          .isEqualTo(arpa.entries().size());
      naive.probabilities.forEach(
          (ngram, probability) -> {
            Arpa.Entry entry = arpa.entries().get(String.join(" ", ngram));
            assertThat((double) entry.probability())
                .as("probability of " + ngram)
                .isCloseTo(Math.log10(probability), within(1e-5));
            if (ngram.size() == order) {
              assertThat(entry.backoff()).isNull();
            } else {
              assertThat((double) entry.backoff())
                  .as("back-off of " + ngram)
                  .isCloseTo(Math.log10(naive.backoffs.getOrDefault(ngram, 1.0)), within(1e-5));
            }
          });
    }
  }

  @Test
  void theWordsBehindAnyContextSumUpToOne() throws IOException {
    Random random = new Random(7);
    List<List<String>> sentences = sentences(random, 400, 12);
    Arpa arpa =
        Arpa.read(
            new ByteArrayInputStream(
                estimate(
                    text(sentences),
                    EstimateOptions.of(4)
                        .withFallback(Discounts.FALLBACK)
                        .withPrune(List.of(0L, 0L, 1L, 2L)))));
    List<String> words =
        arpa.entries().keySet().stream().filter(w -> !w.contains(" ") && !w.equals("<s>")).toList();
    List<List<String>> contexts = new ArrayList<>(List.of(List.of(), List.of("<s>")));
    for (int i = 0; i < 200; i++) {
      List<String> sentence = new ArrayList<>(List.of("<s>"));
      sentence.addAll(sentences.get(random.nextInt(sentences.size())));
      int from = random.nextInt(sentence.size());
      contexts.add(
          List.copyOf(sentence.subList(from, Math.min(sentence.size(), from + random.nextInt(4)))));
      contexts.add(List.of("w" + random.nextInt(12), "w" + random.nextInt(12), "<unk>"));
    }
    for (List<String> context : contexts) {
      double sum = 0;
      for (String word : words) {
        List<String> ngram = new ArrayList<>(context);
        ngram.add(word);
        sum += Math.pow(10, arpa.score(ngram));
      }
      assertThat(sum).as("behind " + context).isCloseTo(1, within(1e-6));
    }
  }

  @Test
  void memoryThreadsAndCounterDoNotChangeAByte() throws IOException {
    String text = text(sentences(new Random(3), 6000, 500)) + "\n\n  \n w1 w2";
    EstimateOptions options =
        EstimateOptions.of(4).withFallback(Discounts.FALLBACK).withPrune(List.of(0L, 0L, 1L));
    byte[] model = estimate(text, options.withThreads(1));
    assertThat(estimate(text, options.withThreads(5))).isEqualTo(model);

    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EstimateReport report =
        EstimateLm.estimate(
            bytes(text),
            out,
            options.withMemory(EstimateOptions.MIN_MEMORY).withTempFolder(folder).withThreads(2),
            BuildProgress.NONE);
    assertThat(report.runs()).isGreaterThan(5);
    assertThat(report.inFiles()).isTrue();
    assertThat(out.toByteArray()).isEqualTo(model);
    assertThat(folder).isEmptyDirectory();

    ByteArrayOutputStream counted = new ByteArrayOutputStream();
    try (CountNgrams<int[]> counter =
        CountNgramsCpu.ofWords(NgramOptions.of(NgramUnit.WORDS, 4), 2)) {
      EstimateLm.estimate(bytes(text), counted, options, BuildProgress.NONE, counter);
    }
    assertThat(counted.toByteArray()).isEqualTo(model);
  }

  @Test
  void countsThatWereKeptGiveTheSameModel() throws IOException {
    List<List<String>> sentences = sentences(new Random(6), 500, 40);
    EstimateOptions options = EstimateOptions.of(3).withFallback(Discounts.FALLBACK);
    WordIds words = EstimateLm.dictionary();
    words.id("never counted");
    NgramCounts all = NgramCounts.empty(NgramUnit.WORDS, 3);
    NgramOptions counting = NgramOptions.of(NgramUnit.WORDS, 3);
    try (CountNgrams<int[]> counter = CountNgramsCpu.ofWords(counting, 1)) {
      for (List<String> sentence : sentences) {
        int[] ids = sentence.stream().mapToInt(words::id).toArray();
        counter.apply(List.of(EstimateLm.record(ids, 3))).get(0).orElseThrow();
      }
      all = NgramCounts.merge(all, counter.counts());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EstimateReport report = EstimateLm.fromCounts(all, words, out, options, BuildProgress.NONE);
    assertThat(out.toByteArray()).isEqualTo(estimate(text(sentences), options));
    assertThat(report.sentences()).isEqualTo(500);
    assertThat(report.words()).isEqualTo(sentences.stream().mapToInt(List::size).sum());
  }

  @Test
  void countsOfSomethingElseAreRefused() {
    WordIds words = EstimateLm.dictionary();
    words.id("a");
    OutputStream out = OutputStream.nullOutputStream();
    EstimateOptions options = EstimateOptions.of(2).withFallback(Discounts.FALLBACK);
    for (int[] ngram : new int[][] {{1, 1}, {3, 0}, {3, 2}, {3, 4}, {4, 3}}) {
      NgramCounts counts = NgramCounts.ofWords(2, ngram, new long[] {1});
      assertThatThrownBy(
              () -> EstimateLm.fromCounts(counts, words, out, options, BuildProgress.NONE))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("n-gram 0 of the counts");
    }
    NgramCounts order1 = NgramCounts.ofWords(1, new int[] {2}, new long[] {1});
    assertThatThrownBy(() -> EstimateLm.fromCounts(order1, words, out, options, BuildProgress.NONE))
        .hasMessageContaining("counts of order 1");
    assertThatThrownBy(() -> EstimateLm.record(new int[] {3, 1}, 2))
        .hasMessageContaining("word 2 of a sentence");
  }

  @Test
  void manyRunsAreMergedInSeveralRounds() throws IOException {
    String text = text(sentences(new Random(4), 40_000, 300));
    EstimateOptions options = EstimateOptions.of(2).withFallback(Discounts.FALLBACK);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EstimateReport report =
        EstimateLm.estimate(
            bytes(text),
            out,
            options.withMemory(EstimateOptions.MIN_MEMORY).withTempFolder(folder),
            BuildProgress.NONE);
    assertThat(report.runs()).isGreaterThan(64);
    assertThat(out.toByteArray()).isEqualTo(estimate(text, options));
  }

  @Test
  void linesAndWordsAreSplitAsLmplzDoes() throws IOException {
    EstimateOptions options = EstimateOptions.of(3).withFallback(Discounts.FALLBACK);
    byte[] plain = estimate("a b\n\nb a c\n", options);
    assertThat(estimate(" a\tb \r\n\0\n\tb\0a  c", options)).isEqualTo(plain);
    byte[] nbsp = estimate("a\u00a0b\n", options);
    assertThat(new String(nbsp, StandardCharsets.UTF_8)).contains("\ta\u00a0b\t");
    for (char inWord : new char[] {'\u000b', '\f', '\u001c', '\u0085', '\u2028'}) {
      byte[] kept = estimate("a" + inWord + "b c\na", options);
      assertThat(new String(kept, StandardCharsets.UTF_8)).contains("\ta" + inWord + "b\t");
    }
  }

  @Test
  void whatIsNotUtf8IsKept() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EstimateLm.estimate(
        new ByteArrayInputStream(new byte[] {'a', (byte) 0xff, '\n'}),
        out,
        EstimateOptions.of(1).withFallback(Discounts.FALLBACK),
        BuildProgress.NONE);
    assertThat(out.toString(StandardCharsets.ISO_8859_1)).contains("\ta\u00ff\n");
  }

  @Test
  void aLineThatIsLongerThanAPieceIsOneSentence() throws IOException {
    String line = "w1 w2 w3 ".repeat(20_000);
    EstimateOptions options =
        EstimateOptions.of(2)
            .withFallback(Discounts.FALLBACK)
            .withMemory(EstimateOptions.MIN_MEMORY)
            .withTempFolder(folder);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EstimateReport report =
        EstimateLm.estimate(bytes("x\n" + line + "\nx"), out, options, BuildProgress.NONE);
    assertThat(report.sentences()).isEqualTo(3);
    assertThat(report.words()).isEqualTo(60_002);
    assertThat(Arpa.read(new ByteArrayInputStream(out.toByteArray())).entries())
        .containsKey("w3 w1")
        .doesNotContainKey("<s> w2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"<s>", "</s>", "<unk>"})
  void symbolsInTheTextAreRefusedByLineOrLeftOut(String symbol) throws IOException {
    String before = "a b c\n".repeat(30_000);
    EstimateOptions options =
        EstimateOptions.of(2)
            .withFallback(Discounts.FALLBACK)
            .withMemory(EstimateOptions.MIN_MEMORY)
            .withTempFolder(folder);
    String text = before + "a " + symbol + " b\n" + before;
    assertThatThrownBy(() -> estimate(text, options))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("line 30001 has the word " + symbol + ",");
    assertThat(folder).isEmptyDirectory();
    assertThat(estimate(text, options.withSkipSymbols(true)))
        .isEqualTo(estimate(before + "a b\n" + before, options));
  }

  @Test
  void aTextWithoutSentencesIsRefused() {
    assertThatThrownBy(() -> estimate("", EstimateOptions.of(2)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("the text is empty");
  }

  @Test
  void discountsThatCannotBeComputedAreNamed() {
    assertThatThrownBy(() -> estimate("a b\n", EstimateOptions.of(2)))
        .isInstanceOf(OperatorException.class)
        .hasMessage(
            "the discounts of 1-grams cannot be computed: none has the adjusted count 2, so"
                + " the text is too small or not natural language; use more text, a lower order or"
                + " --discount-fallback");
  }

  @Test
  void nothingStaysWhenTheOutputFails() throws IOException {
    OutputStream full =
        new OutputStream() {
          private int left = 1 << 16;

          @Override
          public void write(int b) throws IOException {
            throw new IOException("full");
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            left -= length;
            if (left < 0) {
              throw new IOException("the disk is full");
            }
          }
        };
    InputStream text = bytes(text(sentences(new Random(5), 20_000, 5000)));
    EstimateOptions options =
        EstimateOptions.of(3)
            .withFallback(Discounts.FALLBACK)
            .withMemory(EstimateOptions.MIN_MEMORY)
            .withTempFolder(folder)
            .withThreads(4);
    assertThatThrownBy(() -> EstimateLm.estimate(text, full, options, BuildProgress.NONE))
        .isInstanceOf(IOException.class)
        .hasMessage("the disk is full");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void temporaryFilesAreForTheirOwnerOnly() throws IOException {
    try (TempFolder temp = new TempFolder(folder)) {
      Files.writeString(temp.file("run"), "x");
      try (Stream<Path> inside = Files.list(folder)) {
        Path only = inside.findFirst().orElseThrow();
        assertThat(Files.getPosixFilePermissions(only)).hasSize(3);
      }
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> EstimateOptions.of(9)).hasMessageContaining("must be 1 to 8");
    assertThatThrownBy(() -> EstimateOptions.of(2).withPrune(List.of(0L, 0L, 1L)))
        .hasMessageContaining("3 pruning thresholds");
    assertThatThrownBy(() -> EstimateOptions.of(2).withPrune(List.of(1L)))
        .hasMessageContaining("words are never pruned");
    assertThatThrownBy(() -> EstimateOptions.of(3).withPrune(List.of(0L, 2L, 1L)))
        .hasMessageContaining("less than the one before");
    assertThatThrownBy(() -> EstimateOptions.of(3).withMemory(1))
        .hasMessageContaining("at least 65536");
    assertThatThrownBy(() -> new Discounts(0.5f, 2.5f, 1)).hasMessageContaining("between 0 and 2");
  }

  /** Sentences in which some words are frequent, and some sequences come again and again. */
  private static List<List<String>> sentences(Random random, int number, int vocabulary) {
    List<List<String>> out = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      List<String> sentence = new ArrayList<>();
      int length = random.nextInt(9);
      int word = random.nextInt(vocabulary);
      for (int k = 0; k < length; k++) {
        sentence.add("w" + word);
        word =
            random.nextInt(3) > 0
                ? (word * 7 + random.nextInt(2)) % vocabulary
                : (int) (vocabulary * Math.pow(random.nextDouble(), 3));
      }
      out.add(sentence);
    }
    return out;
  }

  private static String text(List<List<String>> sentences) {
    StringBuilder text = new StringBuilder();
    sentences.forEach(sentence -> text.append(String.join(" ", sentence)).append('\n'));
    return text.toString();
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] estimate(String text, EstimateOptions options) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EstimateLm.estimate(bytes(text), out, options, BuildProgress.NONE);
    return out.toByteArray();
  }
}
