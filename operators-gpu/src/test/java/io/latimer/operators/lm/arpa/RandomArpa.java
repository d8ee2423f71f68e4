package io.latimer.operators.lm.arpa;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** ARPA files by chance: every context is listed, suffixes may be missing. */
public final class RandomArpa {
  private RandomArpa() {}

  public static Path write(Path file, int order, int vocabulary, int ngrams, long seed)
      throws IOException {
    Random random = new Random(seed);
    List<Set<String>> byOrder = new ArrayList<>();
    byOrder.add(new LinkedHashSet<>(List.of("<s>", "</s>")));
    if (random.nextInt(4) > 0) {
      byOrder.get(0).add("<unk>");
    }
    for (int i = 0; i < vocabulary; i++) {
      byOrder.get(0).add("w" + i);
    }
    for (int n = 2; n <= order; n++) {
      List<String> contexts = new ArrayList<>(byOrder.get(n - 2));
      List<String> words = new ArrayList<>(byOrder.get(0));
      Set<String> longer = new LinkedHashSet<>();
      for (int i = 0; i < ngrams; i++) {
        longer.add(
            contexts.get(random.nextInt(contexts.size()))
                + " "
                + words.get(
                    random.nextInt(Math.min(words.size(), 2 + random.nextInt(words.size())))));
      }
      byOrder.add(longer);
    }
    StringBuilder arpa = new StringBuilder("\\data\\\n");
    for (int n = 1; n <= order; n++) {
      arpa.append("ngram ").append(n).append('=').append(byOrder.get(n - 1).size()).append('\n');
    }
    for (int n = 1; n <= order; n++) {
      arpa.append("\n\\").append(n).append("-grams:\n");
      for (String ngram : byOrder.get(n - 1)) {
        arpa.append(random.nextInt(20) == 0 ? 0f : -random.nextFloat() * 7)
            .append('\t')
            .append(ngram);
        if (n < order && random.nextInt(4) > 0) {
          arpa.append('\t').append(random.nextInt(5) == 0 ? 0f : -random.nextFloat() * 2);
        }
        arpa.append('\n');
      }
    }
    return Files.writeString(file, arpa.append("\n\\end\\\n"));
  }
}
