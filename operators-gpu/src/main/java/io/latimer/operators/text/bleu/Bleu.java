package io.latimer.operators.text.bleu;

import io.latimer.operators.ngram.WordIds;
import java.util.List;

/**
 * BLEU of a corpus with one reference, n-grams of 1 to 4 words (Papineni et al. 2002): 0 to 100.
 * Words are those between spaces, so texts are compared as they are tokenized and cased: what
 * multi-bleu.perl gives, and sacreBLEU with {@code --tokenize none}. If n-grams of a length have no
 * match in the whole corpus, they count as half a match, those of the next such length as a
 * quarter, and so on, as in mteval-v13a and sacreBLEU.
 *
 * <p>Accumulates sentences, which can be removed again. Not thread-safe.
 */
public final class Bleu {
  private final long[] matches = new long[BleuReference.ORDER];
  private final long[] totals = new long[BleuReference.ORDER];
  private long words;
  private long expected;

  /** Adds a sentence. */
  public void add(BleuCounts sentence) {
    add(sentence, 1);
  }

  /** Removes a sentence that was added. */
  public void remove(BleuCounts sentence) {
    add(sentence, -1);
  }

  private void add(BleuCounts sentence, int times) {
    for (int n = 1; n <= BleuReference.ORDER; n++) {
      matches[n - 1] += (long) times * sentence.matches(n);
      totals[n - 1] += (long) times * sentence.total(n);
    }
    words += (long) times * sentence.words();
    expected += (long) times * sentence.expected();
  }

  /** BLEU of the sentences; 0 if no word matches, or no sentence has an n-gram of each length. */
  public double score() {
    if (matches[0] == 0 || totals[BleuReference.ORDER - 1] == 0) {
      return 0;
    }
    double sum = 0;
    double smoothed = 1;
    for (int n = 0; n < BleuReference.ORDER; n++) {
      double found = matches[n];
      if (found == 0) {
        smoothed /= 2;
        found = smoothed;
      }
      sum += Math.log(found / totals[n]);
    }
    double brevity = words < expected ? 1 - (double) expected / words : 0;
    return 100 * Math.exp(brevity + sum / BleuReference.ORDER);
  }

  /** BLEU of translations, each with its reference at the same place of the other list. */
  public static double of(List<String> translations, List<String> references) {
    if (translations.size() != references.size()) {
      throw new IllegalArgumentException(
          translations.size() + " translations for " + references.size() + " references");
    }
    Bleu bleu = new Bleu();
    for (int i = 0; i < translations.size(); i++) {
      BleuReference reference = new BleuReference(WordIds.split(references.get(i)));
      bleu.add(reference.count(WordIds.split(translations.get(i))));
    }
    return bleu.score();
  }
}
