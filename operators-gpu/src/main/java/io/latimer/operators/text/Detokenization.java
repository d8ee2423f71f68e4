package io.latimer.operators.text;

import io.latimer.operators.text.markup.WordLinks;
import io.latimer.operators.text.markup.WordRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Restores in the output of one sentence what the model could not know: the parts removed from the
 * source, and the source text for unknown output tokens.
 */
final class Detokenization {
  /** SentencePiece's marker for the start of a word. */
  private static final String WORD_START = "\u2581";

  /**
   * A part of the source to insert into the output unchanged.
   *
   * @param first its token, or the one before which it was removed
   * @param end after its token; equal to {@code first} for a removed part
   * @param literal its text in the translation
   * @param spaced whether a space precedes it
   * @param floating its number among the removed parts; -1 for a part that is a token
   */
  private record Carried(int first, int end, String literal, boolean spaced, int floating) {}

  /**
   * The text of a mark in the output.
   *
   * @param afterLetter whether a letter or digit may be right before it, as in the source
   * @param beforeLetter whether one may be right after it
   */
  private record Literal(String text, boolean afterLetter, boolean beforeLetter) {}

  private record Insertion(int at, Carried carried) {}

  private final SourceSentence sentence;
  private final Supplier<List<String>> copies;
  private final float[][] attention;
  private final boolean masks;
  private boolean assembled;
  private final Segmenter sourceSegmenter;
  private final Segmenter targetSegmenter;
  private final List<Carried> carried = new ArrayList<>();
  private final Carried[] carriedAt;

  /** The attention row of each output token. */
  private final List<Integer> rows = new ArrayList<>();

  private final List<Literal> literals = new ArrayList<>();

  /** The row of each token that {@link #tokens} returned; -1 for inserted ones without a row. */
  private final List<Integer> resultRows = new ArrayList<>();

  /** The carried part that each token that {@link #tokens} returned is; null for none. */
  private final List<Carried> resultParts = new ArrayList<>();

  /**
   * @param copies the sentence's tokens as they are copied for unknown ones
   * @param attention target by source weights, or null
   * @param masks whether the model writes {@link Masks}
   */
  Detokenization(
      SourceSentence sentence,
      Supplier<List<String>> copies,
      float[][] attention,
      boolean masks,
      Segmenter sourceSegmenter,
      Segmenter targetSegmenter) {
    this.sentence = sentence;
    this.copies = copies;
    this.attention = attention;
    this.masks = masks;
    this.sourceSegmenter = sourceSegmenter;
    this.targetSegmenter = targetSegmenter;
    this.carriedAt = new Carried[sentence.tokens().size()];
    findMarks();
    for (int i = 0; i < sentence.floating().size(); i++) {
      SourceSentence.Floating symbol = sentence.floating().get(i);
      int at = symbol.position();
      carried.add(new Carried(at, at, symbol.text().target(), symbol.spaced(), i));
    }
    // A removed part was before the token of its position, and so before a mark in it.
    carried.sort(Comparator.comparingInt(Carried::first).thenComparingInt(Carried::end));
  }

  /** Whether a part was put beside words that the attention chose. Call {@link #tokens} first. */
  boolean assembled() {
    return assembled;
  }

  /** Remaining marks in the tokens: symbols inside words. */
  private void findMarks() {
    List<KeptText> marks = sentence.frame().carried();
    int next = 0;
    for (int i = 0; i < sentence.tokens().size() && next < marks.size(); i++) {
      int count = ProtectedText.marks(sentence.tokens().get(i));
      if (count > 0) {
        boolean spaced = i == 0 || isBare(i - 1) || sentence.tokens().get(i).startsWith(WORD_START);
        Carried part = new Carried(i, i + 1, resolve(sentence.tokens().get(i), next), spaced, -1);
        carried.add(part);
        carriedAt[i] = part;
        next += count;
      }
    }
  }

