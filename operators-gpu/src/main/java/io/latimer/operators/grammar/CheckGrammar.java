package io.latimer.operators.grammar;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.SplitRetry;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Says whether a grammar derives tokenized sentences, where they break it, and on request their
 * best trees (Kim et al., "Parallel CYK Membership Test on GPUs", 2014). Words are separated as by
 * {@link WordIds#split}. An empty sentence is derivable if the grammar says so.
 */
public final class CheckGrammar implements BatchOperator<String, GrammarVerdict> {
  /** Default limit of GPU memory for a batch, in bytes. */
  public static final long GPU_BYTES = GpuRecognizer.BYTES;

  /**
   * Maximum size of a sentence's chart, in bits: one per class and pair of positions; and of its
   * chart of best trees, in 8-byte scores and back-links: one per variable and pair of positions.
   * The same for every device.
   */
  private static final long MOST_CHART_BITS = 1L << 32;

  private static final long MOST_TREE_ENTRIES = 1L << 27;

  /** Sentences that a thread of the host takes at a time. */
  private static final int SHARE = 128;

  private final Recognizer recognizer;
  private final BestParser parser; // null unless trees are asked for
  private final GrammarOptions options;
  private final GrammarIndex index;
  private final int mostWords; // of the longest sentence whose chart is small enough
  private final Closer closer = new Closer();
  private boolean closed;

  /**
   * Makes an operator.
   *
   * @param recognizer closed with this object
   * @param parser the same; null unless the options ask for trees
   * @param lease of the index; closed last
   */
  CheckGrammar(Recognizer recognizer, BestParser parser, GrammarOptions options, Lease<?> lease) {
    this.recognizer = recognizer;
    this.parser = parser;
    this.options = options;
    this.index = recognizer.index();
    closer.add(lease);
    closer.add(recognizer);
    if (parser != null) {
      closer.add(parser);
    }
    this.mostWords = mostWords();
  }

  private int mostWords() {
    int fits = 0;
    int above = options.maxWords() + 1;
    while (above - fits > 1) {
      int middle = (fits + above) >>> 1;
      if (isSmall(middle)) {
        fits = middle;
      } else {
        above = middle;
      }
    }
    return fits;
  }

  private boolean isSmall(int words) {
    long pairs = (long) words * (words + 1);
    return index.classes() * pairs <= MOST_CHART_BITS
        && (parser == null || index.variables().size() * pairs <= MOST_TREE_ENTRIES);
  }

  /**
   * An opener of operators for a grammar's index file. The index is loaded once per process and
   * device, and shared by all operators.
   */
  public static IndexOpener<CheckGrammar> opener(GrammarOptions options) {
    return opener(options, GPU_BYTES);
  }

  /**
   * The same with a limit of memory.
   *
   * @param deviceBytes limit of GPU memory for a batch's charts, and again for its charts of best
   *     trees; batches that need more are split
   */
  public static IndexOpener<CheckGrammar> opener(GrammarOptions options, long deviceBytes) {
    return new IndexOpener<>(
        GrammarIndex.KIND,
        (residents, ref, device) ->
            device.kind() == Device.Kind.GPU
                ? IndexOpener.own(
                    residents.acquire(
                        ref,
                        device,
                        GpuGrammar.class,
                        (file, on) -> new GpuGrammar(GrammarIndex.open(file), on)),
                    lease -> onGpu(lease, options, deviceBytes))
                : IndexOpener.own(
                    residents.acquire(
                        ref, device, GrammarIndex.class, (file, on) -> GrammarIndex.open(file)),
                    lease -> onCpu(lease, options)));
  }

  private static CheckGrammar onCpu(Lease<GrammarIndex> lease, GrammarOptions options) {
    GrammarIndex index = lease.get();
    requireWeights(index, options);
    int threads = Team.defaultThreads();
    return new CheckGrammar(
        new CpuRecognizer(index, threads),
        options.tree() ? new CpuViterbi(index, threads) : null,
        options,
        lease);
  }

  private static CheckGrammar onGpu(
      Lease<GpuGrammar> lease, GrammarOptions options, long deviceBytes) {
    GpuGrammar grammar = lease.get();
    requireWeights(grammar.index(), options);
    Recognizer recognizer = new GpuRecognizer(grammar, deviceBytes);
    try {
      return new CheckGrammar(
          recognizer, options.tree() ? new GpuViterbi(grammar, deviceBytes) : null, options, lease);
    } catch (RuntimeException | Error e) {
      recognizer.close();
      throw e;
    }
  }

  private static void requireWeights(GrammarIndex index, GrammarOptions options) {
    if (options.tree() && !index.weighted()) {
      throw new OperatorException(
          "the grammar has no probabilities, so that no tree is the best; compile one that has"
              + " them, or ask for no trees");
    }
  }

  /** The grammar. */
  public GrammarIndex index() {
    return index;
  }

  @Override
  public List<Result<GrammarVerdict>> apply(List<String> batch) {
    return applyWords(SentenceWords.of(batch));
  }

  /** The same for sentences whose words are shared with other operators. */
  public List<Result<GrammarVerdict>> applyWords(List<SentenceWords> batch) {
    if (closed) {
      throw new OperatorException("the grammar operator is closed; open another");
    }
    List<Result<GrammarVerdict>> results = new ArrayList<>(batch.size());
    List<SentenceWords> sentences = new ArrayList<>(batch.size());
    // size() splits a sentence into words, here on all threads
    recognizer.team().forEach(batch.size(), SHARE, i -> batch.get(i).size());
    for (SentenceWords words : batch) {
      Result<GrammarVerdict> known = words.size() == 0 ? Result.of(empty()) : refused(words.size());
      results.add(known);
      if (known == null) {
        sentences.add(words);
      }
    }
    SplitRetry.fill(results, sentences, this::check, this::recover, this::doesNotFit);
    return results;
  }

  private GrammarVerdict empty() {
    boolean derivable = index.derivesEmpty();
    return new GrammarVerdict(
        derivable,
        0,
        0,
        0,
        derivable ? List.of(index.variables().get(index.start())) : List.of(),
        options.chart() ? Optional.of(ChartSummary.EMPTY) : Optional.empty(),
        Optional.empty());
  }

  /** The failure of a sentence that is too long; null if it is not. */
  private Result<GrammarVerdict> refused(int words) {
    if (words > options.maxWords()) {
      return Result.failure(
          SentenceWords.tooLong(words, options.maxWords(), "are checked against a grammar"));
    }
    if (words > mostWords) {
      return Result.failure(
          new RecordException(
              "the chart of the sentence of "
                  + words
                  + " words is too large for this grammar, with which sentences of up to "
                  + mostWords
                  + " words can be "
                  + (parser == null ? "checked" : "parsed")
                  + "; split the sentence"));
    }
    return null;
  }

  private List<Result<GrammarVerdict>> check(List<SentenceWords> sentences) {
    SentenceTerminals terminals = new SentenceTerminals(index, options.unknown());
    int[][] ids = new int[sentences.size()][];
    Team team = recognizer.team();
    team.forEach(ids.length, SHARE, i -> ids[i] = terminals.ids(sentences.get(i)));
    List<Recognition> found = recognizer.recognize(ids, options.chart());
    List<BestTree> trees =
        parser == null
            ? null
            : parser.parse(
                ids, sentences.stream().map(SentenceWords::words).toArray(String[][]::new));
    GrammarVerdict[] verdicts = new GrammarVerdict[ids.length];
    team.forEach(
        ids.length,
        SHARE,
        i ->
            verdicts[i] =
                verdict(ids[i].length, found.get(i), trees == null ? null : trees.get(i)));
    return Arrays.stream(verdicts).map(Result::of).toList();
  }

  private GrammarVerdict verdict(int words, Recognition found, BestTree tree) {
    return new GrammarVerdict(
        found.longestPrefix() == words,
        words,
        found.longestPrefix(),
        found.acceptedPrefixes(),
        roots(found.roots()),
        Optional.ofNullable(found.chart()),
        Optional.ofNullable(tree));
  }

  private List<String> roots(BitSet classes) {
    if (classes.isEmpty()) {
      return List.of();
    }
    ByteBuffer classOf = index.classOf();
    List<String> roots = new ArrayList<>();
    for (int v = 0; v < index.variables().size(); v++) {
      if (classes.get(classOf.getChar(2 * v))) {
        roots.add(index.variables().get(v));
      }
    }
    return roots;
  }

  private void recover() {
    recognizer.recover();
    if (parser != null) {
      parser.recover();
    }
  }

  private RecordException doesNotFit(SentenceWords sentence, Throwable cause) {
    return new RecordException(
        "the chart of the sentence of "
            + sentence.size()
            + " words does not fit into memory ("
            + cause.getMessage()
            + "); split the sentence");
  }

  @Override
  public void close() {
    closed = true;
    closer.close();
  }
}
