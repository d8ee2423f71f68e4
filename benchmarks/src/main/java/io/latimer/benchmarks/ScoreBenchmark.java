package io.latimer.benchmarks;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.LmAnswers;
import io.latimer.operators.lm.LmQueries;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.LmText;
import io.latimer.operators.lm.LmTexts;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.ScoreWordsCpu;
import io.latimer.operators.lm.ScoredTexts;
import io.latimer.operators.lm.WordScores;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.util.BuildProgress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Scoring by a language model on the CPU: {@code words} is scored words per second, including
 * sentence ends. Uses the model {@code ../shared/data/lm/en5.arpa.gz} and the text next to it if
 * they exist, else the example feed and a small model of it, which fits into every cache.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ScoreBenchmark {
  private static final Path SHARED = Path.of("../shared/data/lm");
  private static final Path FEED = Path.of("examples/feeds/everyday.en.txt");
  private static final int ORDER = 5;
  private static final String MODEL = "model.llm";
  private static final String ESTIMATED = "model.arpa";

  @Param({"HASH", "BTREE"})
  LmLayout layout;

  @Param({"1", "2"})
  int threads;

  private final List<LmSentence> sentences = new ArrayList<>();
  private LmTexts texts;
  private LmQueries queries;
  private long words;
  private Path folder;
  private IndexFile file;
  private LanguageModel model;
  private ScoreWordsCpu scorer;

  /** The number of words scored. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Counted {
    public long words;
  }

  /** Makes the model, and prepares the text in all the forms to score. */
  @Setup
  public void load() throws IOException {
    boolean shared = Files.exists(SHARED.resolve("en5.arpa.gz"));
    byte[] text = shared ? unpack(SHARED.resolve("en.heldout.txt.gz")) : Files.readAllBytes(FEED);
    folder = Files.createTempDirectory("latimer-score");
    Path arpa = shared ? SHARED.resolve("en5.arpa.gz") : estimate(text);
    Path out = folder.resolve(MODEL);
    LmImporter.importArpa(
        LmImportRequest.of(arpa, out).with(layout), (section, ngrams, total) -> {});
    file = IndexFile.open(out);
    model = LanguageModel.open(file);
    scorer = new ScoreWordsCpu(model, threads);
    texts = LmTexts.lines(text);
    for (int from = 0; from < text.length; ) {
      int to = from;
      while (to < text.length && text[to] != '\n') {
        to++;
      }
      sentences.add(LmSentence.of(LmText.ids(model.vocabulary(), text, from, to)));
      from = to + 1;
    }
    queries = queries();
    words = sentences.stream().mapToLong(LmSentence::tokens).sum();
  }

  private static byte[] unpack(Path packed) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
      return in.readAllBytes();
    }
  }

  private Path estimate(byte[] text) throws IOException {
    Path arpa = folder.resolve(ESTIMATED);
    try (OutputStream out = Files.newOutputStream(arpa)) {
      EstimateLm.estimate(
          new ByteArrayInputStream(text),
          out,
          EstimateOptions.of(ORDER).withFallback(Discounts.FALLBACK),
          BuildProgress.NONE);
    }
    return arpa;
  }

  /** Each word in the context of the preceding words of its sentence. */
  private LmQueries queries() {
    int order = model.order();
    int[] ids = new int[order * sentences.stream().mapToInt(one -> one.ids().length).sum()];
    int at = 0;
    for (LmSentence sentence : sentences) {
      for (int word = 0; word < sentence.ids().length; word++) {
        for (int place = word - order + 1; place <= word; place++) {
          ids[at++] = place < 0 ? LmQueries.NONE : sentence.ids()[place];
        }
      }
    }
    return new LmQueries(order, ids);
  }

  /** From raw text: splits it into words first. */
  @Benchmark
  public ScoredTexts text(Counted counted) {
    counted.words += words;
    return scorer.score(texts, ScoreOptions.SENTENCES);
  }

  /** From ids, per sentence. */
  @Benchmark
  public List<Result<WordScores>> ids(Counted counted) {
    counted.words += words;
    return scorer.apply(sentences);
  }

  /** From ids, each word in its own context. */
  @Benchmark
  public LmAnswers query(Counted counted) {
    counted.words += queries.size();
    return scorer.query(queries);
  }

  /** Removes the model. */
  @TearDown
  public void close() throws IOException {
    scorer.close();
    model.close();
    file.close();
    Files.delete(folder.resolve(MODEL));
    Files.deleteIfExists(folder.resolve(ESTIMATED));
    Files.delete(folder);
  }
}
