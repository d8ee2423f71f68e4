package io.latimer.pipelines.stages;

import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The translations that phrase tables list for the phrases of a source text. */
final class TargetPhrases {
  /**
   * Words separated by a space each. The records of a batch share the texts, and so their hashes.
   */
  private final Set<String> texts = new HashSet<>();

  /** Characters of the longest text. */
  private int longest;

  private TargetPhrases() {}

  /** The phrases of the tables of the source; empty if there is no such table. */
  static Optional<TargetPhrases> ofSource(List<SentencePhraseTable> tables) {
    TargetPhrases phrases = null;
    for (SentencePhraseTable table : tables) {
      if (table.getText().equals(TextChoice.SOURCE.label())) {
        phrases = phrases == null ? new TargetPhrases() : phrases;
        phrases.add(table);
      }
    }
    return Optional.ofNullable(phrases);
  }

  private void add(SentencePhraseTable table) {
    for (SentencePhrase phrase : table.getPhrases()) {
      for (PhraseTranslation translation : phrase.getTranslations()) {
        texts.add(translation.getText());
        longest = Math.max(longest, translation.getText().length());
      }
    }
  }

  /** The share of the words that lie in one of the phrases, 0 to 1; 0 of no words. */
  double coverage(List<String> words) {
    String text = String.join(" ", words);
    int covered = 0;
    int end = 0; // of what the phrases that begin before a word cover, in characters
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
    int to = wordEnd;
    while (to - start <= longest) {
      end = texts.contains(text.substring(start, to)) ? to : end;
      if (to == text.length()) {
        break;
      }
      int space = text.indexOf(' ', to + 1);
      to = space < 0 ? text.length() : space;
    }
    return end;
  }
}
