package io.latimer.operators.text;

import io.latimer.operators.RecordException;
import io.latimer.operators.text.SourceSentence.Frame;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.operators.text.markup.Markup;
import io.latimer.operators.text.markup.Tag;
import io.latimer.operators.text.markup.TagPlacement;
import io.latimer.operators.text.markup.WordLinks;
import io.latimer.operators.util.Utf8;
import java.text.Normalizer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Splits records into sentences and prepares them as the model's training text was prepared: the
 * input half of a pipeline.
 */
final class SourcePreparation {
  /** A longer record is refused: it is not a sentence, and would delay its batch by minutes. */
  static final int MAX_RECORD_CHARS = 100_000;

  /** Far above the usual value, about 5. */
  private static final int MAX_CHARS_PER_TOKEN = 16;

  private final TextSettings settings;
  private final TokenIds source;
  private final boolean masks;
  private final Segmenter segmenter;
  private final SentenceSplitter splitter;
  private final MosesPunctuation punctuation;
  private final MosesTokenizer tokenizer;
  private final Truecaser truecaser;
  private final Locale locale;

  /**
   * Makes the preparation of one language's texts for a model.
   *
   * @param language a BCP 47 tag
   * @param masks whether the model knows {@link Masks}
   * @param segmenter remains the caller's
   * @param truecaser null if the case is kept, whatever the settings say
   */
  SourcePreparation(
      TextSettings settings,
      String language,
      TokenIds source,
      boolean masks,
      Segmenter segmenter,
      Truecaser truecaser) {
    this.settings = settings;
    this.source = source;
    this.masks = masks;
    this.segmenter = segmenter;
    this.truecaser = truecaser;
    this.splitter = new SentenceSplitter(language);
    this.punctuation = new MosesPunctuation(language);
    this.tokenizer = new MosesTokenizer(language, settings.escapeEntities());
    this.locale = Locale.forLanguageTag(language);
  }

  Locale locale() {
    return locale;
  }

