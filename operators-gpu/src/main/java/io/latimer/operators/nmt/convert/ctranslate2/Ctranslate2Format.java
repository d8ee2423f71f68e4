package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.convert.LanguageTokens;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.text.SentenceFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a model's sources have beside their tokens.
 *
 * <p>CTranslate2 adds the tokens of {@code add_source_bos} and {@code add_source_eos}. Its
 * converters of Marian, OPUS-MT and Fairseq set the latter; that of Hugging Face's transformers
 * sets neither, because those tokenizers add their own tokens, so such models are known by their
 * networks and vocabularies. OpenNMT's models have neither flag nor tokens.
 *
 * <p>Source: OpenNMT/CTranslate2, docs/guides/transformers.md, docs/guides/fairseq.md and
 * python/ctranslate2/converters (transformers.py, marian.py, fairseq.py, opennmt_py.py).
 */
final class Ctranslate2Format {
  private static final String PAD = "<pad>";

  /** What NLLB, M2M100 and mBART-50 have, and BPE of plain text has not. */
  private static final Pattern CERTAIN =
      Pattern.compile("__[a-z]{2,8}__|[a-z]{3}_[A-Z][a-z]{3}|[a-z]{2}_XX");

  private Ctranslate2Format() {}

  /**
   * The format.
   *
   * @param source the source vocabulary
   * @param target the target vocabulary
   * @throws ModelFormatException if the model has languages where no sentence here can have them,
   *     or the vocabulary lacks a token of the format
   */
  static SentenceFormat of(
      Ctranslate2Settings model,
      TransformerVariant variant,
      List<String> source,
      List<String> target) {
    boolean startsWithEnd = model.start().equals(Optional.of(model.end()));
    if (startsWithEnd && variant.start() != TransformerVariant.NO_START) {
      List<String> languages = shared(model, LanguageTokens.named(source), target);
      if (!languages.isEmpty()) {
        return LanguageTokens.around(languages, false, true);
      }
    }
    boolean ends = model.addsSourceEnd() || isEndedByTokenizer(model, variant);
    List<String> before = LanguageTokens.marian(source);
    if (before.isEmpty()) {
      before = LanguageTokens.t5(source);
    }
    SentenceFormat format =
        before.isEmpty()
            ? new SentenceFormat(
                List.of(),
                ends ? List.of(SentenceFormat.END_OF_SENTENCE) : List.of(),
                List.of(),
                List.of())
            : LanguageTokens.before(before, ends);
    boolean neither = !model.addsSourceBegin() && !model.addsSourceEnd();
    boolean isBart = startsWithEnd && variant.normalizesEmbeddings() && neither && before.isEmpty();
    if (isBart) {
      return new SentenceFormat(
          begin(model, source), List.of(SentenceFormat.END_OF_SENTENCE), List.of(), List.of());
    }
    if (!model.addsSourceBegin()) {
      return format;
    }
    List<String> start = new ArrayList<>(begin(model, source));
    start.addAll(format.sourceStart());
    return new SentenceFormat(start, format.sourceEnd(), List.of(), format.languages());
  }

  /**
   * Whether a tokenizer of Hugging Face's appends the end token: Marian, whose decoder starts
   * without a word; T5, by its positions; Pegasus and T5, by their start.
   */
  private static boolean isEndedByTokenizer(Ctranslate2Settings model, TransformerVariant variant) {
    return variant.start() == TransformerVariant.NO_START
        || variant.positions() == Positions.RELATIVE
        || model.start().equals(Optional.of(PAD));
  }

  /** The token of a sentence's begin, which may be that of the end. */
  private static List<String> begin(Ctranslate2Settings model, List<String> source) {
    if (model.begin().equals(model.end())) {
      return List.of(SentenceFormat.END_OF_SENTENCE);
    }
    model.id(source, model.begin());
    return List.of(model.begin());
  }

  /** Those of the named languages that sources and translations can have. */
  private static List<String> shared(
      Ctranslate2Settings model, List<String> named, List<String> target) {
    if (named.size() < 2 || named.stream().noneMatch(CERTAIN.asMatchPredicate())) {
      return List.of();
    }
    Set<String> known = new HashSet<>(target);
    List<String> both = named.stream().filter(known::contains).toList();
    if (both.isEmpty()) {
      throw new ModelFormatException(
          model.origin()
              + ": the source vocabulary names languages, such as "
              + named.get(0)
              + ", that the target vocabulary lacks, but only models with languages in both can be"
              + " read");
    }
    return both;
  }
}
