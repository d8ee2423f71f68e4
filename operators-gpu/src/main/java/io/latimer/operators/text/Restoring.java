package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts what the model could not know into the output of one sentence: the protected parts, words of
 * which the source vocabulary holds nothing, and the source's own text for unknown output tokens.
 */
final class Restoring {
  /** SentencePiece's sign of a word's start. */
  private static final String WORD_START = "\u2581";

  /**
   * Source tokens to be carried over as they are.
   *
   * @param end behind the last of them; the same as {@code first} for a floating symbol
   * @param literal the text to set, untouched by what follows; null to set the tokens themselves
   * @param spaced whether a space stands before it
   */
  private record Carried(int first, int end, String literal, boolean spaced) {}

  private record Insertion(int at, Carried carried) {}

  private final SourceSentence sentence;
  private final float[][] attention;
  private final Segmenter sourceSegmenter;
  private final Segmenter targetSegmenter;
  private final List<Carried> carried = new ArrayList<>();
  private final Carried[] carriedAt;

  /** The row of the attention of each output token. */
  private final List<Integer> rows = new ArrayList<>();

  private final List<String> literals = new ArrayList<>();

  /**
   * @param attention target by source weights, or null
   * @param carryWords whether words that are unknown as a whole are carried over too
   */
  Restoring(
      SourceSentence sentence,
      float[][] attention,
      Segmenter sourceSegmenter,
      Segmenter targetSegmenter,
      boolean carryWords) {
    this.sentence = sentence;
    this.attention = attention;
    this.sourceSegmenter = sourceSegmenter;
    this.targetSegmenter = targetSegmenter;
    this.carriedAt = new Carried[sentence.tokens().size()];
    if (carryWords || !sentence.frame().carried().isEmpty()) {
      findCarried(carryWords);
    }
    for (SourceSentence.Floating symbol : sentence.floating()) {
      int at = symbol.position();
      carried.add(new Carried(at, at, symbol.literal(), symbol.spaced()));
    }
    // A symbol stood before the token of its position, and so before a part that begins there.
    carried.sort(Comparator.comparingInt(Carried::first).thenComparingInt(Carried::end));
  }

  private void findCarried(boolean carryWords) {
    List<String> tokens = sentence.tokens();
    int mark = 0;
    int first = 0;
    while (first < tokens.size()) {
      int end = first + 1;
      while (end < tokens.size()
          && !sourceSegmenter.startsWord(tokens.get(end - 1), tokens.get(end))) {
        end++;
      }
      boolean marked = false;
      for (int i = first; i < end; i++) {
        int marks = ProtectedText.marks(tokens.get(i));
        if (marks > 0 && mark < sentence.frame().carried().size()) {
          boolean spaced = i == first || isBare(i - 1);
          carry(new Carried(i, i + 1, resolve(tokens.get(i), mark), spaced));
          mark += marks;
          marked = true;
        }
      }
      if (carryWords && !marked && isUnknownWord(first, end)) {
        carryUnknownRuns(first, end);
      }
      first = end;
    }
  }

  /** Known punctuation at an unknown word is the model's to write. */
  private void carryUnknownRuns(int first, int end) {
    int at = first;
    while (at < end) {
      int start = at;
      while (at < end && sentence.id(at) == Vocabulary.UNKNOWN) {
        at++;
      }
      if (at > start) {
        boolean spaced = start == first || isBare(start - 1);
        carry(new Carried(start, at, null, spaced));
      }
      at++;
    }
  }

  private void carry(Carried part) {
    carried.add(part);
    Arrays.fill(carriedAt, part.first(), part.end(), part);
  }

