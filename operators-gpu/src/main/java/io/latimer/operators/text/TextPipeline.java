package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.text.SourceSentence.Frame;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.operators.util.Utf8;
import java.text.Normalizer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Converts the text of records to the ids of a model, and back.
 *
 * <p>Thread-safe. Holds native memory if the segmentation is SentencePiece: close it.
 */
public final class TextPipeline implements AutoCloseable {
  /** A longer record is refused: it is not a sentence, and would delay its batch by minutes. */
  public static final int MAX_RECORD_CHARS = 100_000;

  /** Far above the usual value, about 5. */
  private static final int MAX_CHARS_PER_TOKEN = 16;

  private final TextSettings settings;
  private final TokenIds source;
  private final TokenIds target;
  private final Segmenter sourceSegmenter;
  private final Segmenter targetSegmenter;
  private final SentenceSplitter splitter;
  private final MosesPunctuation punctuation;
  private final MosesTokenizer tokenizer;
  private final MosesDetokenizer detokenizer;
  private final Truecaser truecaser;
  private final Locale sourceLocale;

  /** Takes over the segmenters. */
  TextPipeline(
      TextSettings settings,
      TokenIds source,
      TokenIds target,
      Segmenter sourceSegmenter,
      Segmenter targetSegmenter,
      Truecaser truecaser) {
    this.settings = settings;
    this.source = source;
    this.target = target;
    this.sourceSegmenter = sourceSegmenter;
    this.targetSegmenter = targetSegmenter;
    this.truecaser = truecaser;
    this.splitter = new SentenceSplitter(settings.sourceLanguage());
    this.punctuation = new MosesPunctuation(settings.sourceLanguage());
    this.tokenizer = new MosesTokenizer(settings.sourceLanguage(), settings.escapeEntities());
    this.detokenizer = new MosesDetokenizer(settings.targetLanguage());
    this.sourceLocale = Locale.forLanguageTag(settings.sourceLanguage());
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
    try {
      Segmenter forTarget =
          same ? forSource : segmenter(kind, targetSegmentation, "target segmentation");
      return new TextPipeline(settings, source, target, forSource, forTarget, truecaser);
    } catch (RuntimeException e) {
      forSource.close();
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
    requireShort(record, "");
    int lone = Utf8.loneSurrogate(record);
    if (lone >= 0) {
      throw new RecordException(
          String.format(
              "the text has an unpaired surrogate, U+%04X, at character %d and is not valid"
                  + " Unicode; fix the program that truncated or decoded it",
              (int) record.charAt(lone), lone + 1));
    }
    String text = normalize(record);
    requireShort(text, " after Unicode normalization"); // which can lengthen a text 18 times
    List<SourceSentence> sentences = new ArrayList<>();
    for (SentenceSplitter.Piece piece : splitter.split(text, splitSentences)) {
      sentence(piece, sentences);
    }
    return sentences;
  }

  private static void requireShort(String text, String when) {
    if (text.length() > MAX_RECORD_CHARS) {
      throw new RecordException(
          "the text has "
              + text.length()
              + " characters"
              + when
              + ", but the maximum is "
              + MAX_RECORD_CHARS
              + "; split it into several records");
    }
  }

  /**
   * Control characters carry no text and are in no vocabulary: each separates words like a space.
   */
  private String normalize(String record) {
    StringBuilder clean = null;
    for (int i = 0; i < record.length(); i++) {
      char c = record.charAt(i);
      boolean lineBreak = c == '\n' || c == '\r' || c == '\u0085';
      boolean byteOrderMark = c == '\uFEFF' && i == 0;
      if ((Character.isISOControl(c) && c != '\t' && !lineBreak) || byteOrderMark) {
        clean = clean == null ? new StringBuilder(record) : clean;
        clean.setCharAt(i, ' ');
      }
    }
    String text = clean == null ? record : clean.toString();
    return NormalizedPlaces.normalize(text, form());
  }

  private Normalizer.Form form() {
    return switch (settings.normalization()) {
      case NONE -> null;
      case NFC -> Normalizer.Form.NFC;
      case NFKC -> Normalizer.Form.NFKC;
    };
  }

  private void sentence(SentenceSplitter.Piece piece, List<SourceSentence> to) {
    if (!settings.protect()) {
      parts(piece.text(), new Frame(piece.before(), "", "", List.of(), false), to);
      return;
    }
    ProtectedText protectedText = ProtectedText.of(piece.text(), this::isUnknown);
    Frame frame =
        new Frame(
            piece.before(),
            protectedText.lead(),
            protectedText.trail(),
            protectedText.carried(),
            false);
    parts(protectedText.text(), frame, to);
  }

  /** Whether the model has no token for any part of a run of symbols. */
  private boolean isUnknown(String symbols) {
    return sourceSegmenter.segment(symbols).stream()
        .anyMatch(token -> source.id(token) == Vocabulary.UNKNOWN);
  }

  /** Translates a text in as many parts as the model needs. */
  private void parts(String text, Frame frame, List<SourceSentence> to) {
    Deque<Part> rest = new ArrayDeque<>();
    rest.push(new Part(text, frame));
    while (!rest.isEmpty()) {
      Part part = rest.pop();
      if (!addIfItFits(part, to)) {
        part.halves(rest);
      }
    }
  }

  /**
   * Adds a sentence that fits the model. Characters count, too: a run of unknown characters is one
   * token, however long it is. They count first, so that the segmenter, which may be native code,
   * never reads a text of any length.
   */
  private boolean addIfItFits(Part part, List<SourceSentence> to) {
    String text = part.text();
    Frame frame = part.frame();
    int limit = settings.maxSourceTokens();
    boolean divisible = text.codePointCount(0, text.length()) > 1;
    if (divisible && text.length() > limit * MAX_CHARS_PER_TOKEN) {
      return false;
    }
    String prepared = beforeSegmentation(text, frame.continued());
    List<String> tokens = sourceSegmenter.segment(prepared);
    if (divisible && tokens.size() > limit) {
      return false;
    }
    to.add(lookUp(ProtectedText.resolve(text, frame.carried()), prepared, tokens, frame));
    return true;
  }

  /** A text that may have to be split, and its context. */
  private record Part(String text, Frame frame) {
    /** Pushes both parts of a text that does not fit, the first one last. */
    void halves(Deque<Part> to) {
      int cut = LongSentence.cut(text);
      String left = text.substring(0, cut).stripTrailing();
      String right = text.substring(cut).stripLeading();
      String between = text.substring(left.length(), text.length() - right.length());
      List<String> carried = frame.carried();
      int marks = carried.isEmpty() ? 0 : ProtectedText.marks(left);
      to.push(
          new Part(
              right,
              new Frame(between, "", frame.trail(), carried.subList(marks, carried.size()), true)));
      to.push(
          new Part(
              left,
              new Frame(
                  frame.before(), frame.lead(), "", carried.subList(0, marks), frame.continued())));
    }
  }

  private String beforeSegmentation(String text, boolean continued) {
    String line = text;
    if (settings.normalizePunctuation()) {
      line = punctuation.normalize(line);
    }
    if (settings.tokenizer() != Tokenizer.NONE) {
      line = tokenizer.tokenize(line, settings.tokenizer() == Tokenizer.MOSES_AGGRESSIVE);
    }
    return switch (settings.casing()) {
      case KEEP -> line;
      case LOWER -> line.toLowerCase(sourceLocale);
      case TRUECASE -> truecaser.truecase(line, !continued);
    };
  }

  private SourceSentence lookUp(String raw, String text, List<String> segmented, Frame frame) {
    int[] ids = new int[segmented.size() + 1];
    boolean known = lookUp(segmented, ids);
    // If everything is known and there are no marks, nothing needs to be removed.
    if (!settings.protect() || (known && frame.carried().isEmpty())) {
      return new SourceSentence(raw, text, segmented, ids, frame, List.of());
    }
    FloatingParts parts =
        new FloatingParts(
            segmented,
            frame.carried(),
            sourceSegmenter,
            token -> source.id(token) <= Vocabulary.UNKNOWN,
            word -> settings.escapeEntities() ? MosesTokenizer.unescape(word) : word);
    ids = new int[parts.tokens().size() + 1];
    lookUp(parts.tokens(), ids);
    Frame rest =
        new Frame(frame.before(), frame.lead(), frame.trail(), parts.carried(), frame.continued());
    return new SourceSentence(raw, text, parts.tokens(), ids, rest, parts.floating());
  }

  /**
   * Looks up tokens and appends the end token.
   *
   * @return whether the model knows all of them
   */
  private boolean lookUp(List<String> tokens, int[] ids) {
    boolean known = true;
    for (int i = 0; i < tokens.size(); i++) {
      int id = source.id(tokens.get(i));
      known &= id > Vocabulary.UNKNOWN;
      // A word that is spelled like the end token must not end the sentence.
      ids[i] = id == Vocabulary.END ? Vocabulary.UNKNOWN : id;
    }
    ids[tokens.size()] = Vocabulary.END;
    return known;
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
    return restored(sentence, targetIds, attention, false).text();
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
   * @param spans span of each target token in the text; empty unless requested
   */
  public record Restored(String text, List<TextSpan> spans) {
    public Restored {
      spans = List.copyOf(spans);
    }
  }

  private Restored restored(
      SourceSentence sentence, int[] targetIds, float[][] attention, boolean wantsSpans) {
    List<String> plain = wantsSpans ? null : plainTokens(sentence, targetIds);
    if (plain != null) {
      return framed(sentence, cased(sentence, targetSegmenter.join(plain)), List.of());
    }
    Detokenization detokenization =
        new Detokenization(
            sentence, () -> copies(sentence), attention, sourceSegmenter, targetSegmenter);
    List<String> tokens = detokenization.tokens(targetIds, target);
    String line = detokenization.literals(cased(sentence, targetSegmenter.join(tokens)));
    List<TextSpan> spans =
        wantsSpans
            ? detokenization.spans(
                targetIds.length, tokens, line, settings.tokenizer() != Tokenizer.NONE)
            : List.of();
    return framed(sentence, line, spans);
  }

  /**
   * A sentence's tokens for output: words whose case the model does not know have that of the text.
   */
  private List<String> copies(SourceSentence sentence) {
    if (settings.casing() != Casing.LOWER || !(sourceSegmenter instanceof WhitespaceSegmenter)) {
      return sentence.tokens();
    }
    List<TextSpan> spans = SourceTokens.find(sentence, sourceSegmenter, settings.escapeEntities());
    List<String> copies = new ArrayList<>(sentence.tokens());
    for (int i = 0; i < copies.size(); i++) {
      String raw = spans.get(i).of(sentence.raw());
      if (raw.toLowerCase(sourceLocale).equals(copies.get(i))) { // else it is written differently
        copies.set(i, raw);
      }
    }
    return copies;
  }

  /** The model's own tokens if nothing must be inserted, which is nearly always. */
  private List<String> plainTokens(SourceSentence sentence, int[] targetIds) {
    if (!sentence.frame().carried().isEmpty() || !sentence.floating().isEmpty()) {
      return null;
    }
    List<String> tokens = new ArrayList<>(targetIds.length);
    for (int i = 0; i < targetIds.length && targetIds[i] != Vocabulary.END; i++) {
      int id = targetIds[i];
      if (id <= Vocabulary.UNKNOWN || id >= target.size()) {
        return null;
      }
      tokens.add(target.token(id));
    }
    return tokens;
  }

  private String cased(SourceSentence sentence, String joined) {
    String line = joined;
    if (settings.recasing() == Recasing.SENTENCE_START && !sentence.frame().continued()) {
      line = Truecaser.restore(line);
    }
    return settings.tokenizer() == Tokenizer.NONE ? line : detokenizer.detokenize(line);
  }

  /**
   * The text of a translated sentence that {@link #restore} did not make.
   *
   * @param line without the symbols around the sentence that the model never sees
   */
  public String framed(SourceSentence sentence, String line) {
    return framed(sentence, line, List.of()).text();
  }

  private static Restored framed(SourceSentence sentence, String line, List<TextSpan> spans) {
    Frame frame = sentence.frame();
    if (line.isEmpty()) {
      return new Restored((frame.lead() + frame.trail()).strip(), spans);
    }
    int lead = codePoints(frame.lead());
    return new Restored(
        frame.lead() + line + frame.trail(),
        lead == 0 ? spans : spans.stream().map(s -> s.moved(lead)).toList());
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
    int stripped = codePoints(record) - codePoints(record.stripLeading());
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] -= stripped;
    }
    return offsets;
  }

  private String joined(List<SourceSentence> sentences, List<String> texts, int[] offsets) {
    StringBuilder record = new StringBuilder();
    for (int i = 0; i < sentences.size(); i++) {
      Frame frame = sentences.get(i).frame();
      if (i > 0) {
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
    NormalizedPlaces places = NormalizedPlaces.of(record, form(), normalize(record));
    List<List<TextSpan>> spans = new ArrayList<>(sentences.size());
    int at = 0;
    for (SourceSentence sentence : sentences) {
      Frame frame = sentence.frame();
      int start = at + codePoints(frame.before()) + codePoints(frame.lead());
      spans.add(
          SourceTokens.find(sentence, sourceSegmenter, settings.escapeEntities()).stream()
              .map(span -> places.raw(span.moved(start)))
              .toList());
      at = start + codePoints(sentence.raw()) + codePoints(frame.trail());
    }
    return spans;
  }

  private static int codePoints(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Frees native memory. Closing twice is safe. */
  @Override
  public void close() {
    sourceSegmenter.close();
    targetSegmenter.close();
  }
}
