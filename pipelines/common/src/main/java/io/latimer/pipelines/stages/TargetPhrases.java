package io.latimer.pipelines.stages;

import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import java.util.List;
import java.util.Optional;

/** The set of translations in phrase tables for the phrases of a source text. */
final class TargetPhrases {
  /**
   * A hash set with open addressing of phrases, whose words are separated by a space. The records
   * of a batch share the texts, and so their cached hash codes; hash codes of substrings of a
   * translation are computed incrementally, so that lookups copy nothing.
   */
  private final String[] texts;

  /** Length of the longest text in characters. */
  private int longest;

  /** Creates an empty set with room for some texts. */
  private TargetPhrases(int room) {
    texts = new String[Integer.highestOneBit(Math.max(1, room)) << 2]; // at most half full
  }

  /** The phrases of the tables of the source; empty if there is no such table. */
  static Optional<TargetPhrases> ofSource(List<SentencePhraseTable> tables) {
    List<SentencePhraseTable> ofSource =
        tables.stream().filter(one -> one.getText().equals(TextChoice.SOURCE.label())).toList();
    if (ofSource.isEmpty()) {
      return Optional.empty();
    }
    int room = 0;
    for (SentencePhraseTable table : ofSource) {
      for (SentencePhrase phrase : table.getPhrases()) {
        room += phrase.getTranslations().size();
      }
    }
    TargetPhrases phrases = new TargetPhrases(room);
    ofSource.forEach(phrases::add);
    return Optional.of(phrases);
  }

  private void add(SentencePhraseTable table) {
    for (SentencePhrase phrase : table.getPhrases()) {
      for (PhraseTranslation translation : phrase.getTranslations()) {
        String text = translation.getText();
        texts[slot(text.hashCode(), text, 0, text.length())] = text;
        longest = Math.max(longest, text.length());
      }
    }
  }

  /** The slot of a substring, or the free slot for it. */
  private int slot(int hash, String text, int start, int to) {
    int slot = place(hash);
    while (texts[slot] != null
        && !(texts[slot].length() == to - start && text.startsWith(texts[slot], start))) {
      slot = (slot + 1) & (texts.length - 1);
    }
    return slot;
  }

  private int place(int hash) {
    return (hash ^ hash >>> 16) & (texts.length - 1);
  }

  /** The share of the words that are covered by phrases, 0 to 1; 0 without words. */
  double coverage(List<String> words) {
    String text = String.join(" ", words);
    int covered = 0;
    int end = 0; // end, in characters, of what the phrases that begin before a word cover
    int start = 0;
    for (String word : words) {
      end = Math.max(end, end(text, start, start + word.length()));
      covered += start < end ? 1 : 0;
      start += word.length() + 1;
    }
    return words.isEmpty() ? 0 : (double) covered / words.size();
  }

  /**
   * The end of the longest phrase that begins with a word; 0 if none does.
   *
   * @param wordEnd the end of that word
   */
  private int end(String text, int start, int wordEnd) {
    int end = 0;
    int at = start;
    int hash = 0; // equals the hash code of a String of the characters up to here
    int to = wordEnd;
    while (to - start <= longest) {
      for (; at < to; at++) {
        hash = 31 * hash + text.charAt(at);
      }
      end = texts[slot(hash, text, start, to)] == null ? end : to;
      if (to == text.length()) {
        break;
      }
      int space = text.indexOf(' ', to + 1);
      to = space < 0 ? text.length() : space;
    }
    return end;
  }
}
