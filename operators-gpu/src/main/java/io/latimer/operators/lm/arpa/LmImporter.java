package io.latimer.operators.lm.arpa;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.index.WordTableBuilder;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmSettings;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Converts ARPA files, as written by SRILM, KenLM and IRSTLM, to model files in one pass on all
 * cores. Memory for the model is allocated once, in or close to the form in which it is written.
 * The output does not depend on the number of threads.
 */
public final class LmImporter {
  private static final int PROGRESS_EVERY = 1 << 14;
  private static final int MOST_THREADS = 16; // one of them adds all n-grams
  private static final int BLOCK_BYTES = 1 << 17;

  /** The load factor of the intermediate table for B-trees, which is not part of the file. */
  private static final double DENSE = 0.92;

  /**
   * Receives an import's progress, from one thread at a time, which may differ from the caller's.
   */
  @FunctionalInterface
  public interface Progress {
    /**
     * Reports progress.
     *
     * @param section order of the n-grams being read; 0 while the model is written
     * @param ngrams number of n-grams read, of all orders
     * @param totalNgrams total number of n-grams
     */
    void at(int section, long ngrams, long totalNgrams);
  }

  private final LmImportRequest request;
  private final Progress progress;
  private final ArpaReader arpa;
  private final Team team;
  private long total;
  private long read;

  private LmImporter(LmImportRequest request, Progress progress, ArpaReader arpa, Team team) {
    this.request = request;
    this.progress = progress;
    this.arpa = arpa;
    this.team = team;
  }

  /**
   * Imports a model.
   *
   * @throws LmFormatException if the ARPA file is invalid; the message names section, line and
   *     n-gram
   * @throws io.latimer.operators.index.IndexFormatException if the model cannot be written
   */
  public static LmImportReport importArpa(LmImportRequest request, Progress progress) {
    int threads = Team.defaultThreads(MOST_THREADS);
    return importArpa(request, progress, threads, BLOCK_BYTES);
  }

  /**
   * Imports a model.
   *
   * @param blockBytes approximate size in bytes of a thread's block of the ARPA file
   */
  static LmImportReport importArpa(
      LmImportRequest request, Progress progress, int threads, int blockBytes) {
    Team team = new Team(threads);
    try (ArpaReader arpa = ArpaReader.open(request.arpa(), team, blockBytes)) {
      return new LmImporter(request, progress, arpa, team).run();
    } catch (IOException e) {
      throw new LmFormatException(request.arpa() + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private LmImportReport run() throws IOException {
    long[] counts = arpa.readCounts();
    int order = counts.length;
    total = Arrays.stream(counts).sum();
    LmBuilder builder =
        new LmBuilder(order, request.layout() == LmLayout.HASH ? LmBuilder.LOAD : DENSE);
    WordTableBuilder words = new WordTableBuilder(ArpaLines.UNKNOWN);
    boolean unknown = readUnigrams(counts[0], builder, words);
    WordTable vocabulary = words.build();
    int begin = require(vocabulary, "<s>");
    int end = require(vocabulary, "</s>");
    builder.endUnigrams(total - counts[0]);
    for (int n = 2; n <= order; n++) {
      readNgrams(n, counts[n - 1], builder, vocabulary);
    }
    arpa.end();
    boolean hash = request.layout() == LmLayout.HASH;
    if (hash) {
      builder.end();
    }
    progress.at(0, read, total);
    LmSettings settings =
        new LmSettings(
            request.layout(),
            order,
            list(counts),
            list(builder.stored()),
            vocabulary.table().limit() / WordTable.SLOT_BYTES,
            begin,
            end,
            hash ? builder.table().buckets() : 0,
            hash ? 0 : request.keysPerNode());
    return write(settings, builder, vocabulary, unknown);
  }

  private boolean readUnigrams(long count, LmBuilder builder, WordTableBuilder words)
      throws IOException {
    arpa.beginSection(1);
    builder.addMissingUnknown();
    boolean unknown = false;
    for (long i = 0; i < count; i++) {
      arpa.readUnigram(false);
      int id =
          ArpaLines.isUnknown(arpa.wordBytes(), arpa.wordFrom(), arpa.wordTo())
              ? WordTable.UNKNOWN
              : words.add(arpa.wordBytes(), arpa.wordFrom(), arpa.wordTo());
      if (id < 0) {
        throw arpa.ngramError(
            "too many words for a model: the limits are "
                + WordTable.MAX_WORDS
                + " words and 2 GB");
      }
      unknown |= id == WordTable.UNKNOWN;
      builder.addUnigram(id, arpa.logProb(), arpa.backoff());
      advance(1, 1);
    }
    return unknown;
  }

  private int require(WordTable vocabulary, String word) {
    int id = vocabulary.id(word);
    if (id == WordTable.UNKNOWN) {
      throw arpa.error(
          "the word " + word + " is not among the unigrams; every language model must have it");
    }
    return id;
  }

  private void readNgrams(int n, long count, LmBuilder builder, WordTable vocabulary)
      throws IOException {
    arpa.beginSection(n);
    ArpaReader.Sink sink =
        new ArpaReader.Sink() {
          @Override
          public void resolve(NgramBatch ngrams) {
            builder.resolve(ngrams);
          }

          @Override
          public int add(NgramBatch ngrams, int most) {
            int added = builder.addAll(ngrams, most);
            advance(n, added);
            return added;
          }
        };
    arpa.readNgrams(n, n == builder.order(), count, vocabulary, sink);
  }

  private void advance(int section, int ngrams) {
    long before = read;
    read += ngrams;
    if (read / PROGRESS_EVERY != before / PROGRESS_EVERY) {
      progress.at(section, read, total);
    }
  }

  private LmImportReport write(
      LmSettings settings, LmBuilder builder, WordTable vocabulary, boolean unknown) {
    try (IndexFileWriter out =
        IndexFileWriter.create(request.out(), LanguageModel.KIND, request.version())) {
      out.add(LmSections.SETTINGS, SettingsJson.write(settings));
      out.add(LmSections.WORDS, vocabulary.text());
      out.add(LmSections.WORD_STARTS, vocabulary.starts());
      out.add(LmSections.WORD_TABLE, vocabulary.table());
      if (settings.layout() == LmLayout.HASH) {
        out.add(LmSections.UNIGRAMS, builder::writeUnigrams);
        out.add(LmSections.HASH_TABLE, builder.table()::writeTo);
      } else {
        BTreeWriter trees = new BTreeWriter(builder, settings.keysPerNode(), team);
        out.add(LmSections.BTREE_ROOT, trees::writeRoot);
        out.add(LmSections.BTREE_NODES, trees::writeNodes);
      }
      out.commit();
    }
    try (IndexFile file = IndexFile.open(request.out())) {
      return new LmImportReport(
          request.out(),
          settings.arpa(),
          settings.stored(),
          builder.doubled(),
          unknown,
          file.length(),
          LanguageModel.deviceBytes(file));
    }
  }

  private static List<Long> list(long[] numbers) {
    return Arrays.stream(numbers).boxed().collect(Collectors.toList());
  }
}
