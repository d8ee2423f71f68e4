package io.latimer.operators.memory;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.SimilarSentence;
import io.latimer.operators.nmt.TranslationMemory;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.util.Closer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Taught sentences in front of another memory, which is asked for what they do not have. */
public final class LearnedMemory implements TranslationMemory {
  /** The similarity of equal sentences, in percent. */
  public static final int EXACT = 100;

  private final TaughtSentences taught;
  private final int similarity;
  private final TranslationMemory next;
  private final Closer closer = new Closer();

  /**
   * Makes a memory.
   *
   * @param taught closed with this object
   * @param similarity from which sentences are similar, in percent of words; {@link #EXACT} for
   *     none
   * @param next closed with this object; names this memory
   */
  public LearnedMemory(Lease<TaughtSentences> taught, int similarity, TranslationMemory next) {
    this.similarity = similarity;
    this.taught = taught.get();
    this.next = next;
    closer.add(taught);
    closer.add(next);
  }

  /**
   * Opens the memory of a translator. Its taught sentences are shared by all translators of the
   * process with equal ones.
   *
   * @param index an index of the translator, in whose place they are shared
   * @param base the phrase index that was taught before; null for none
   * @param learned what a job learned since
   * @param next closed with the memory, or if it cannot be opened
   */
  public static TranslationMemory open(
      ResidentIndexes residents,
      IndexRef index,
      PhraseIndex base,
      Learned learned,
      TranslationMemory next) {
    boolean isTaught = base != null && base.isTaught();
    if (!isTaught && learned.texts().isEmpty()) {
      return next;
    }
    try {
      Lease<TaughtSentences> lease =
          residents.derive(
              index,
              Device.CPU,
              TaughtSentences.class,
              learned.form(isTaught ? base.id() : ""),
              () -> Lease.<AutoCloseable>unshared(() -> {}),
              unused -> learned.after(isTaught ? base.taught() : List.of()));
      return new LearnedMemory(lease, learned.similarity(), next);
    } catch (RuntimeException | Error e) {
      Closer.runAfter(e, next::close);
      throw e;
    }
  }

  /**
   * Texts that a job learned.
   *
   * @param texts oldest first
   * @param digest of the learned pairs that they are from
   * @param sourceLanguage a BCP 47 tag
   * @param targetLanguage a BCP 47 tag
   * @param similarity from which sentences are similar, in percent of words; {@link #EXACT} for
   *     none
   */
  public record Learned(
      List<TaughtPair> texts,
      String digest,
      String sourceLanguage,
      String targetLanguage,
      int similarity) {
    public Learned {
      texts = List.copyOf(texts);
    }

    private String form(String base) {
      return String.join(" ", "taught", base, digest, sourceLanguage, targetLanguage);
    }

    private TaughtSentences after(List<TaughtPair> before) {
      List<TaughtPair> all = new ArrayList<>(before);
      all.addAll(texts);
      return new TaughtSentences(all, sourceLanguage, targetLanguage);
    }
  }

  @Override
  public Optional<Remembered> find(String sentence) {
    return taught.find(sentence).or(() -> next.find(sentence));
  }

  @Override
  public Optional<Remembered> findRecord(String record) {
    return taught.find(record).or(() -> next.findRecord(record));
  }

  @Override
  public List<SimilarSentence> similar(String sentence) {
    return similarity < EXACT ? taught.similar(sentence, similarity) : List.of();
  }

  @Override
  public String id() {
    return next.id();
  }

  @Override
  public String version() {
    return next.version();
  }

  @Override
  public void close() {
    closer.close();
  }
}