  /** A run of unknown characters is one token, which may hold several marks and more. */
  private String resolve(String token, int firstMark) {
    List<String> marks = sentence.frame().carried();
    int next = firstMark;
    StringBuilder text = new StringBuilder();
    String plain = sourceSegmenter.join(List.of(token));
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      text.append(c == ProtectedText.MARK ? marks.get(next++) : String.valueOf(c));
    }
    return text.toString();
  }

  private boolean isUnknownWord(int first, int end) {
    boolean unknown = false;
    for (int i = first; i < end; i++) {
      if (sentence.id(i) == Vocabulary.UNKNOWN) {
        unknown = true;
      } else if (!isPunctuation(sentence.tokens().get(i))) {
        return false;
      }
    }
    return unknown;
  }

  private boolean isBare(int position) {
    return sourceSegmenter instanceof SentencePieceSegmenter
        && sentence.tokens().get(position).equals(WORD_START);
  }

  private static boolean isPunctuation(String token) {
    return token.codePoints().noneMatch(Character::isLetterOrDigit);
  }

  /** The tokens of the output; literals are marks in it, which {@link #literals} resolves. */
  List<String> tokens(int[] targetIds, Vocabulary target) {
    // Null stands for the carried part at the same place of inPlace.
    List<String> tokens = new ArrayList<>(targetIds.length);
    List<Carried> inPlace = new ArrayList<>();
    Set<Carried> placed = new HashSet<>();
    for (int row = 0; row < targetIds.length && targetIds[row] != Vocabulary.END; row++) {
      int id = targetIds[row];
      if (id > Vocabulary.UNKNOWN && id < target.size()) {
        rows.add(row);
        tokens.add(target.token(id));
        inPlace.add(null);
        continue;
      }
      int position = sourceOf(row, targetIds.length);
      Carried part = position < 0 ? null : carriedAt[position];
      if (part != null && placed.add(part)) {
        rows.add(row);
        tokens.add(null);
        inPlace.add(part);
      } else if (part == null && position >= 0) {
        rows.add(row);
        tokens.add(sentence.tokens().get(position));
        inPlace.add(null);
      }
    }
    return insert(tokens, inPlace, placed);
  }

  private List<String> insert(List<String> tokens, List<Carried> inPlace, Set<Carried> placed) {
    List<Insertion> insertions = new ArrayList<>();
    for (Carried part : carried) {
      if (!placed.contains(part)) {
        insertions.add(new Insertion(anchor(part, tokens, inPlace), part));
      }
    }
    insertions.sort(Comparator.comparingInt(Insertion::at));
    List<String> result = new ArrayList<>(tokens.size() + insertions.size());
    int next = 0;
    for (int i = 0; i <= tokens.size(); i++) {
      for (; next < insertions.size() && insertions.get(next).at() == i; next++) {
        set(insertions.get(next).carried(), result);
        endWord(result);
      }
      if (i < tokens.size()) {
        if (inPlace.get(i) != null) {
          set(inPlace.get(i), result);
        } else {
          result.add(tokens.get(i));
        }
      }
    }
    return result;
  }

  private void set(Carried part, List<String> result) {
    List<String> tokens;
    if (part.literal() == null) {
      tokens = sentence.tokens().subList(part.first(), part.end());
    } else {
      tokens = List.of(String.valueOf(ProtectedText.MARK));
      literals.add(part.literal());
    }
    String start = tokens.get(0);
    if (targetSegmenter instanceof SentencePieceSegmenter) {
      String bare = start.startsWith(WORD_START) ? start.substring(1) : start;
      boolean afterStart = !result.isEmpty() && result.get(result.size() - 1).equals(WORD_START);
      start = part.spaced() && !afterStart ? WORD_START + bare : bare;
    }
    result.add(start);
    result.addAll(tokens.subList(1, tokens.size()));
  }

  /** A piece that its own word's next piece followed must not draw a foreign one to it. */
  private void endWord(List<String> result) {
    int last = result.size() - 1;
    if (targetSegmenter instanceof BpeSegmenter) {
      result.set(last, targetSegmenter.join(result.subList(last, last + 1)));
    }
  }

  /** Where a part goes: behind the word that translates the source word before it. */
  private int anchor(Carried part, List<String> tokens, List<Carried> inPlace) {
    int before = part.first() - 1;
    while (before >= 0 && (carriedAt[before] != null || isBare(before))) {
      int place = carriedAt[before] == null ? -1 : inPlace.indexOf(carriedAt[before]);
      if (place >= 0) {
        return place + 1;
      }
      before--;
    }
    if (before < 0 || tokens.isEmpty()) {
      return 0;
    }
    int best = 0;
    if (attention != null) {
      for (int i = 1; i < tokens.size(); i++) {
        best = weight(i, before) > weight(best, before) ? i : best;
      }
    } else {
      best = (int) ((long) before * tokens.size() / sentence.tokens().size());
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
        && !isPunctuation(token);
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

  /** Puts the literals in place of the marks of {@link #tokens}. */
  String literals(String line) {
    if (literals.isEmpty()) {
      return line;
    }
    StringBuilder text = new StringBuilder();
    int next = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == ProtectedText.MARK && next < literals.size()) {
        text.append(literals.get(next++));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }
}