  /**
   * A run of unknown characters is one token, which may contain several marks and other characters.
   */
  private String resolve(String token, int firstMark) {
    List<KeptText> marks = sentence.frame().carried();
    String plain = sourceSegmenter.join(List.of(token));
    return KeptText.resolve(plain, marks.subList(firstMark, marks.size()), KeptText::target);
  }

  private boolean isBare(int position) {
    return sourceSegmenter instanceof SentencePieceSegmenter
        && sentence.tokens().get(position).equals(WORD_START);
  }

  /** The tokens of the output; literals are marks in it, which {@link #literals} resolves. */
  List<String> tokens(int[] targetIds, TokenIds target) {
    // Null means the carried part at the same index of inPlace.
    List<String> tokens = new ArrayList<>(targetIds.length);
    List<Carried> inPlace = new ArrayList<>();
    Set<Carried> placed = new HashSet<>();
    for (int row = 0; row < targetIds.length && targetIds[row] != Vocabulary.END; row++) {
      int id = targetIds[row];
      boolean given = row < sentence.prefix().size();
      boolean known = given || (id > Vocabulary.UNKNOWN && id < target.size());
      String word = !known ? null : given ? sentence.prefix().get(row) : target.token(id);
      boolean mask = masks && known && !given && Masks.isMask(word);
      if (known && !mask) {
        rows.add(row);
        tokens.add(word);
        inPlace.add(null);
        continue;
      }
      int position = mask ? sentence.tokens().indexOf(word) : sourceOf(row, targetIds.length);
      Carried part = position < 0 ? null : carriedAt[position];
      if (part != null && placed.add(part)) {
        rows.add(row);
        tokens.add(null);
        inPlace.add(part);
      } else if (mask) {
        dropBare(tokens, inPlace);
      } else if (part == null && position >= 0) {
        rows.add(row);
        tokens.add(copies.get().get(position));
        inPlace.add(null);
      }
    }
    return insert(tokens, inPlace, placed);
  }

  /** Drops the marker of a word's start, before a mask that is not needed. */
  private void dropBare(List<String> tokens, List<Carried> inPlace) {
    int last = tokens.size() - 1;
    if (last >= 0 && WORD_START.equals(tokens.get(last))) {
      tokens.remove(last);
      inPlace.remove(last);
      rows.remove(last);
    }
  }

  private List<String> insert(List<String> tokens, List<Carried> inPlace, Set<Carried> placed) {
    Map<Carried, Integer> places = new HashMap<>();
    for (int i = 0; i < inPlace.size(); i++) {
      if (inPlace.get(i) != null) {
        places.put(inPlace.get(i), i);
      }
    }
    boolean anyWord =
        tokens.stream().anyMatch(token -> token != null && !FloatingParts.isPunctuation(token));
    List<Insertion> insertions = new ArrayList<>();
    for (Carried part : carried) {
      if (!placed.contains(part)) {
        insertions.add(new Insertion(anchor(part, tokens, places, anyWord), part));
        assembled = true;
      }
    }
    insertions.sort(Comparator.comparingInt(Insertion::at));
    List<String> result = new ArrayList<>(tokens.size() + insertions.size());
    int next = 0;
    for (int i = 0; i <= tokens.size(); i++) {
      for (; next < insertions.size() && insertions.get(next).at() == i; next++) {
        set(insertions.get(next).carried(), result);
        resultRows.add(-1);
        resultParts.add(insertions.get(next).carried());
      }
      if (i < tokens.size()) {
        if (inPlace.get(i) != null) {
          set(inPlace.get(i), result);
        } else {
          result.add(tokens.get(i));
        }
        resultRows.add(rows.get(i));
        resultParts.add(inPlace.get(i));
      }
    }
    return result;
  }

