package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Puts what the model could not know into the output of one sentence: the protected parts, words of
 * which the source vocabulary holds nothing, and the source's own text for unknown output tokens.
 */
final class Restoring {
  /** A part of the source, tokens {@code first} to {@code last}, to be carried over as it is. */
  private record Carried(int first, int last, String literal, boolean spaced) {}

  private record Insertion(int at, Carried carried) {}

  private final SourceSentence sentence;
  private final float[][] attention;
  private final Segmenter sourceSegmenter;
  private final Segmenter targetSegmenter;
  private final List<Carried> carried = new ArrayList<>();
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
    if (carryWords || !sentence.frame().carried().isEmpty()) {
      findCarried(carryWords);
    }
  }

  private void findCarried(boolean carryWords) {
    List<String> tokens = sentence.tokens();
    int mark = 0;
    List<String> marks = sentence.frame().carried();
    int first = 0;
    while (first < tokens.size()) {
      int end = first + 1;
      while (end < tokens.size()
          && !sourceSegmenter.startsWord(tokens.get(end - 1), tokens.get(end))) {
        end++;
      }
      if (carryWords && ProtectedText.marks(String.join("", tokens.subList(first, end))) == 0) {
        if (isUnknownWord(first, end)) {
          String literal = sourceSegmenter.join(tokens.subList(first, end));
          carried.add(new Carried(first, end - 1, literal, true));
        }
      } else {
        for (int i = first; i < end; i++) {
          for (int k = ProtectedText.marks(tokens.get(i)); k > 0 && mark < marks.size(); k--) {
            boolean spaced = i == first || isBare(tokens.get(i - 1));
            carried.add(new Carried(i, i, marks.get(mark++), spaced));
          }
        }
      }
      first = end;
    }
  }

  private boolean isUnknownWord(int first, int end) {
    boolean unknown = false;
    for (int i = first; i < end; i++) {
      if (sentence.id(i) == Vocabulary.UNKNOWN) {
        unknown = true;
      } else if (!isBare(sentence.tokens().get(i)) && !isPunctuation(sentence.tokens().get(i))) {
        return false;
      }
    }
    return unknown;
  }

  /** SentencePiece's sign of a word's start, alone. */
  private static boolean isBare(String token) {
    return token.equals("\u2581");
  }

  private static boolean isPunctuation(String token) {
    return token.codePoints().noneMatch(Character::isLetterOrDigit) && !token.isEmpty();
  }

  /**
   * The tokens of the output; protected parts are marks in it, which {@link #literals} resolves.
   */
  List<String> tokens(int[] targetIds, Vocabulary target) {
    List<String> tokens = new ArrayList<>(targetIds.length);
    List<Carried> waiting = new ArrayList<>(carried);
    List<Carried> inPlace = new ArrayList<>();
    for (int row = 0; row < targetIds.length && targetIds[row] != Vocabulary.END; row++) {
      int id = targetIds[row];
      if (id != Vocabulary.UNKNOWN && id > 0 && id < target.size()) {
        tokens.add(target.token(id));
        inPlace.add(null);
        continue;
      }
      int position = unknownSource(row, targetIds.length);
      Carried known = coveringFirst(waiting, position);
      if (known != null) {
        waiting.remove(known);
        tokens.add(markToken(known));
      } else if (position >= 0) {
        tokens.add(sentence.tokens().get(position));
      } else {
        continue;
      }
      inPlace.add(known);
    }
    return insert(tokens, inPlace, waiting);
  }

  private List<String> insert(List<String> tokens, List<Carried> inPlace, List<Carried> waiting) {
    List<Insertion> insertions = new ArrayList<>();
    for (Carried part : waiting) {
      insertions.add(new Insertion(anchor(part, tokens), part));
    }
    insertions.sort(Comparator.comparingInt(Insertion::at));
    List<String> result = new ArrayList<>(tokens.size() + waiting.size());
    int next = 0;
    for (int i = 0; i <= tokens.size(); i++) {
      for (; next < insertions.size() && insertions.get(next).at() == i; next++) {
        result.add(markToken(insertions.get(next).carried()));
        literals.add(insertions.get(next).carried().literal());
      }
      if (i < tokens.size()) {
        result.add(tokens.get(i));
        if (inPlace.get(i) != null) {
          literals.add(inPlace.get(i).literal());
        }
      }
    }
    return result;
  }

  private String markToken(Carried part) {
    String mark = String.valueOf(ProtectedText.MARK);
    return part.spaced() && targetSegmenter instanceof SentencePieceSegmenter
        ? "\u2581" + mark
        : mark;
  }

  /** Where a part goes: behind the word that translates the source word before it. */
  private int anchor(Carried part, List<String> tokens) {
    int before = part.first() - 1;
    while (before >= 0 && (isBare(sentence.tokens().get(before)) || isCarried(before))) {
      before--;
    }
    if (before < 0 || tokens.isEmpty()) {
      return 0;
    }
    int row = -1;
    if (attention != null) {
      for (int i = 0; i < Math.min(tokens.size(), attention.length); i++) {
        if (row < 0 || attention[i][before] > attention[row][before]) {
          row = i;
        }
      }
    } else {
      row = (int) ((long) before * tokens.size() / sentence.tokens().size());
    }
    int end = row + 1;
    while (end < tokens.size()
        && !targetSegmenter.startsWord(tokens.get(end - 1), tokens.get(end))
        && !isPunctuation(tokens.get(end))) {
      end++;
    }
    return end;
  }

  private boolean isCarried(int position) {
    return carried.stream().anyMatch(part -> part.first() <= position && position <= part.last());
  }

  private static Carried coveringFirst(List<Carried> waiting, int position) {
    for (Carried part : waiting) {
      if (part.first() <= position && position <= part.last()) {
        return part;
      }
    }
    return null;
  }

  /** The source token that an unknown output token most likely stands for; -1 for none. */
  private int unknownSource(int row, int rows) {
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

  /** Puts the protected parts in place of the marks of {@link #tokens}. */
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
