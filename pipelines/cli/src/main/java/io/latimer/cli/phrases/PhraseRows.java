package io.latimer.cli.phrases;

import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.SourcePhrase;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Formats phrase pairs as rows, in the order of the UTF-8 bytes of f, then of e. */
final class PhraseRows {
  private final RowFormat format;
  private final int best;
  private final Map<String, byte[]> printed = new HashMap<>();

  /**
   * @param best translations of each source phrase to print, the most frequent ones; 0 for all
   */
  PhraseRows(RowFormat format, int best) {
    this.format = format;
    this.best = best;
  }

  /** The translations of a phrase to print, the most frequent first. */
  static List<PhrasePair> best(SourcePhrase phrase, int best) {
    List<PhrasePair> pairs = phrase.pairs();
    return best == 0 ? pairs : pairs.subList(0, Math.min(best, pairs.size()));
  }

  /** The rows of a sentence. */
  byte[] of(PhraseTable table) {
    TreeMap<String, SourcePhrase> sorted = new TreeMap<>(Utf8Order.COMPARATOR);
    table.phrases().forEach(phrase -> sorted.put(phrase.text(), phrase));
    ByteArrayOutputStream rows = new ByteArrayOutputStream();
    sorted.forEach(
        (text, phrase) ->
            rows.writeBytes(printed.computeIfAbsent(text, source -> of(source, phrase))));
    return rows.toByteArray();
  }

  /**
   * The rows of a phrase.
   *
   * @param source its text
   */
  byte[] of(String source, SourcePhrase phrase) {
    TreeMap<String, PhrasePair> sorted = new TreeMap<>(Utf8Order.COMPARATOR);
    best(phrase, best).forEach(pair -> sorted.put(pair.text(), pair));
    String[] ofSource = new String[format.fields().size()];
    StringBuilder rows = new StringBuilder();
    sorted.forEach(
        (target, pair) -> {
          rows.append(format.start()).append(source).append(RowFormat.SEPARATOR).append(target);
          append(rows, phrase, pair, ofSource);
        });
    return rows.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Appends the numbers of a row.
   *
   * @param ofSource the numbers that are the same in all rows of the phrase; null where not
   *     computed yet
   */
  private void append(StringBuilder rows, SourcePhrase phrase, PhrasePair pair, String[] ofSource) {
    for (int i = 0; i < ofSource.length; i++) {
      RowFormat.Field field = format.fields().get(i);
      String number = ofSource[i];
      if (number == null) {
        number = field.feature().print(phrase, pair);
        ofSource[i] = field.feature().ofSource() ? number : null;
      }
      rows.append(field.label()).append(number);
    }
    rows.append('\n');
  }

  /** Clears the cache of rows, which later sentences of the batch reuse. */
  void endBatch() {
    printed.clear();
  }
}
