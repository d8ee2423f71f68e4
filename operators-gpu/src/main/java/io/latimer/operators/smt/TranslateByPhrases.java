package io.latimer.operators.smt;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.memory.LearnedMemory;
import io.latimer.operators.nmt.Safeguards;
import io.latimer.operators.nmt.TextTranslator;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.nmt.TranslationMemory;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.TargetBigrams;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.LanguagePair;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.Closer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Translates raw text as {@link Translate} does, by phrases; a text or sentence that a learned pair
 * taught has the translation there, as it was taught.
 */
public final class TranslateByPhrases implements TextTranslator {
  private final Translate translate;
  private final DecodePhrases decode;
  private final TextPipeline source;
  private final TextPipeline target;

  /**
   * Makes a translator.
   *
   * @param translate closed with this object; owns the others
   * @param source prepares texts of the source language
   * @param target prepares texts of the target language
   */
  private TranslateByPhrases(
      Translate translate, DecodePhrases decode, TextPipeline source, TextPipeline target) {
    this.translate = translate;
    this.decode = decode;
    this.source = source;
    this.target = target;
  }

  /**
   * An opener of translators for a phrase index. Index and language model are loaded once per
   * process and device, and shared by all their operators.
   */
  public static IndexOpener<TranslateByPhrases> opener(TranslateByPhrasesOptions options) {
    return opener(options, LearnedPairs.none(), LearnedMemory.EXACT);
  }

  /**
   * The same for an index and the pairs that a job learned since it was made.
   *
   * @param learned pairs that the index does not have
   * @param similarity from which taught sentences are similar, in percent of words; {@link
   *     LearnedMemory#EXACT} for none
   */
  public static IndexOpener<TranslateByPhrases> opener(
      TranslateByPhrasesOptions options, LearnedPairs learned, int similarity) {
    return new IndexOpener<>(
        PhraseIndex.KIND,
        (residents, ref, device) -> {
          Closer opened = new Closer();
          try {
            return open(options, learned, similarity, residents, ref, device, opened);
          } catch (RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
          }
        });
  }

  private static TranslateByPhrases open(
      TranslateByPhrasesOptions options,
      LearnedPairs learned,
      int similarity,
      ResidentIndexes residents,
      IndexRef ref,
      Device device,
      Closer opened) {
    Phrases phrases =
        opened.add(
            Phrases.opener(options.phrases(), options.gpuBytes(), learned)
                .open(residents, ref, device));
    Device scoring = Device.parse(options.languageModelDevice(), device);
    Score score =
        opened.add(
            Score.opener(ScoreOptions.SENTENCES).open(residents, options.languageModel(), scoring));
    DecodePhrases decode =
        opened.add(new DecodePhrases(phrases, score, options.weights(), options.search()));
    TextPipeline source = opened.add(options.text().pipeline(phrases.index()));
    TextPipeline target = opened.add(options.text().reverse(phrases.index()));
    Lease<TargetBigrams> taught =
        opened.add(taught(residents, ref, phrases.index().base(), options.text()));
    decode.teach(taught.get());
    Translate.Model model = model(phrases.index(), options.text());
    TranslationMemory memory =
        opened.add(
            LearnedMemory.open(
                residents,
                ref,
                phrases.index(),
                options.text().learned(learned.taught(), learned, similarity),
                TranslationMemory.NONE));
    Translate translate =
        new Translate(
            source,
            new DecodeByPhrases(
                decode, options.scores() ? options.weights().judge() : Optional.empty()),
            new TranslatedParts(options.search().nBest(), options.scores(), options.alignment()),
            options.splitSentences(),
            Guidance.NONE,
            model,
            memory,
            Safeguards.DEFAULTS,
            Terminology.NONE,
            Lease.unshared(
                () -> {
                  source.close();
                  target.close();
                  taught.close();
                }));
    return new TranslateByPhrases(translate, decode, source, target);
  }

  /** The target words of the texts that an index file was taught, shared by all translators. */
  private static Lease<TargetBigrams> taught(
      ResidentIndexes residents, IndexRef ref, PhraseIndex file, PhraseText text) {
    return file.isTaught()
        ? residents.derive(
            ref,
            Device.CPU,
            TargetBigrams.class,
            text.toString(),
            () -> Lease.<AutoCloseable>unshared(() -> {}),
            unused -> taught(file, text))
        : Lease.unshared(TargetBigrams.NONE);
  }

  private static TargetBigrams taught(PhraseIndex file, PhraseText text) {
    try (TextPipeline target = text.reverse(file)) {
      List<int[]> sentences = new ArrayList<>();
      for (TaughtPair pair : file.taught()) {
        sentences.add(words(target, pair.target()).mapToInt(file.target()::id).toArray());
      }
      return new TargetBigrams(sentences);
    }
  }

  private static Translate.Model model(PhraseIndex index, PhraseText text) {
    return new Translate.Model(
        index.id(), index.version(), text.sourceLanguage(), text.targetLanguage());
  }

  /** Identifies the phrase index. */
  public Translate.Model model() {
    return translate.model();
  }

  /** The phrase index. */
  public PhraseIndex index() {
    return decode.index();
  }

  /** The language model. */
  public LanguageModel languageModel() {
    return decode.languageModel();
  }

  /**
   * Prepares a pair of raw texts for learning: splits them into words and cases them like the
   * index's text. Parts that the translator does not see, such as addresses, are left out of the
   * words. Thread-safe.
   *
   * @param pair without links; keeps its texts
   * @throws io.latimer.operators.RecordException if a text cannot be prepared or has no words
   */
  public LearnedPair prepare(LearnedPair pair) {
    return pair.withWords(
        words(source, pair.source()).collect(Collectors.joining(" ")),
        words(target, pair.target()).collect(Collectors.joining(" ")));
  }

  private static Stream<String> words(TextPipeline pipeline, String text) {
    return pipeline.prepare(text).stream().flatMap(sentence -> sentence.tokens().stream());
  }

  @Override
  public LanguagePair languages(TextInput text) {
    return translate.languages(text);
  }

  /** Translates texts; one that must begin with a given text fails. */
  @Override
  public List<Result<Translated>> translate(List<TextInput> batch) {
    return translate.translate(batch);
  }

  @Override
  public int inFlight() {
    return translate.inFlight();
  }

  @Override
  public void abandon() {
    translate.abandon();
  }

  @Override
  public void close() {
    translate.close();
  }
}
