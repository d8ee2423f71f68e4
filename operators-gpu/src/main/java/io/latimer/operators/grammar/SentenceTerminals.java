package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.ngram.SentenceWords;

/** Finds the terminals of words, unknown ones as configured. Thread-safe. */
final class SentenceTerminals {
  private final WordTable terminals;
  private final UnknownWords unknown;

  SentenceTerminals(GrammarIndex index, UnknownWords unknown) {
    this.terminals = index.terminals();
    this.unknown = unknown;
  }

  /** The terminals of a sentence, as {@link Recognizer#recognize} takes them. */
  int[] ids(SentenceWords words) {
    int[] ids = new int[words.size()];
    for (int i = 0; i < ids.length; i++) {
      int id = terminals.id(words.utf8(), words.from(i), words.to(i));
      ids[i] = id != WordTable.UNKNOWN ? id : unknown(words, i);
    }
    return ids;
  }

  private int unknown(SentenceWords words, int at) {
    return switch (unknown) {
      case REFUSE -> WordTable.UNKNOWN;
      case ANY -> terminals.size();
      case CLASS -> {
        String signature = WordSignature.of(words.word(at), at == 0, this::isKnown);
        yield signature == null ? WordTable.UNKNOWN : terminals.id(signature);
      }
    };
  }

  private boolean isKnown(String word) {
    return terminals.id(word) != WordTable.UNKNOWN;
  }
}
