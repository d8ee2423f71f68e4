package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The directions in which a model translates; each is made when it is first needed. Thread-safe.
 */
final class Directions {
  private static final String UNKNOWN_LANGUAGE = "und";

  /** More than a model has languages: records may name one in any number of ways. */
  private static final int MAX_TAGS = 1 << 12;

  /** More than the pairs of 200 languages. */
  private static final int MAX_PAIRS = 1 << 16;

  private final TextSettings settings;
  private final SentenceFormat format;
  private final TokenIds source;
  private final TokenIds target;
  private final boolean masks;
  private final Segmenter sourceSegmenter;
  private final Segmenter targetSegmenter;
  private final Truecaser truecaser;
  private final ModelLanguages languages;
  private final Map<String, SourcePreparation> sources = new ConcurrentHashMap<>();
  private final Map<String, SourcePreparation> prefixes = new ConcurrentHashMap<>();
  private final Map<String, MosesDetokenizer> detokenizers = new ConcurrentHashMap<>();
  private final Map<Pair, Direction> directions = new ConcurrentHashMap<>();

  /** Tokens of the languages; tags where the model is not told them. */
  private record Pair(String source, String target) {}

  /**
   * The directions of a model.
   *
   * @param truecaser null if the casing needs none
   * @throws OperatorException if a vocabulary lacks a token of the format
   */
  Directions(
      TextSettings settings,
      TokenIds source,
      TokenIds target,
      Segmenter sourceSegmenter,
      Segmenter targetSegmenter,
      Truecaser truecaser) {
    this.settings = settings;
    this.format = settings.format();
    this.source = source;
    this.target = target;
    this.masks =
        settings.segmentation() == Segmentation.SPM
            && settings.tokenizer() == Tokenizer.NONE
            && Masks.areIn(source, target);
    this.sourceSegmenter = sourceSegmenter;
    this.targetSegmenter = targetSegmenter;
    this.truecaser = truecaser;
    this.languages = new ModelLanguages(format.languages());
    requireKnown(source, "source", format.sourceStart());
    requireKnown(source, "source", format.sourceEnd());
    requireKnown(target, "target", format.targetStart());
  }

  private void requireKnown(TokenIds vocabulary, String side, List<String> tokens) {
    for (String token : tokens) {
      boolean language = token.equals(SentenceFormat.SOURCE) || token.equals(SentenceFormat.TARGET);
      for (String needed : language ? format.languages() : List.of(token)) {
        if (!needed.equals(SentenceFormat.END_OF_SENTENCE)
            && vocabulary.id(needed) == Vocabulary.UNKNOWN) {
          throw new OperatorException(
              "text settings: the " + side + " vocabulary lacks " + needed + " of the format");
        }
      }
    }
  }

  /** Whether the model writes {@link Masks} where their texts belong. */
  boolean masks() {
    return masks;
  }

  /** The languages that the model is told by tokens; none if it has one of each. */
  ModelLanguages languages() {
    return languages;
  }

  /**
   * A direction.
   *
   * @param from a language, or empty for the default
   * @param to the same of the target
   * @throws RecordException if the model lacks a language, or one must be given and is not
   */
  Direction of(String from, String to) {
    String sourceLanguage =
        format.namesSource()
            ? token(from, settings.sourceLanguage(), "source", "read")
            : settings.sourceLanguage();
    String targetLanguage =
        format.namesTarget()
            ? token(to, settings.targetLanguage(), "target", "write")
            : to.isEmpty() ? settings.targetLanguage() : to;
    return cached(directions, MAX_PAIRS, new Pair(sourceLanguage, targetLanguage), this::make);
  }

  private static <K, V> V cached(Map<K, V> cache, int most, K key, Function<K, V> make) {
    V known = cache.get(key);
    if (known != null) {
      return known;
    }
    return cache.size() < most ? cache.computeIfAbsent(key, make) : make.apply(key);
  }

  /**
   * The BCP 47 tag of the language of records that say nothing themselves; {@code und} if each must
   * say it.
   *
   * @param given empty for the model's
   */
  String defaultSource(String given) {
    String language = given.isEmpty() ? settings.sourceLanguage() : given;
    return !format.namesSource()
        ? settings.sourceLanguage()
        : language.equals(UNKNOWN_LANGUAGE)
            ? language
            : languages.tag(languages.token(language, "read"));
  }

  /** The same of the target language. */
  String defaultTarget(String given) {
    String language = given.isEmpty() ? settings.targetLanguage() : given;
    return !format.namesTarget()
        ? only(given)
        : language.equals(UNKNOWN_LANGUAGE)
            ? language
            : languages.tag(languages.token(language, "write"));
  }

  private String token(String given, String otherwise, String side, String verb) {
    String language = given.isEmpty() ? otherwise : given;
    if (language.equals(UNKNOWN_LANGUAGE)) {
      throw new RecordException(
          "the model must be told the "
              + side
              + " language: give a "
              + side
              + " language; "
              + languages.all());
    }
    return languages.token(language, verb);
  }

  /** The only target language. */
  private String only(String wanted) {
    String language = settings.targetLanguage();
    if (wanted.isEmpty()) {
      return language;
    }
    if (!language.equals(UNKNOWN_LANGUAGE) && !ModelLanguages.areSame(language, wanted)) {
      throw new RecordException(
          "the model translates to \"" + language + "\" only, not to \"" + wanted + "\"");
    }
    return wanted;
  }

  private Direction make(Pair pair) {
    String from = format.namesSource() ? languages.tag(pair.source) : pair.source;
    String to = format.namesTarget() ? languages.tag(pair.target) : only(pair.target);
    return new Direction(
        to,
        cached(
            sources,
            MAX_TAGS,
            from,
            tag -> new SourcePreparation(settings, tag, source, masks, sourceSegmenter, truecaser)),
        cached(detokenizers, MAX_TAGS, to, MosesDetokenizer::new),
        ids(format.sourceStart(), source, pair),
        ids(format.sourceEnd(), source, pair),
        ids(format.targetStart(), target, pair));
  }

  private static int[] ids(List<String> tokens, TokenIds vocabulary, Pair pair) {
    UnaryOperator<String> named =
        token ->
            token.equals(SentenceFormat.SOURCE)
                ? pair.source
                : token.equals(SentenceFormat.TARGET) ? pair.target : token;
    return tokens.stream()
        .mapToInt(
            token ->
                token.equals(SentenceFormat.END_OF_SENTENCE)
                    ? Vocabulary.END
                    : vocabulary.id(named.apply(token)))
        .toArray();
  }

  /**
   * The length of a language's token that a text begins with, as users of such models write it:
   * {@code >>deu<< Good morning}.
   */
  int tagged(String text) {
    if (!format.namesTarget()) {
      return 0;
    }
    int end = text.indexOf(' ');
    boolean named =
        end > 0
            && ModelLanguages.isDecorated(text.substring(0, end))
            && format.languages().contains(text.substring(0, end));
    return named ? end : 0;
  }

  /** The tokens of a text in the target language. */
  List<String> targetTokens(String text, Direction direction) {
    return cached(
            prefixes,
            MAX_TAGS,
            direction.targetLanguage(),
            tag -> new SourcePreparation(settings, tag, target, masks, targetSegmenter, null))
        .tokens(text);
  }

  /** The ids of tokens of the target language; none of them ends a sentence. */
  int[] targetIds(List<String> tokens) {
    return SourcePreparation.ids(tokens, target);
  }
}
