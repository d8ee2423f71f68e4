package io.latimer.operators.lm.arpa;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An ARPA file, read in the plainest way.
 *
 * @param counts as its head says
 * @param entries by n-gram, in the order of the file
 */
public record Arpa(List<Long> counts, Map<String, Entry> entries) {
  public record Entry(float probability, Float backoff) {}

  public static Arpa read(InputStream in) throws IOException {
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    List<Long> counts = new ArrayList<>();
    Map<String, Entry> entries = new LinkedHashMap<>();
    int order = 0;
    boolean ended = false;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      if (line.startsWith("ngram ")) {
        counts.add(Long.parseLong(line.substring(line.indexOf('=') + 1)));
      } else if (line.equals("\\end\\")) {
        ended = true;
      } else if (line.matches("\\\\\\d-grams:")) {
        order++;
        if (!line.equals("\\" + order + "-grams:")) {
          throw new IOException("section " + order + " is called " + line);
        }
      } else if (order > 0 && !line.isEmpty()) {
        String[] fields = line.split("\t", -1);
        if (fields[1].split(" ", -1).length != order) {
          throw new IOException("among those of order " + order + ": " + line);
        }
        Entry entry =
            new Entry(
                Float.parseFloat(fields[0]), fields.length > 2 ? Float.valueOf(fields[2]) : null);
        if (entries.put(fields[1], entry) != null) {
          throw new IOException("twice: " + line);
        }
      }
    }
    if (!ended) {
      throw new IOException("there is no end");
    }
    return new Arpa(counts, entries);
  }

  /** log10 of the probability of the last word behind the others, by the rules of back-off. */
  public double score(List<String> words) {
    Entry entry = entries.get(String.join(" ", words));
    if (entry != null) {
      return entry.probability();
    }
    Entry context = entries.get(String.join(" ", words.subList(0, words.size() - 1)));
    double backoff = context == null || context.backoff() == null ? 0 : context.backoff();
    return backoff + score(words.subList(1, words.size()));
  }
}
