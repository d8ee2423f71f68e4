package io.latimer.operators.smt;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.util.Closer;

/** Opens translators of raw text that search with {@link DecodePhrases}. */
public final class TranslateByPhrases {
  private TranslateByPhrases() {}

  /**
   * An opener of translators for a phrase index. Index and language model are loaded once per
   * process and device, and shared by all their operators.
   *
   * @param learned pairs that the index does not have
   */
  public static IndexOpener<Translate> opener(
      TranslateByPhrasesOptions options, LearnedPairs learned) {
    return new IndexOpener<>(
        PhraseIndex.KIND,
        (residents, ref, device) -> {
          Closer opened = new Closer();
          try {
            return open(options, learned, residents, ref, device, opened);
          } catch (RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
          }
        });
  }

  private static Translate open(
      TranslateByPhrasesOptions options,
      LearnedPairs learned,
      ResidentIndexes residents,
      IndexRef ref,
      Device device,
      Closer opened) {
    Phrases phrases =
        opened.add(
            Phrases.opener(options.phrases(), options.gpuBytes(), learned)
                .open(residents, ref, device));
    Score score =
        opened.add(
            Score.opener(ScoreOptions.SENTENCES).open(residents, options.languageModel(), device));
    DecodePhrases decode =
        opened.add(new DecodePhrases(phrases, score, options.weights(), options.search()));
    PhraseIndex index = phrases.index();
    TextPipeline pipeline = opened.add(options.text().pipeline(index));
    return new Translate(
        pipeline,
        new DecodeByPhrases(decode),
        new TranslatedParts(options.search().nBest(), options.scores(), options.alignment()),
        options.splitSentences(),
        new Translate.Model(
            index.id(),
            index.version(),
            options.text().sourceLanguage(),
            options.text().targetLanguage()),
        Lease.unshared(pipeline));
  }
}
