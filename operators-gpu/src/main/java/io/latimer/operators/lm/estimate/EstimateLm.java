package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.Team;
import io.latimer.operators.util.TempFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates a language model from text with interpolated modified Kneser-Ney smoothing, like
 * KenLM's lmplz (Heafield, Pouzyrevsky, Clark and Koehn, "Scalable Modified Kneser-Ney Language
 * Model Estimation", 2013): the same n-grams in the same order with the same numbers.
 *
 * <p>Each line is a sentence, its words separated by {@link WordIds#isCountedSpace}. The output is
 * in the ARPA format and does not depend on memory, threads or device.
 */
public final class EstimateLm {
  private static final int BYTES_PER_TOKEN = 16; // SortedBlock and the pieces it is built from
  private static final int PARTS_PER_THREAD = 4;
  private static final int SMALLEST_BLOCK = 1 << 12; // tokens
  private static final int LARGEST_BLOCK = 1 << 30;
  private static final int SMALLEST_PIECE = 1 << 12; // bytes
  private static final int LARGEST_PIECE = 1 << 22;
  private static final long MOST_TOKENS = (1L << 33) - 1; // capacity of KneserNey's sums

  private final EstimateOptions options;
  private final BuildProgress progress;
  private final Team team;
  private final TempFolder folder;
  private final WordIds words;
  private int runs;
  private boolean inFiles;

  private EstimateLm(
      EstimateOptions options,
      BuildProgress progress,
      Team team,
      TempFolder folder,
      WordIds words) {
    this.options = options;
    this.progress = progress;
    this.team = team;
    this.folder = folder;
    this.words = words;
  }

  /**
   * Estimates a model.
   *
   * @param text UTF-8, one sentence per line
   * @param arpa receives the model; not closed
   * @throws OperatorException if the text is rejected, or the discounts cannot be computed
   * @throws IOException if the text cannot be read, or the model or a temporary file cannot be
   *     written
   */
  public static EstimateReport estimate(
      InputStream text, OutputStream arpa, EstimateOptions options, BuildProgress progress)
      throws IOException {
    if (options.device().kind() == Device.Kind.CPU) {
      return estimate(text, arpa, options, progress, null);
    }
    NgramOptions counting = NgramOptions.of(NgramUnit.WORDS, options.order());
    try (CountNgrams<int[]> counter = CountNgrams.ofWords(counting, options.device())) {
      return estimate(text, arpa, options, progress, counter);
    }
  }

  /**
   * Estimates a model.
   *
   * @param counter counts the n-grams; if null, they are counted by sorting
   */
  static EstimateReport estimate(
      InputStream text,
      OutputStream arpa,
      EstimateOptions options,
      BuildProgress progress,
      CountNgrams<int[]> counter)
      throws IOException {
    Team team = new Team(options.threads());
    try (TempFolder folder = new TempFolder(options.tempFolder().orElse(null))) {
      WordIds words = new WordIds();
      EstimateLm estimate = new EstimateLm(options, progress, team, folder, words);
      int pieceBytes =
          (int)
              Math.max(
                  SMALLEST_PIECE,
                  Math.min(LARGEST_PIECE, options.memory() / 32 / options.threads()));
      TokenReader reader =
          new TokenReader(text, words, options.skipSymbols(), team, pieceBytes, progress::read);
      SortedNgrams ngrams =
          counter == null ? estimate.sort(reader) : estimate.count(reader, counter);
      return estimate.finish(ngrams, arpa, reader.sentences(), reader.words());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** A dictionary for counts from which a model will be estimated. */
  public static WordIds dictionary() {
    WordIds words = new WordIds();
    TokenReader.addSymbols(words);
    return words;
  }

  /**
   * The record to count for a sentence, so that a model can be estimated from the counts.
   *
   * @param sentence ids of its words, from a {@link #dictionary}
   * @param order of the model, and of the counter
   * @throws OperatorException if they include {@code <s>}, {@code </s>} or {@code <unk>}
   */
  public static int[] record(int[] sentence, int order) {
    int[] ids = new int[sentence.length + 2];
    ids[0] = SortedNgrams.BEGIN;
    for (int i = 0; i < sentence.length; i++) {
      if (sentence[i] <= SortedNgrams.END) {
        throw new OperatorException(
            "word "
                + (i + 1)
                + " of a sentence is <s>, </s> or <unk>, which are reserved for the model");
      }
      ids[i + 1] = sentence[i];
    }
    ids[ids.length - 1] = SortedNgrams.END;
    return CountedNgrams.record(ids, 0, ids.length, order);
  }

  /**
   * Estimates a model from counts.
   *
   * @param counts of {@link #record}s; of the options' order
   * @param words the {@link #dictionary} of the words; words that do not occur in the counts are
   *     omitted
   * @param arpa receives the model; not closed
   * @throws OperatorException if the counts are not of records, or the discounts cannot be computed
   * @throws IOException if the model or a temporary file cannot be written
   */
  public static EstimateReport fromCounts(
      NgramCounts counts,
      WordIds words,
      OutputStream arpa,
      EstimateOptions options,
      BuildProgress progress)
      throws IOException {
    if (counts.order() != options.order()) {
      throw new OperatorException(
          "a model of order "
              + options.order()
              + " cannot be estimated from counts of order "
              + counts.order());
    }
    long[] seen = CountedNgrams.countWords(counts, words.size());
    WordIds left = dictionary();
    int[] ids = new int[words.size()];
    for (int id = 0; id < ids.length; id++) {
      byte[] word = words.bytes(id);
      ids[id] = id <= SortedNgrams.END || seen[id] > 0 ? left.id(word, 0, word.length) : -1;
    }
    requireSentences(seen[SortedNgrams.END]);
    NgramCounts renamed = left.size() == words.size() ? counts : counts.withIds(ids);
    Team team = new Team(options.threads());
    try (TempFolder folder = new TempFolder(options.tempFolder().orElse(null))) {
      EstimateLm estimate = new EstimateLm(options, progress, team, folder, left);
      return estimate.finish(
          new CountedNgrams(renamed, PARTS_PER_THREAD * team.size()),
          arpa,
          seen[SortedNgrams.END],
          counts.total() - seen[SortedNgrams.END]);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Counts by sorting, in memory or in several runs. */
  private SortedNgrams sort(TokenReader reader) throws IOException {
    long most =
        Math.max(SMALLEST_BLOCK, Math.min(LARGEST_BLOCK, options.memory() / BYTES_PER_TOKEN));
    CountRuns counted = new CountRuns(folder, options.order(), options.memory());
    List<TokenReader.Tokens> block = new ArrayList<>();
    long size = 0;
    while (true) {
      List<TokenReader.Tokens> more = reader.read();
      if (more.isEmpty()) {
        break;
      }
      requireCountable(reader);
      for (TokenReader.Tokens tokens : more) {
        if (size > 0 && size + tokens.size() > most) {
          addRun(counted, block, (int) size);
          size = 0;
        }
        block.add(tokens);
        size += tokens.size();
      }
    }
    if (counted.written() == 0) {
      requireSentences(size);
      progress.step("sorting");
      return new SortedBlock(join(block, (int) size), words.size(), options.order(), team);
    }
    addRun(counted, block, (int) size);
    runs = counted.written();
    progress.step("merging " + runs + " sorted runs");
    return counted.merge();
  }

  private void addRun(CountRuns counted, List<TokenReader.Tokens> block, int size)
      throws IOException {
    try (SortedBlock sorted =
        new SortedBlock(join(block, size), words.size(), options.order(), team)) {
      counted.add(sorted);
    }
  }

  /** Concatenates the tokens of a list, and empties the list. */
  private static int[] join(List<TokenReader.Tokens> block, int size) {
    int[] all = new int[size];
    int at = 0;
    for (TokenReader.Tokens tokens : block) {
      System.arraycopy(tokens.ids(), 0, all, at, tokens.size());
      at += tokens.size();
    }
    block.clear();
    return all;
  }

  /** Counts with the counter of word n-grams. */
  private SortedNgrams count(TokenReader reader, CountNgrams<int[]> counter) throws IOException {
    while (true) {
      List<TokenReader.Tokens> more = reader.read();
      if (more.isEmpty()) {
        break;
      }
      requireCountable(reader);
      List<int[]> sentences = new ArrayList<>();
      for (TokenReader.Tokens tokens : more) {
        int from = 0;
        for (int i = 0; i < tokens.size(); i++) {
          if (tokens.ids()[i] == SortedNgrams.END) {
            sentences.add(CountedNgrams.record(tokens.ids(), from, i + 1, options.order()));
            from = i + 1;
          }
        }
      }
      counter.apply(sentences).forEach(Result::orElseThrow);
    }
    requireSentences(reader.sentences());
    progress.step("sorting counts");
    return new CountedNgrams(counter.counts(), PARTS_PER_THREAD * team.size());
  }

  private static void requireCountable(TokenReader reader) {
    if (reader.words() + 2 * reader.sentences() > MOST_TOKENS) {
      throw new OperatorException(
          "the text has more than " + MOST_TOKENS + " words, the maximum that can be counted");
    }
  }

  private static void requireSentences(long sentences) {
    if (sentences == 0) {
      throw new OperatorException("the text is empty: there is nothing to estimate a model from");
    }
  }

  private EstimateReport finish(
      SortedNgrams ngrams, OutputStream arpa, long sentences, long wordsRead) throws IOException {
    int order = options.order();
    long[] prune = new long[order];
    boolean[] prunes = new boolean[order];
    for (int k = 1; k <= order; k++) {
      prune[k - 1] = options.threshold(k);
      prunes[k - 1] = prune[k - 1] > 0;
    }
    progress.step("adjusting counts");
    Columns[] chosen = new Columns[1];
    NgramTrie trie;
    try (ngrams) {
      trie =
          NgramTrie.build(
              ngrams,
              words.size(),
              order,
              prune,
              bytes -> {
                inFiles = bytes + ngrams.memory() > options.memory();
                chosen[0] = new Columns(folder, inFiles);
                return chosen[0];
              },
              team);
    }
    Discounts[] discounts = new Discounts[order];
    List<EstimateReport.Order> orders = new ArrayList<>();
    for (int k = 1; k <= order; k++) {
      NgramTrie.Level level = trie.level(k);
      boolean fallback = false;
      try {
        discounts[k - 1] = Discounts.of(k, level.countsOfCounts());
      } catch (OperatorException e) {
        discounts[k - 1] = options.fallback().orElseThrow(() -> e);
        fallback = true;
      }
      orders.add(new EstimateReport.Order(level.size(), level.kept(), discounts[k - 1], fallback));
    }
    progress.step("computing and writing probabilities");
    ArpaWriter writer = new ArpaWriter(arpa, trie, words, team);
    writer.begin();
    new KneserNey(trie, discounts, prunes, chosen[0], team).compute(writer);
    writer.end();
    arpa.flush();
    return new EstimateReport(sentences, wordsRead, orders, runs, inFiles);
  }
}
