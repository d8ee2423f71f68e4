package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.text.SourceSentence.Frame;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.operators.text.markup.Tag;
import io.latimer.operators.text.markup.TagPlacement;
import io.latimer.operators.text.markup.WordLinks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Converts the text of records to the ids of a model, and back.
 *
 * <p>Thread-safe. Holds native memory if the segmentation is SentencePiece: close it.
 */
public final class TextPipeline implements AutoCloseable {
  /** Maximum length of a record; a longer one is refused. */
  public static final int MAX_RECORD_CHARS = SourcePreparation.MAX_RECORD_CHARS;

  private final TextSettings settings;
  private final TokenIds target;
  private final Segmenter sourceSegmenter;
  private final Segmenter targetSegmenter;
  private final Directions directions;

  /** Takes over the segmenters. */
  TextPipeline(
      TextSettings settings,
      TokenIds source,
      TokenIds target,
      Segmenter sourceSegmenter,
      Segmenter targetSegmenter,
      Truecaser truecaser) {
    this.settings = settings;
    this.target = target;
    this.sourceSegmenter = sourceSegmenter;
    this.targetSegmenter = targetSegmenter;
    this.directions =
        new Directions(settings, source, target, sourceSegmenter, targetSegmenter, truecaser);
  }

  /**
   * Makes the pipeline of a model without a truecase model.
   *
   * @param settings how the model's training text was prepared
   * @param source the vocabulary of the input
   * @param target the vocabulary of the output
   * @param sourceSegmentation the bytes of the codes file or SentencePiece model; unused if the
   *     segmentation is none
   * @param targetSegmentation the same for the output; empty if it equals the source's
   * @throws OperatorException if the bytes do not match the settings
   */
  public static TextPipeline of(
      TextSettings settings,
      TokenIds source,
      TokenIds target,
      byte[] sourceSegmentation,
      byte[] targetSegmentation) {
    return of(settings, source, target, sourceSegmentation, targetSegmentation, Optional.empty());
  }

  /**
   * Makes the pipeline of a model.
   *
   * @param truecaseModel the bytes of a Moses truecase model, required exactly if the casing is
   *     {@link Casing#TRUECASE}
   * @see #of(TextSettings, TokenIds, TokenIds, byte[], byte[])
   */
  public static TextPipeline of(
      TextSettings settings,
      TokenIds source,
      TokenIds target,
      byte[] sourceSegmentation,
      byte[] targetSegmentation,
      Optional<byte[]> truecaseModel) {
    if (truecaseModel.isPresent() != (settings.casing() == Casing.TRUECASE)) {
      throw new OperatorException(
          "text settings: casing is "
              + settings.casing()
              + " and a truecase model is "
              + (truecaseModel.isPresent() ? "there" : "missing")
              + "; give one if and only if the casing is TRUECASE");
    }
    Truecaser truecaser =
        truecaseModel.map(bytes -> Truecaser.of(bytes, "truecase model")).orElse(null);
    Segmentation kind = settings.segmentation();
    Segmenter forSource = segmenter(kind, sourceSegmentation, "source segmentation");
    boolean same =
        targetSegmentation.length == 0 || Arrays.equals(sourceSegmentation, targetSegmentation);
    Segmenter forTarget = forSource;
    try {
      forTarget = same ? forSource : segmenter(kind, targetSegmentation, "target segmentation");
      return new TextPipeline(settings, source, target, forSource, forTarget, truecaser);
    } catch (RuntimeException e) {
      forSource.close();
      forTarget.close();
      throw e;
    }
  }

  private static Segmenter segmenter(Segmentation kind, byte[] bytes, String name) {
    return switch (kind) {
      case NONE -> new WhitespaceSegmenter();
      case BPE -> BpeSegmenter.of(bytes, name);
      case SPM -> SentencePieceSegmenter.of(bytes, name);
    };
  }

  /** The settings of this pipeline. */
  public TextSettings settings() {
    return settings;
  }

  /**
   * Splits a record into the sentences that the model translates separately.
   *
   * @param record raw text; may be empty or blank, and then has no sentences
   * @return the sentences in order; none has more than {@link TextSettings#maxSourceTokens()}
   *     tokens
   * @throws RecordException if the text contains an unpaired surrogate or is longer than {@link
   *     #MAX_RECORD_CHARS}
   */
  public List<SourceSentence> prepare(String record) {
    return prepare(record, settings.splitSentences());
  }

