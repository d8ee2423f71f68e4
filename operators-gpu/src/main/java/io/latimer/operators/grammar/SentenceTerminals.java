package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.WordTable;

/** Finds the terminals of words, unknown ones as configured. Thread-safe. */
final class SentenceTerminals {
  private final WordTable terminals;
  private final UnknownWords unknown;

  SentenceTerminals(GrammarIndex index, UnknownWords unknown) {
    this.terminals = index.terminals();
    this.unknown = unknown;
  }

  /** The terminals of a sentence, as {@link Recognizer#recognize} takes them. */
  int[] ids(String[] words) {
    int[] ids = new int[words.length];
    for (int i = 0; i < words.length; i++) {
      int id = terminals.id(words[i]);
      ids[i] = id != WordTable.UNKNOWN ? id : unknown(words[i], i == 0);
    }
    return ids;
  }

  private int unknown(String word, boolean first) {
    return switch (unknown) {
      case REFUSE -> WordTable.UNKNOWN;
      case ANY -> terminals.size();
      case CLASS -> {
        String signature = WordSignature.of(word, first, this::isKnown);
        yield signature == null ? WordTable.UNKNOWN : terminals.id(signature);
      }
    };
  }

  private boolean isKnown(String word) {
    return terminals.id(word) != WordTable.UNKNOWN;
  }
}