  private void set(Carried part, List<String> result) {
    boolean afterStart = !result.isEmpty() && result.get(result.size() - 1).equals(WORD_START);
    boolean pieces = targetSegmenter instanceof SentencePieceSegmenter;
    String start = part.spaced() && pieces && !afterStart ? WORD_START : "";
    result.add(start + ProtectedText.MARK);
    List<String> tokens = sentence.tokens();
    boolean after = part.first() > 0 && joins(lastOf(tokens.get(part.first() - 1)));
    boolean before = part.end() < tokens.size() && joins(firstOf(tokens.get(part.end())));
    literals.add(
        new Literal(part.literal(), !pieces || (after && !part.spaced()), !pieces || before));
  }

  /** Whether a character of the source joins the words beside it. */
  private static boolean joins(int point) {
    return isLetter(point) || Masks.isMark(point) || point == '\'' || point == '\u2019';
  }

  private static int firstOf(String text) {
    return text.isEmpty() ? ' ' : text.codePointAt(0);
  }

  private static int lastOf(String text) {
    return text.isEmpty() ? ' ' : text.codePointBefore(text.length());
  }

  /** Whether it is of a script with spaces around all words; Korean joins particles to names. */
  private static boolean isLetter(int point) {
    return Character.isLetterOrDigit(point)
        && ProtectedText.OF_WORDS.contains(point)
        && Character.UnicodeScript.of(point) != Character.UnicodeScript.HANGUL;
  }

  /**
   * Position of a part: after the word that translates the preceding source word.
   *
   * @param places the tokens that are carried parts
   * @param anyWord whether any token is a word
   */
  private int anchor(
      Carried part, List<String> tokens, Map<Carried, Integer> places, boolean anyWord) {
    int before = part.first() - 1;
    while (before >= 0 && (carriedAt[before] != null || isBare(before))) {
      Integer place = places.get(carriedAt[before]);
      if (place != null) {
        return place + 1;
      }
      before--;
    }
    if (before < 0 || tokens.isEmpty()) {
      return 0;
    }
    int best = (int) ((long) before * tokens.size() / sentence.tokens().size());
    if (attention != null) {
      // A full stop never translates a word, whatever the attention.
      boolean word = !FloatingParts.isPunctuation(sentence.tokens().get(before));
      float highest = -1;
      for (int i = 0; i < tokens.size(); i++) {
        String token = tokens.get(i);
        boolean fits = !word || !anyWord || (token != null && !FloatingParts.isPunctuation(token));
        if (fits && weight(i, before) > highest) {
          best = i;
          highest = weight(i, before);
        }
      }
    }
    int end = best + 1;
    while (end < tokens.size() && continuesWord(tokens.get(end - 1), tokens.get(end))) {
      end++;
    }
    return end;
  }

  private float weight(int token, int source) {
    int row = rows.get(token);
    return row < attention.length ? attention[row][source] : 0;
  }

  private boolean continuesWord(String before, String token) {
    return before != null
        && token != null
        && !targetSegmenter.startsWord(before, token)
        && !FloatingParts.isPunctuation(token);
  }

  /** The source token that an unknown output token most likely stands for; -1 for none. */
  private int sourceOf(int row, int rows) {
    int n = sentence.tokens().size();
    if (n == 0) {
      return -1;
    }
    if (attention == null || row >= attention.length) {
      return (int) ((long) row * n / rows);
    }
    int best = 0;
    for (int i = 1; i < n; i++) {
      best = attention[row][i] > attention[row][best] ? i : best;
    }
    return best;
  }

  /**
   * The positions of the model's output in the sentence's text.
   *
   * @param count number of the model's tokens
   * @param tokens the result of {@link #tokens}
   * @param line the text made from them, literals resolved
   * @param entities whether Moses' entities in the tokens are characters of the line
   */
  List<TextSpan> spans(int count, List<String> tokens, String line, boolean entities) {
    List<TextSpan> found = find(tokens, line, entities);
    List<TextSpan> spans = new ArrayList<>(Collections.nCopies(count, TextSpan.NONE));
    for (int i = 0; i < found.size(); i++) {
      if (resultRows.get(i) >= 0) {
        spans.set(resultRows.get(i), found.get(i));
      }
    }
    return spans;
  }

