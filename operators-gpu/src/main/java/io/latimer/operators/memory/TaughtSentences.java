package io.latimer.operators.memory;

import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.SimilarSentence;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.text.SentenceKey;
import io.latimer.operators.text.SentenceSplitter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Texts that corrections taught, and the sentences in them, by {@link SentenceKey}. Immutable.
 *
 * <p>A text of several sentences is known as a whole and, if its translation has as many, sentence
 * by sentence. The last correction of a sentence counts.
 */
public final class TaughtSentences implements AutoCloseable {
  private final Map<SentenceKey, SimilarSentences.Taught> known = new LinkedHashMap<>();
  private volatile SimilarSentences similar; // null until it is asked

  /**
   * Takes up pairs of texts.
   *
   * @param pairs in the order in which they were learned
   * @param sourceLanguage a BCP 47 tag, by whose rules sources are split into sentences
   * @param targetLanguage the same of targets
   */
  public TaughtSentences(List<TaughtPair> pairs, String sourceLanguage, String targetLanguage) {
    SentenceSplitter sources = new SentenceSplitter(sourceLanguage);
    SentenceSplitter targets = new SentenceSplitter(targetLanguage);
    for (TaughtPair pair : pairs) {
      add(pair, pair.source(), pair.target());
      List<SentenceSplitter.Piece> source = sources.split(pair.source(), true);
      List<SentenceSplitter.Piece> target =
          source.size() < 2 ? List.of() : targets.split(pair.target(), true);
      if (source.size() == target.size()) {
        for (int i = 0; i < source.size(); i++) {
          add(pair, source.get(i).text(), target.get(i).text());
        }
      }
    }
  }

  private void add(TaughtPair pair, String source, String target) {
    SentenceKey key = SentenceKey.of(source);
    if (!key.isEmpty()) {
      known.remove(key); // so that the newest are last
      known.put(
          key, new SimilarSentences.Taught(source, new Remembered(target, pair.id(), pair.time())));
    }
  }

  /**
   * The translation of a sentence, or of a text of several. A full stop at its end that the taught
   * one lacks is added to the translation, and one that it lacks is left out there.
   *
   * @param text raw text
   */
  public Optional<Remembered> find(String text) {
    if (known.isEmpty()) {
      return Optional.empty();
    }
    SentenceKey key = SentenceKey.of(text);
    SimilarSentences.Taught same = known.get(key);
    if (same != null) {
      return Optional.of(same.translation());
    }
    return Optional.ofNullable(known.get(new SentenceKey(key.text(), !key.stopped())))
        .map(SimilarSentences.Taught::translation)
        .map(found -> found.with(key.stopped() ? stopped(found.text()) : unstopped(found.text())));
  }

  /**
   * The taught sentences that are most similar to one, see {@link SimilarSentences}.
   *
   * @param text raw text
   * @param least similarity in percent of words, 1 to 100
   */
  public List<SimilarSentence> similar(String text, int least) {
    if (similar == null) {
      synchronized (this) {
        if (similar == null) {
          similar = new SimilarSentences(known.values());
        }
      }
    }
    return similar.find(text, least);
  }

  private static String unstopped(String text) {
    return text.substring(0, text.length() - SentenceKey.stop(text));
  }

  private static String stopped(String text) {
    int last = text.codePointBefore(text.length());
    if (!Character.isLetterOrDigit(last)) {
      return text; // ends in a mark of its own
    }
    return switch (Character.UnicodeScript.of(last)) {
      case HAN, HIRAGANA, KATAKANA -> text + "。";
      default -> text + ".";
    };
  }

  /** The number of texts and sentences. */
  public int size() {
    return known.size();
  }

  /** Does nothing. */
  @Override
  public void close() {}
}
