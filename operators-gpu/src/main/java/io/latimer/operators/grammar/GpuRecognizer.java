package io.latimer.operators.grammar;

import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.ReadBackRing;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Recognizes sentences on a GPU, all of a batch at once. The results are those of {@link
 * CpuRecognizer}.
 */
final class GpuRecognizer implements Recognizer {
  /** Default memory for a batch in bytes. */
  static final long BYTES = 8L << 30;

  private static final String OWNER = "grammar";
  private static final int MOST_THREADS = 16;
  private static final int SLOTS = 4;
  private static final int SLOT = 2 << 20;

  /** Sentences whose results a thread reads at a time. */
  private static final int SHARE = 64;

  /** Results per sentence in lat_grammar_batch.d_results, and the index of each of them. */
  private static final int RESULTS = 3;

  private static final int LONGEST = 1;
  private static final int PREFIXES = 2;

  private final GpuGrammar grammar;
  private final int[] classOf;
  private final Closer closer = new Closer();
  private final Team team;
  private final ReadBackRing readBack;
  private final GpuSentences batch;

  /**
   * Makes a recognizer.
   *
   * @param grammar must stay open as long as the recognizer is used, and is not closed with it
   * @param bytes limit of device memory for a batch
   */
  GpuRecognizer(GpuGrammar grammar, long bytes) {
    this.grammar = grammar;
    ByteBuffer classes = grammar.index().classOf();
    this.classOf = new int[grammar.index().variables().size()];
    Arrays.setAll(classOf, v -> classes.getChar(2 * v));
    Gpu gpu = grammar.gpu();
    try {
      this.team = new Team(Team.defaultThreads(MOST_THREADS));
      this.readBack = closer.add(new ReadBackRing(gpu, OWNER, team, SLOTS, SLOT));
      this.batch = closer.add(new GpuSentences(gpu, bytes));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  @Override
  public GrammarIndex index() {
    return grammar.index();
  }

  @Override
  public Team team() {
    return team;
  }

  @Override
  public List<Recognition> recognize(int[][] sentences, boolean chart) {
    if (sentences.length == 0) {
      return List.of();
    }
    return batch.withRoom(() -> attempt(sentences, chart));
  }

  private List<Recognition> attempt(int[][] sentences, boolean chart) {
    long[] charts = new long[sentences.length + 1];
    for (int s = 0; s < sentences.length && chart; s++) {
      int n = sentences[s].length;
      charts[s + 1] = charts[s] + (long) index().classes() * n * ((n + 31) / 32);
    }
    long chartWords = charts[sentences.length];
    if (chartWords > Integer.MAX_VALUE / 2) {
      throw DeviceMemoryException.tooMany(
          OWNER, "words of charts", chartWords, Integer.MAX_VALUE / 2);
    }
    int rootWords = (index().classes() + 31) / 32;
    long roots = (long) RESULTS * sentences.length;
    batch.begin(sentences, charts, roots + (long) rootWords * sentences.length);
    DeviceBuffer there = batch.allocate(chartWords * Integer.BYTES);
    batch.divide("lat_grammar_divide", grammar.fields());
    batch.run("lat_grammar_check", grammar.fields(), roots, chart ? there.address() : 0);
    int[] cells = new int[(int) chartWords];
    if (chart) {
      readBack.read(batch.stream(), List.of(ReadBackRing.Part.of(there, cells)));
    }
    batch.stream().synchronize();
    IntBuffer results = batch.results();
    Recognition[] read = new Recognition[sentences.length];
    team.forEach(
        sentences.length,
        chart ? 1 : SHARE,
        s ->
            read[s] =
                new Recognition(
                    roots(results, (int) roots + s * rootWords, rootWords),
                    results.get(RESULTS * s + LONGEST),
                    results.get(RESULTS * s + PREFIXES),
                    chart ? summary(sentences[s].length, cells, (int) charts[s]) : null));
    return Arrays.asList(read);
  }

  private static BitSet roots(IntBuffer results, int at, int words) {
    BitSet roots = new BitSet();
    for (int w = 0; w < words; w++) {
      for (int bits = results.get(at + w); bits != 0; bits &= bits - 1) {
        roots.set(32 * w + Integer.numberOfTrailingZeros(bits));
      }
    }
    return roots;
  }

  private ChartSummary summary(int words, int[] cells, int at) {
    int width = (words + 31) / 32;
    return ChartSummary.of(
        words,
        classOf,
        (from, to, c) -> {
          int word = at + (c * words + from) * width + (to - 1) / 32;
          return (cells[word] >>> (to - 1) & 1) != 0;
        });
  }

  @Override
  public void recover() {
    batch.recover();
  }

  @Override
  public void close() {
    closer.close();
  }
}