  /**
   * The sentences of a raw record, in order.
   *
   * @param skipped number of characters at its start that are not text
   * @param keep what is hidden from the model besides
   * @throws RecordException if it is not valid text, or too long
   */
  List<SourceSentence> prepare(
      String record, int skipped, boolean splitSentences, KeepPatterns keep, Direction direction) {
    String text = checked(record);
    Markup markup = markup(text.substring(skipped), keep);
    List<SentenceSplitter.Piece> pieces =
        uncut(
            markup.plain(), splitter.split(markup.plain(), splitSentences, markup.breaks()), keep);
    SentenceTags tags = new SentenceTags(markup, pieces);
    String before = text.substring(0, skipped);
    List<SourceSentence> sentences = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      boolean last = i == pieces.size() - 1;
      String after = last ? tags.before(pieces.size()).stripTrailing() : "";
      Frame frame = new Frame(before + tags.before(i), "", after, List.of(), tags.of(i), false);
      String piece = pieces.get(i).text();
      Part part =
          settings.protect() ? protect(piece, keep.find(piece), frame) : new Part(piece, frame);
      parts(part, direction, sentences);
      before = "";
    }
    if (pieces.isEmpty() && !markup.tags().isEmpty()) {
      Frame frame = new Frame(before, tags.before(0).strip(), "", List.of(), List.of(), false);
      parts(new Part("", frame), direction, sentences);
    }
    return sentences;
  }

  /** Sentences without a border inside what must stay. */
  private List<SentenceSplitter.Piece> uncut(
      String text, List<SentenceSplitter.Piece> pieces, KeepPatterns keep) {
    if (!settings.protect() || pieces.size() < 2) {
      return pieces;
    }
    BitSet inside = new BitSet();
    KeptSpans.with(keep.find(text), text).forEach(span -> inside.set(span.start() + 1, span.end()));
    List<SentenceSplitter.Piece> uncut = new ArrayList<>(pieces.size());
    int end = 0;
    for (SentenceSplitter.Piece piece : pieces) {
      int last = uncut.size() - 1;
      if (last >= 0 && inside.get(end) && inside.get(end + piece.before().length())) {
        SentenceSplitter.Piece before = uncut.get(last);
        String joined = before.text() + piece.before() + piece.text();
        uncut.set(last, new SentenceSplitter.Piece(before.before(), joined));
      } else {
        uncut.add(piece);
      }
      end += piece.before().length() + piece.text().length();
    }
    return uncut;
  }

  /** Whether a raw text has tags, which its translation gets. */
  boolean hasTags(String text, KeepPatterns keep) {
    return markup(normalize(text), keep).tags().stream().anyMatch(tag -> !tag.isEntity());
  }

  /** A text without its markup. */
  String withoutMarkup(String text, KeepPatterns keep) {
    return markup(text, keep).plain();
  }

  /** The markup of a text, of which the model sees nothing. */
  private Markup markup(String text, KeepPatterns keep) {
    if (!settings.protect() || !Markup.isPossible(text)) {
      return Markup.none(text);
    }
    return Markup.of(
        text,
        KeptSpans.with(keep.find(text), text).stream()
            .map(span -> new Markup.Range(span.start(), span.end()))
            .toList());
  }

  /**
   * A sentence of which the model does not see some parts.
   *
   * @param hidden parts of its {@link SourceSentence#raw}, in order, without overlaps
   */
  SourceSentence hide(SourceSentence sentence, List<KeptSpan> hidden) {
    Part part = protect(sentence.raw(), hidden, sentence.frame());
    String prepared = beforeSegmentation(part.text(), part.frame().continued());
    SourceSentence rest = lookUp(part, prepared, segmenter.segment(prepared), sentence.direction());
    Frame frame = sentence.frame();
    return part.text().isEmpty()
        ? rest.replacing(frame.lead() + SentenceTags.inserted(frame.tags(), sentence.raw()))
        : rest;
  }

  /**
   * The tokens of a text that is not split and of which nothing is hidden from the model.
   *
   * @throws RecordException if it is not valid text, or too long
   */
  List<String> tokens(String text) {
    return segmenter.segment(beforeSegmentation(checked(text).strip(), true));
  }

  private String checked(String record) {
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
    return text;
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

  /**
   * A sentence without what the model must not see.
   *
   * @param given what is hidden besides what always is
   * @param frame what is known of it: all but its own symbols
   */
  private Part protect(String text, List<KeptSpan> given, Frame frame) {
    ProtectedText hidden = ProtectedText.of(text, given, masks, this::isUnknown);
    if (hidden.text().isEmpty()) {
      String lead = frame.lead() + tagged(frame.tags(), text, hidden.lead());
      return new Part("", frame.withTags(List.of()).withLead(lead));
    }
    int start = hidden.lead().length();
    int end = text.length() - hidden.trail().length();
    Frame rest =
        new Frame(
            frame.before(),
            frame.lead() + hidden.lead(),
            hidden.trail() + frame.trail(),
            hidden.carried(),
            SentenceTags.within(frame.tags(), start, end),
            frame.continued());
    return new Part(hidden.text(), rest);
  }

  /** A sentence that the model does not see, with its tags. */
  private static String tagged(List<Tag> tags, String text, String translation) {
    return translation.equals(text)
        ? SentenceTags.inserted(tags, text)
        : TagPlacement.of(tags, text, translation, () -> WordLinks.inOrder(text, translation))
            .text();
  }

  /** Whether the model has no token for any part of a run of symbols. */
  private boolean isUnknown(String symbols) {
    return segmenter.segment(symbols).stream()
        .anyMatch(token -> source.id(token) == Vocabulary.UNKNOWN);
  }

  /** Translates a text in as many parts as the model needs. */
  private void parts(Part whole, Direction direction, List<SourceSentence> to) {
    Deque<Part> rest = new ArrayDeque<>();
    rest.push(whole);
    while (!rest.isEmpty()) {
      Part part = rest.pop();
      if (!addIfItFits(part, direction, to)) {
        part.halves(rest);
      }
    }
  }

  /**
   * Adds a sentence that fits the model. Characters count, too: a run of unknown characters is one
   * token, however long it is. They count first, so that the segmenter, which may be native code,
   * never reads a text of any length.
   */
  private boolean addIfItFits(Part part, Direction direction, List<SourceSentence> to) {
    String text = part.text();
    Frame frame = part.frame();
    int limit = settings.maxSourceTokens();
    boolean divisible = TextSpan.length(text) > 1;
    if (divisible && text.length() > limit * MAX_CHARS_PER_TOKEN) {
      return false;
    }
    String prepared = beforeSegmentation(text, frame.continued());
    List<String> tokens = segmenter.segment(prepared);
    if (divisible && tokens.size() > limit) {
      return false;
    }
    to.add(lookUp(part, prepared, tokens, direction));
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
      List<KeptText> carried = frame.carried();
      int marks = carried.isEmpty() ? 0 : ProtectedText.marks(left);
      List<KeptText> first = carried.subList(0, marks);
      int end =
          frame.tags().isEmpty() ? 0 : KeptText.resolve(left, first, KeptText::source).length();
      to.push(
          new Part(
              right,
              new Frame(
                  between,
                  "",
                  frame.trail(),
                  carried.subList(marks, carried.size()),
                  SentenceTags.tail(frame.tags(), end, end + between.length()),
                  true)));
      to.push(
          new Part(
              left,
              new Frame(
                  frame.before(),
                  frame.lead(),
                  "",
                  first,
                  SentenceTags.head(frame.tags(), end),
                  frame.continued())));
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
      case LOWER -> line.toLowerCase(locale);
      case TRUECASE -> truecaser == null ? line : truecaser.truecase(line, !continued);
    };
  }

  private SourceSentence lookUp(
      Part part, String text, List<String> segmented, Direction direction) {
    Frame frame = part.frame();
    String raw = KeptText.resolve(part.text(), frame.carried(), KeptText::source);
    int[] ids = ids(segmented, source);
    // If everything is known and there are no marks, nothing needs to be removed.
    if (!settings.protect() || (isKnown(ids) && frame.carried().isEmpty())) {
      return new SourceSentence(raw, text, segmented, ids, frame, List.of(), direction);
    }
    FloatingParts parts =
        new FloatingParts(
            segmented,
            frame.carried(),
            segmenter,
            token -> source.id(token) <= Vocabulary.UNKNOWN,
            word -> settings.escapeEntities() ? MosesTokenizer.unescape(word) : word);
    return new SourceSentence(
        raw,
        text,
        parts.tokens(),
        ids(parts.tokens(), source),
        frame.withCarried(parts.carried()),
        parts.floating(),
        direction);
  }

  /** The ids of tokens: a word that is spelled like the end token must not end the sentence. */
  static int[] ids(List<String> tokens, TokenIds vocabulary) {
    int[] ids = new int[tokens.size()];
    for (int i = 0; i < ids.length; i++) {
      int id = vocabulary.id(tokens.get(i));
      ids[i] = id == Vocabulary.END ? Vocabulary.UNKNOWN : id;
    }
    return ids;
  }

  private static boolean isKnown(int[] ids) {
    boolean known = true;
    for (int id : ids) {
      known &= id > Vocabulary.UNKNOWN;
    }
    return known;
  }

  /** The spans of the tokens of a record's sentences in the raw record. */
  List<List<TextSpan>> spans(String record, List<SourceSentence> sentences) {
    NormalizedPlaces places = NormalizedPlaces.of(record, form(), normalize(record));
    List<List<TextSpan>> spans = new ArrayList<>(sentences.size());
    int at = 0;
    for (SourceSentence sentence : sentences) {
      Frame frame = sentence.frame();
      int lead = sentence.isReplaced() ? 0 : TextSpan.length(frame.lead());
      int start = at + TextSpan.length(frame.before()) + lead;
      UnaryOperator<TextSpan> withTags = SentenceTags.withTags(sentence);
      spans.add(
          SourceTokens.find(sentence, segmenter, settings.escapeEntities()).stream()
              .map(span -> places.raw(withTags.apply(span).moved(start)))
              .toList());
      at =
          start
              + TextSpan.length(SentenceTags.inserted(frame.tags(), sentence.raw()))
              + TextSpan.length(frame.trail());
    }
    return spans;
  }
}