  /**
   * Splits a record into sentences.
   *
   * @param splitSentences whether a line of the record may contain several sentences; overrides the
   *     settings
   * @see #prepare(String)
   */
  public List<SourceSentence> prepare(String record, boolean splitSentences) {
    return prepare(new TextInput(record, Guidance.NONE), splitSentences, KeepPatterns.NONE);
  }

  /**
   * Splits a record into sentences. A text may begin with the model's token of its target language,
   * as in {@code >>deu<< Good morning}, where no target language is given.
   *
   * <p>If the text has tags, the markup of a prefix is left out: the text's own is put in.
   *
   * @param keep what the model does not see besides what always stays; without effect if the
   *     settings protect nothing
   * @throws RecordException also if the model lacks a language, or must be told one
   * @see #prepare(String, boolean)
   */
  public List<SourceSentence> prepare(TextInput record, boolean splitSentences, KeepPatterns keep) {
    String text = record.text();
    Guidance guidance = record.guidance();
    int tagged = tagged(record);
    Direction direction = direction(record, tagged);
    List<SourceSentence> sentences =
        direction.preparation().prepare(text, tagged, splitSentences, keep, direction);
    if (!guidance.targetPrefix().isBlank() && !sentences.isEmpty()) {
      SourcePreparation preparation = direction.preparation();
      boolean tags = preparation.hasTags(text.substring(tagged), keep);
      String prefix = guidance.targetPrefix().strip();
      String plain = tags ? preparation.withoutMarkup(prefix, keep).strip() : prefix;
      if (!plain.isEmpty()) {
        sentences.set(0, begun(sentences.get(0), plain, direction));
      }
    }
    return sentences;
  }

  /** The length of the token of its target language that a text begins with; mostly 0. */
  private int tagged(TextInput record) {
    return record.guidance().targetLanguage().isEmpty() ? directions.tagged(record.text()) : 0;
  }

  private Direction direction(TextInput record, int tagged) {
    Guidance guidance = record.guidance();
    return directions.of(
        guidance.sourceLanguage(),
        tagged > 0 ? record.text().substring(0, tagged) : guidance.targetLanguage());
  }

  /**
   * The languages that a text is translated from and to.
   *
   * @throws RecordException if the model lacks a language, or must be told one
   */
  public LanguagePair languages(TextInput record) {
    Direction direction = direction(record, tagged(record));
    return new LanguagePair(
        direction.preparation().locale().toLanguageTag(), direction.targetLanguage());
  }

  /**
   * A sentence of which the model does not see some parts.
   *
   * @param hidden parts of its {@link SourceSentence#raw}, in order, without overlaps
   */
  public SourceSentence hide(SourceSentence sentence, List<KeptSpan> hidden) {
    return sentence.direction().preparation().hide(sentence, hidden);
  }

  /** For how many parts of a sentence that the model does not see it writes where they belong. */
  public int masks() {
    return directions.masks() ? Masks.COUNT : 0;
  }

  /**
   * The parts of a sentence's {@link SourceSentence#raw} that the model does not see.
   *
   * @param keep the patterns with which it was prepared
   */
  public List<KeptSpan> kept(SourceSentence sentence, KeepPatterns keep) {
    String raw = sentence.raw();
    return settings.protect() ? KeptSpans.with(keep.find(raw), raw) : List.of();
  }

  /** Symbols before the sentence are the prefix's, which may repeat them. */
  private SourceSentence begun(SourceSentence first, String prefix, Direction direction) {
    if (first.isEmpty()) {
      return first; // a text without words stays as it is
    }
    String lead = first.frame().lead();
    boolean repeated = !lead.isBlank() && prefix.startsWith(lead.strip());
    String text = repeated ? prefix.substring(lead.strip().length()) : prefix;
    List<String> tokens = directions.targetTokens(text, direction);
    return first.beginningWith(repeated ? lead : "", tokens, directions.targetIds(tokens));
  }

  /**
   * The BCP 47 tag of the texts whose senders do not name a language; {@code und} if they must, or
   * if it is unknown.
   *
   * @param guidance for these texts
   * @throws OperatorException listing the model's languages, if it lacks the one of the guidance
   */
  public String sourceLanguage(Guidance guidance) {
    return language(() -> directions.defaultSource(guidance.sourceLanguage()));
  }

