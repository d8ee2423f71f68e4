package io.latimer.operators.text;

import io.latimer.operators.text.SourceSentence.Floating;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes symbols such as emoji out of the tokens of a sentence, so that the model translates what is
 * left as if they were not there. An address stays, as one unknown token: it is part of the
 * grammar.
 *
 * @param tokens what is left
 * @param carried what the marks in these tokens stand for
 * @param floating what was taken out
 */
record FloatingSymbols(List<String> tokens, List<String> carried, List<Floating> floating) {
  private static final String WORD_START = "\u2581";
  private static final String MARK = String.valueOf(ProtectedText.MARK);

  /**
   * Takes the symbols out that stand at the end of a word or alone; one inside a word stays,
   * because the word's tokens would be others without it.
   */
  static FloatingSymbols of(List<String> tokens, List<String> carried, Segmenter segmenter) {
    if (carried.isEmpty()) {
      return new FloatingSymbols(tokens, carried, List.of());
    }
    List<String> left = new ArrayList<>(tokens.size());
    List<String> marked = new ArrayList<>();
    List<Floating> floating = new ArrayList<>();
    boolean pieces = segmenter instanceof SentencePieceSegmenter;
    int next = 0;
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      int marks = ProtectedText.marks(token);
      List<String> literals = carried.subList(next, Math.min(next + marks, carried.size()));
      next += literals.size();
      if (literals.isEmpty() || !isLoose(tokens, i, segmenter) || !areSymbols(literals)) {
        left.add(token);
        marked.addAll(literals);
        continue;
      }
      boolean spaced = token.startsWith(WORD_START) || !pieces;
      if (pieces && !left.isEmpty() && left.get(left.size() - 1).equals(WORD_START)) {
        left.remove(left.size() - 1);
        spaced = true;
      }
      floating.add(new Floating(left.size(), String.join("", literals), spaced));
    }
    return new FloatingSymbols(left, marked, floating);
  }

  private static boolean areSymbols(List<String> literals) {
    return literals.stream().allMatch(ProtectedText::isSymbols);
  }

  private static boolean isLoose(List<String> tokens, int at, Segmenter segmenter) {
    String token = tokens.get(at);
    String next = at + 1 < tokens.size() ? tokens.get(at + 1) : null;
    if (segmenter instanceof SentencePieceSegmenter) {
      boolean bare = token.replace(WORD_START, "").replace(MARK, "").isEmpty();
      return bare
          && (next == null
              || segmenter.startsWord(token, next)
              || next.codePoints().noneMatch(Character::isLetterOrDigit));
    }
    return token.replace(MARK, "").isEmpty()
        && segmenter.startsWord(at > 0 ? tokens.get(at - 1) : null, token);
  }
}
