package io.latimer.benchmarks;

import io.latimer.operators.util.PackedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The alignment error rate between two alignments of the same text in Pharaoh's format (Och and Ney
 * 2003), of which neither tells sure links from possible ones: one less the share of common links.
 */
final class AlignmentErrorRate {
  private long common;
  private long all;

  private AlignmentErrorRate() {}

  /** The rate, 0 to 1, of two files, plain or gzip. */
  static double of(Path one, Path other) throws IOException {
    AlignmentErrorRate rate = new AlignmentErrorRate();
    try (BufferedReader ones = lines(one);
        BufferedReader others = lines(other)) {
      for (String line = ones.readLine(); line != null; line = ones.readLine()) {
        String same = others.readLine();
        if (same == null) {
          throw new IOException(other + " has fewer lines than " + one);
        }
        rate.add(links(line), links(same));
      }
    }
    return 1 - 2.0 * rate.common / rate.all;
  }

  private static BufferedReader lines(Path file) throws IOException {
    return new BufferedReader(
        new InputStreamReader(PackedFile.open(file, 1 << 16), StandardCharsets.UTF_8));
  }

  private static Set<String> links(String line) {
    Set<String> links = new HashSet<>(Arrays.asList(line.strip().split("\\s+", -1)));
    links.remove("");
    return links;
  }

  private void add(Set<String> one, Set<String> other) {
    all += one.size() + other.size();
    one.retainAll(other);
    common += one.size();
  }
}