  /** The same of their translations. */
  public String targetLanguage(Guidance guidance) {
    return language(() -> directions.defaultTarget(guidance.targetLanguage()));
  }

  private static String language(Supplier<String> known) {
    try {
      return known.get();
    } catch (RecordException e) {
      throw new OperatorException(e.getMessage(), e);
    }
  }

  /**
   * Converts the output of the model for one sentence to text.
   *
   * @param sentence the source sentence
   * @param targetIds ids of the target vocabulary, with or without the end token; an id outside it
   *     counts as unknown
   * @param attention for each target token the weights over the source tokens, including the end
   *     token; null if unknown. It determines the positions of protected parts and the source of
   *     unknown tokens
   * @return the detokenized sentence
   */
  public String restore(SourceSentence sentence, int[] targetIds, float[][] attention) {
    return restored(sentence, targetIds, attention).text();
  }

  /**
   * Converts the output of the model for one sentence to text, without spans.
   *
   * @see #restore
   */
  public Restored restored(SourceSentence sentence, int[] targetIds, float[][] attention) {
    return restored(sentence, targetIds, attention, false);
  }

  /**
   * Converts the output of the model for one sentence to text with the spans of tokens.
   *
   * @see #restore
   */
  public Restored restoreWithSpans(SourceSentence sentence, int[] targetIds, float[][] attention) {
    return restored(sentence, targetIds, attention, true);
  }

  /**
   * The text of a translated sentence.
   *
   * @param line without markup and the symbols around it
   * @param spans span of each target token in the text; empty unless requested
   * @param assembled whether attention decided where a part that the model did not see belongs
   */
  public record Restored(String text, String line, List<TextSpan> spans, boolean assembled) {
    public Restored {
      spans = List.copyOf(spans);
    }

    private Restored withLine(String other) {
      return new Restored(text, other, spans, assembled);
    }
  }

  private Restored restored(
      SourceSentence sentence, int[] targetIds, float[][] attention, boolean wantsSpans) {
    List<String> plain = wantsSpans ? null : plainTokens(sentence, targetIds);
    if (plain != null) {
      return framed(sentence, cased(sentence, targetSegmenter.join(plain)), List.of(), false);
    }
    boolean entities = settings.tokenizer() != Tokenizer.NONE;
    Detokenization detokenization =
        new Detokenization(
            sentence,
            () -> copies(sentence),
            attention,
            directions.masks(),
            sourceSegmenter,
            targetSegmenter);
    List<String> tokens = detokenization.tokens(targetIds, target);
    String line = detokenization.literals(cased(sentence, targetSegmenter.join(tokens)));
    List<TextSpan> spans =
        wantsSpans ? detokenization.spans(targetIds.length, tokens, line, entities) : List.of();
    return tagged(
        sentence,
        line,
        spans,
        detokenization.assembled(),
        () -> detokenization.links(tokens, line, entities));
  }

  /**
   * A sentence's tokens for output: words whose case the model does not know have that of the text.
   */
  private List<String> copies(SourceSentence sentence) {
    if (settings.casing() != Casing.LOWER || !(sourceSegmenter instanceof WhitespaceSegmenter)) {
      return sentence.tokens();
    }
    List<TextSpan> spans = SourceTokens.find(sentence, sourceSegmenter, settings.escapeEntities());
    Locale locale = sentence.direction().preparation().locale();
    List<String> copies = new ArrayList<>(sentence.tokens());
    for (int i = 0; i < copies.size(); i++) {
      String raw = spans.get(i).of(sentence.raw());
      if (raw.toLowerCase(locale).equals(copies.get(i))) { // else it is written differently
        copies.set(i, raw);
      }
    }
    return copies;
  }

  /** The model's own tokens if nothing must be inserted, which is nearly always. */
  private List<String> plainTokens(SourceSentence sentence, int[] targetIds) {
    if (!sentence.isWhole() || !sentence.frame().tags().isEmpty()) {
      return null;
    }
    List<String> tokens = new ArrayList<>(targetIds.length);
    for (int i = 0; i < targetIds.length && targetIds[i] != Vocabulary.END; i++) {
      int id = targetIds[i];
      if (i < sentence.prefix().size()) {
        tokens.add(sentence.prefix().get(i));
        continue;
      }
      if (id <= Vocabulary.UNKNOWN || id >= target.size()) {
        return null;
      }
      String token = target.token(id);
      if (directions.masks() && Masks.isMask(token)) {
        return null;
      }
      tokens.add(token);
    }
    return tokens;
  }

