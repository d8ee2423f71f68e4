package io.latimer.operators.phrases.index;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.index.WordTableBuilder;
import io.latimer.operators.ngram.WordIds;

/** Gives words the ids of a vocabulary, and the next ones to those that it lacks. */
final class AddedWords implements ParallelReader.Words {
  private static final byte[] END = new byte[0];

  private final WordTable base;
  private final long mostText;
  private final WordIds added = new WordIds();

  AddedWords(WordTable base) {
    this(base, WordTableBuilder.MAX_TEXT);
  }

  /**
   * The same for vocabularies of another size; for tests.
   *
   * @param mostText bytes of all words, those of the base included
   */
  AddedWords(WordTable base, long mostText) {
    this.base = base;
    this.mostText = mostText;
    added.id(END, 0, 0);
  }

  @Override
  public int id(byte[] bytes, int from, int to) {
    int id = base.id(bytes, from, to);
    return id == WordTable.UNKNOWN ? base.size() - 1 + added.id(bytes, from, to) : id;
  }

  /**
   * All words.
   *
   * @throws PhraseTextException if an index file cannot have so many
   */
  PhraseVocabulary vocabulary() {
    if (added.size() == 1) {
      return new PhraseVocabulary(base);
    }
    WordTable table = table(added);
    if (base.size() - 1 + added.size() > WordTable.MAX_WORDS
        || (long) base.text().limit() + table.text().limit() > mostText) {
      throw tooMany();
    }
    return new PhraseVocabulary(base, table);
  }

  /** The table of words, of which the first is {@link #END}. */
  static WordTable table(WordIds ids) {
    WordTableBuilder words = new WordTableBuilder(END);
    for (int id = 1; id < ids.size(); id++) {
      byte[] word = ids.bytes(id);
      if (words.add(word, 0, word.length) < 0) {
        throw tooMany();
      }
    }
    return words.build();
  }

  private static PhraseTextException tooMany() {
    return new PhraseTextException(
        "the text has too many words: the limits are "
            + WordTable.MAX_WORDS
            + " distinct words and 2 GB of them");
  }
}