  /** The span of each token that {@link #tokens} returned. */
  private List<TextSpan> find(List<String> tokens, String line, boolean entities) {
    List<String> plain = targetSegmenter.surfaces(tokens);
    List<String> surfaces = resolved(entities ? Entities.resolve(plain) : plain);
    return TokenSpans.find(surfaces, line);
  }

  /**
   * How much the words of the sentence's text have to do with those of the source: by attention,
   * or, without it, as they follow each other.
   *
   * @see #spans
   */
  WordLinks links(List<String> tokens, String line, boolean entities) {
    WordLinks links =
        attention == null
            ? WordLinks.inOrder(sentence.raw(), line)
            : new WordLinks(sentence.raw(), line);
    SourceTokens source = SourceTokens.of(sentence, sourceSegmenter, entities);
    List<WordRange> sourceWords = words(source.tokens(), sentence.raw(), links::inSource);
    List<WordRange> floatingWords = words(source.floating(), sentence.raw(), links::inSource);
    List<WordRange> targetWords = words(find(tokens, line, entities), line, links::inTarget);
    for (int i = 0; i < targetWords.size(); i++) {
      Carried part = resultParts.get(i);
      int row = resultRows.get(i);
      if (part != null) {
        boolean floats = part.floating() >= 0;
        WordRange from =
            floats ? floatingWords.get(part.floating()) : sourceWords.get(part.first());
        links.addSame(from, targetWords.get(i));
      } else if (attention != null && row < attention.length) {
        for (int from = 0; from < sourceWords.size(); from++) {
          links.add(sourceWords.get(from), targetWords.get(i), attention[row][from]);
        }
      }
    }
    return links;
  }

  private static List<WordRange> words(
      List<TextSpan> spans, String text, BiFunction<Integer, Integer, WordRange> find) {
    List<WordRange> words = new ArrayList<>(spans.size());
    for (TextSpan span : spans) {
      int start = span.exists() ? text.offsetByCodePoints(0, span.start()) : 0;
      int end = span.exists() ? text.offsetByCodePoints(0, span.end()) : 0;
      words.add(span.exists() ? find.apply(start, end) : new WordRange(0, 0));
    }
    return words;
  }

  /** Surfaces with the literals in place of their marks. */
  private List<String> resolved(List<String> surfaces) {
    if (literals.isEmpty()) {
      return surfaces;
    }
    List<String> resolved = new ArrayList<>(surfaces.size());
    int next = 0;
    for (String surface : surfaces) {
      int marks = surface == null ? 0 : ProtectedText.marks(surface);
      int end = Math.min(next + marks, literals.size());
      resolved.add(
          surface == null
              ? null
              : KeptText.resolve(surface, literals.subList(next, end), Literal::text));
      next = end;
    }
    return resolved;
  }

  /**
   * Replaces the marks of {@link #tokens} with the literals. Words that were apart in the source,
   * if only by a hyphen, are apart.
   */
  String literals(String line) {
    if (literals.isEmpty()) {
      return line;
    }
    StringBuilder text = new StringBuilder();
    int next = 0;
    boolean apart = false;
    for (int i = 0; i < line.length(); i += Character.charCount(line.codePointAt(i))) {
      int point = line.codePointAt(i);
      if (!Masks.isMark(point) || next == literals.size()) {
        space(apart && isLetter(point), text);
        text.appendCodePoint(point);
        apart = false;
        continue;
      }
      Literal literal = literals.get(next++);
      space(isLetter(firstOf(literal.text())) && (apart || !literal.afterLetter()), text);
      text.append(literal.text());
      apart = !literal.beforeLetter();
    }
    return text.toString();
  }

  /** Appends a space after a letter. */
  private static void space(boolean wanted, StringBuilder text) {
    if (wanted && !text.isEmpty() && isLetter(text.codePointBefore(text.length()))) {
      text.append(' ');
    }
  }
}
