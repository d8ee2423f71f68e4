package io.latimer.operators.text;

import io.latimer.operators.text.SourceSentence.Floating;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Removes from a sentence's tokens what the model does not know: addresses, symbols such as emoji,
 * and words of which the vocabulary contains nothing. The model translates the rest; an unknown
 * token in their place would make it invent a word.
 */
final class FloatingParts {
  private static final String WORD_START = "\u2581";
  private static final String MARK = String.valueOf(ProtectedText.MARK);

  private final List<String> tokens;
  private final List<KeptText> literals;
  private final Segmenter segmenter;
  private final boolean pieces;
  private final List<String> left = new ArrayList<>();
  private final List<KeptText> carried = new ArrayList<>();
  private final List<Floating> floating = new ArrayList<>();
  private int next;

  /**
   * Scans the tokens.
   *
   * @param tokens of the sentence
   * @param literals the texts that the marks in the tokens stand for
   * @param isUnknown whether the vocabulary lacks a token
   * @param clean converts tokens to readable text
   */
  FloatingParts(
      List<String> tokens,
      List<KeptText> literals,
      Segmenter segmenter,
      Predicate<String> isUnknown,
      UnaryOperator<String> clean) {
    this.tokens = tokens;
    this.literals = literals;
    this.segmenter = segmenter;
    this.pieces = segmenter instanceof SentencePieceSegmenter;
    int first = 0;
    while (first < tokens.size()) {
      int end = first + 1;
      while (end < tokens.size() && !segmenter.startsWord(tokens.get(end - 1), tokens.get(end))) {
        end++;
      }
      if (isUnknownWord(first, end, isUnknown)) {
        unknownWord(first, end, isUnknown, clean);
      } else {
        word(first, end);
      }
      first = end;
    }
  }

  /** The tokens left for the model. */
  List<String> tokens() {
    return left;
  }

  /** The texts of the remaining marks. */
  List<KeptText> carried() {
    return carried;
  }

  /** The removed parts, in order. */
  List<Floating> floating() {
    return floating;
  }

  private void word(int first, int end) {
    for (int i = first; i < end; i++) {
      String token = tokens.get(i);
      int from = next;
      KeptText text = resolve(pieces ? token.replace(WORD_START, "") : token);
      if (next > from && isLoose(i)) {
        takeOut(text, token);
      } else {
        left.add(token);
        carried.addAll(literals.subList(from, next));
      }
    }
  }

  /** Replaces the marks of a text with their texts. */
  private KeptText resolve(String text) {
    int from = next;
    next = Math.min(from + ProtectedText.marks(text), literals.size());
    List<KeptText> marked = literals.subList(from, next);
    return new KeptText(
        KeptText.resolve(text, marked, KeptText::source),
        KeptText.resolve(text, marked, KeptText::target));
  }

  /** A mark inside a word stays: without it the word would have other tokens. */
  private boolean isLoose(int at) {
    String token = tokens.get(at);
    String next = at + 1 < tokens.size() ? tokens.get(at + 1) : null;
    if (pieces) {
      return token.replace(WORD_START, "").replace(MARK, "").isEmpty()
          && (next == null || segmenter.startsWord(token, next) || isPunctuation(next));
    }
    return token.replace(MARK, "").isEmpty()
        && segmenter.startsWord(at > 0 ? tokens.get(at - 1) : null, token);
  }

  /** Pieces of words may stand beside known punctuation; other words must be unknown as a whole. */
  private boolean isUnknownWord(int first, int end, Predicate<String> isUnknown) {
    if (segmenter instanceof WhitespaceSegmenter) {
      return false;
    }
    boolean unknown = false;
    for (String token : tokens.subList(first, end)) {
      if (isUnknown.test(token)) {
        unknown = true;
      } else if (!pieces || !isPunctuation(token)) {
        return false;
      }
    }
    return unknown;
  }

  private void unknownWord(
      int first, int end, Predicate<String> isUnknown, UnaryOperator<String> clean) {
    int at = first;
    while (at < end) {
      int start = at;
      while (at < end && isUnknown.test(tokens.get(at))) {
        at++;
      }
      if (at > start) {
        takeOut(resolve(clean.apply(segmenter.join(tokens.subList(start, at)))), tokens.get(start));
      } else {
        word(at, at + 1);
        at++;
      }
    }
  }

  private void takeOut(KeptText literal, String firstToken) {
    boolean spaced = !pieces || firstToken.startsWith(WORD_START);
    if (pieces && !left.isEmpty() && left.get(left.size() - 1).equals(WORD_START)) {
      left.remove(left.size() - 1);
      spaced = true;
    }
    floating.add(new Floating(left.size(), literal, spaced));
  }

  /** Whether a token has neither letters nor digits. */
  static boolean isPunctuation(String token) {
    return token.codePoints().noneMatch(Character::isLetterOrDigit);
  }
}
