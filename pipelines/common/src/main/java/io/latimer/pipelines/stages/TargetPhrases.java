package io.latimer.pipelines.stages;

import io.latimer.operators.ngram.WordIds;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The translations that phrase tables list for the phrases of a source text. */
final class TargetPhrases {
  /** The phrases word by word, so that a search ends at the first word that continues none. */
  private static final class Node {
    private final Map<String, Node> next = new HashMap<>();
    private boolean isPhrase;
  }

  private final Node root = new Node();

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
        Node at = root;
        for (String word : WordIds.split(translation.getText())) {
          at = at.next.computeIfAbsent(word, w -> new Node());
        }
        at.isPhrase = true;
      }
    }
  }

  /** The share of the words that lie in one of the phrases, 0 to 1; 0 of no words. */
  double coverage(List<String> words) {
    int covered = 0;
    int end = 0; // of what the phrases that begin before a word cover
    for (int from = 0; from < words.size(); from++) {
      end = Math.max(end, from + longest(words, from));
      covered += from < end ? 1 : 0;
    }
    return words.isEmpty() ? 0 : (double) covered / words.size();
  }

  /** Words of the longest phrase that begins at a word; 0 if none does. */
  private int longest(List<String> words, int from) {
    int longest = 0;
    Node at = root;
    for (int i = from; i < words.size(); i++) {
      at = at.next.get(words.get(i));
      if (at == null) {
        return longest;
      }
      longest = at.isPhrase ? i + 1 - from : longest;
    }
    return longest;
  }
}