  private String cased(SourceSentence sentence, String joined) {
    String line = joined;
    if (settings.recasing() == Recasing.SENTENCE_START && !sentence.frame().continued()) {
      line = Truecaser.restore(line);
    }
    return settings.tokenizer() == Tokenizer.NONE
        ? line
        : sentence.direction().detokenizer().detokenize(line);
  }

  /**
   * The text of a translated sentence that {@link #restore} did not make.
   *
   * @param line without the symbols around the sentence that the model never sees
   */
  public String framed(SourceSentence sentence, String line) {
    Supplier<WordLinks> links = () -> WordLinks.inOrder(sentence.raw(), line);
    return tagged(sentence, line, List.of(), false, links).text();
  }

  /** A sentence's text with its tags around the words that correspond. */
  private static Restored tagged(
      SourceSentence sentence,
      String line,
      List<TextSpan> spans,
      boolean assembled,
      Supplier<WordLinks> links) {
    List<Tag> tags = sentence.frame().tags();
    if (tags.isEmpty()) {
      return framed(sentence, line, spans, assembled);
    }
    TagPlacement placed = TagPlacement.of(tags, sentence.raw(), line, links);
    List<TextSpan> moved = spans.isEmpty() ? spans : TokenSpans.moved(spans, placed::offset);
    return framed(sentence, placed.text(), moved, assembled).withLine(line);
  }

  private static Restored framed(
      SourceSentence sentence, String line, List<TextSpan> spans, boolean assembled) {
    Frame frame = sentence.frame();
    if (line.isEmpty()) {
      return new Restored((frame.lead() + frame.trail()).strip(), line, spans, assembled);
    }
    int lead = TextSpan.length(frame.lead());
    return new Restored(
        frame.lead() + line + frame.trail(),
        line,
        lead == 0 ? spans : spans.stream().map(s -> s.moved(lead)).toList(),
        assembled);
  }

  /**
   * Joins the translated sentences of a record with its line breaks and spaces.
   *
   * @param sentences all sentences of one record, in order
   * @param texts the results of {@link #restore}
   */
  public String rejoin(List<SourceSentence> sentences, List<String> texts) {
    return joined(sentences, texts, new int[sentences.size()]).strip();
  }

  /**
   * The start of each sentence in the result of {@link #rejoin}, in code points. A sentence whose
   * text starts with a space may start before the record's text.
   */
  public int[] offsets(List<SourceSentence> sentences, List<String> texts) {
    int[] offsets = new int[sentences.size()];
    String record = joined(sentences, texts, offsets);
    int stripped = TextSpan.length(record) - TextSpan.length(record.stripLeading());
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] -= stripped;
    }
    return offsets;
  }

  private String joined(List<SourceSentence> sentences, List<String> texts, int[] offsets) {
    StringBuilder record = new StringBuilder();
    for (int i = 0; i < sentences.size(); i++) {
      Frame frame = sentences.get(i).frame();
      MosesDetokenizer detokenizer = sentences.get(i).direction().detokenizer();
      if (i == 0) {
        record.append(frame.before(), directions.tagged(frame.before()), frame.before().length());
      } else {
        // Chinese sentences are joined without a space; their translation needs one.
        boolean needsSpace =
            frame.before().isEmpty() && !frame.continued() && !detokenizer.writesWithoutSpaces();
        record.append(needsSpace ? " " : frame.before());
      }
      offsets[i] = record.codePointCount(0, record.length());
      record.append(texts.get(i));
    }
    return record.toString();
  }

  /**
   * The spans of the tokens of a record's sentences in the raw record.
   *
   * @param record the raw text
   * @param sentences the result of {@link #prepare}
   * @return for each sentence the span of each token
   */
  public List<List<TextSpan>> sourceSpans(String record, List<SourceSentence> sentences) {
    return sentences.isEmpty()
        ? List.of()
        : sentences.get(0).direction().preparation().spans(record, sentences);
  }

  /** Frees native memory. Closing twice is safe. */
  @Override
  public void close() {
    sourceSegmenter.close();
    targetSegmenter.close();
  }
}
