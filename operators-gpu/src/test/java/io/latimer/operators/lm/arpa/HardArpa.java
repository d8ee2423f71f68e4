package io.latimer.operators.lm.arpa;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * An ARPA file of order 4, the same one every time: many of its n-grams have suffixes that it does
 * not list, some come twice, and some words have hundreds of longer n-grams that end in them.
 */
final class HardArpa {
  private static final int WORDS = 400;

  private final Random random = new Random(4);
  private final StringBuilder text = new StringBuilder();

  private HardArpa() {}

  /** The text of the file. */
  static String text() {
    return new HardArpa().make();
  }

  private String make() {
    List<String> words = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
    for (int i = 3; i < WORDS; i++) {
      words.add("w" + i);
    }
    List<List<String>> orders = new ArrayList<>(List.of(words));
    for (int count : new int[] {6000, 20_000, 12_000}) {
      orders.add(longer(orders.get(orders.size() - 1), words, count));
    }
    text.append("\\data\\\n");
    for (int n = 1; n <= orders.size(); n++) {
      text.append("ngram ").append(n).append('=').append(orders.get(n - 1).size()).append('\n');
    }
    for (int n = 1; n <= orders.size(); n++) {
      text.append("\n\\").append(n).append("-grams:\n");
      for (String ngram : orders.get(n - 1)) {
        line(ngram, n < orders.size());
      }
    }
    return text.append("\n\\end\\\n").toString();
  }

  /** N-grams that have one word more; one in a hundred comes again. */
  private List<String> longer(List<String> contexts, List<String> words, int count) {
    Set<String> ngrams = new LinkedHashSet<>();
    while (ngrams.size() < count) {
      // A few words are frequent.
      double share = random.nextDouble();
      int word = (int) (share * share * share * (words.size() - 2)) + 2;
      ngrams.add(contexts.get(random.nextInt(contexts.size())) + ' ' + words.get(word));
    }
    List<String> list = new ArrayList<>(ngrams);
    for (int i = 0; i < count / 100; i++) {
      list.add(list.get(random.nextInt(count)));
    }
    return list;
  }

  private void line(String ngram, boolean backoff) {
    text.append(-random.nextInt(60_000) / 10_000.0).append('\t').append(ngram);
    int kind = random.nextInt(4);
    if (backoff && kind > 0) {
      text.append('\t').append(kind == 1 ? "0" : String.valueOf(-random.nextInt(9000) / 10_000.0));
    }
    text.append('\n');
  }
}
