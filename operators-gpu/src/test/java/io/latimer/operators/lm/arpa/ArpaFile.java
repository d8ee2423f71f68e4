package io.latimer.operators.lm.arpa;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/**
 * The oracle: an ARPA file as maps of strings, and scores by the definition of backing off, with
 * nothing of the project's. Words are those that the file has; any other is unknown.
 */
public final class ArpaFile {
  private static final String UNKNOWN = "<unk>";

  private final Map<String, float[]> ngrams = new HashMap<>(); // {log-probability, back-off}
  private final Set<String> suffixes = new HashSet<>(); // of n-grams, themselves included
  private final Set<String> contexts = new HashSet<>(); // with which something goes on
  private final List<String> words = new ArrayList<>();
  private List<String> sorted;
  private int order;

  /** What the oracle says of one word. */
  public record Scored(float log10, int length, List<String> state, List<Float> backoffs) {}

  public static ArpaFile read(Path file) {
    try (InputStream raw = Files.newInputStream(file);
        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      ArpaFile arpa = new ArpaFile();
      lines.lines().forEach(arpa::add);
      arpa.close();
      return arpa;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String line) {
    if (line.matches("\\\\[1-8]-grams:")) {
      order = line.charAt(1) - '0';
      return;
    }
    String[] fields = line.split("\t", -1);
    if (order == 0 || fields.length < 2) {
      return;
    }
    float backoff = fields.length > 2 ? Float.parseFloat(fields[2]) : 0;
    ngrams.putIfAbsent(fields[1], new float[] {Float.parseFloat(fields[0]), backoff});
    if (order == 1 && !fields[1].equals(UNKNOWN)) {
      words.add(fields[1]);
    }
  }

  private void close() {
    ngrams.putIfAbsent(UNKNOWN, new float[] {-100, 0});
    for (String ngram : ngrams.keySet()) {
      String suffix = ngram;
      while (true) {
        suffixes.add(suffix);
        if (suffix.indexOf(' ') < 0) {
          break;
        }
        contexts.add(suffix.substring(0, suffix.lastIndexOf(' ')));
        suffix = suffix.substring(suffix.indexOf(' ') + 1);
      }
    }
  }

  int order() {
    return order;
  }

  /** The words but the unknown one, in the order of their ids. */
  public List<String> words() {
    return words;
  }

  /** All n-grams of the file, sorted. */
  public List<String> ngrams() {
    if (sorted == null) {
      sorted = ngrams.keySet().stream().sorted().toList();
    }
    return sorted;
  }

  public float[] values(String ngram) {
    return ngrams.get(ngram);
  }

  /**
   * Scores a word.
   *
   * @param history the words before it, all that there are
   */
  public Scored score(List<String> history, String word) {
    List<String> reach = new ArrayList<>();
    int from = Math.max(0, history.size() - order + 1); // no n-gram reaches further back
    history.subList(from, history.size()).stream().map(this::known).forEach(reach::add);
    reach.add(known(word));
    int length = 1;
    int listed = 1; // length of the longest n-gram that the file has
    for (int n = 1; n <= reach.size(); n++) {
      String ngram = last(reach, reach.size(), n);
      length = suffixes.contains(ngram) ? n : length;
      listed = ngrams.containsKey(ngram) ? n : listed;
    }
    float log10 = -Math.abs(ngrams.get(last(reach, reach.size(), listed))[0]);
    for (int n = listed; n < reach.size(); n++) {
      log10 += backoff(last(reach, reach.size() - 1, n));
      // What is made up is stored, and what is stored is never above -0.
      log10 = n + 1 == length ? -Math.abs(log10) : log10;
    }
    List<String> state = new ArrayList<>();
    List<Float> backoffs = new ArrayList<>();
    int stateLength = 0;
    for (int n = 1; n <= Math.min(length, order - 1); n++) {
      String context = last(reach, reach.size(), n);
      state.add(reach.get(reach.size() - n));
      backoffs.add(backoff(context));
      stateLength = Float.floatToRawIntBits(backoff(context)) != 0x80000000 ? n : stateLength;
    }
    return new Scored(
        log10, length, state.subList(0, stateLength), backoffs.subList(0, stateLength));
  }

  /** Of a context that is not there, or with which nothing goes on, -0 if it is zero. */
  private float backoff(String context) {
    float[] values = ngrams.get(context);
    if (values != null && values[1] != 0) {
      return values[1];
    }
    return contexts.contains(context) ? 0f : -0f;
  }

  private String known(String word) {
    return ngrams.containsKey(word) ? word : UNKNOWN;
  }

  private static String last(List<String> words, int end, int count) {
    return String.join(" ", words.subList(end - count, end));
  }

  /** Imports a file and opens what comes out. */
  public static LanguageModel open(Path arpa, Path folder, LmLayout layout, int keys) {
    Path out = folder.resolve(arpa.getFileName() + "." + layout + keys + ".llm");
    if (!Files.exists(out)) {
      LmImporter.importArpa(
          LmImportRequest.of(arpa, out).with(layout).withKeys(keys), (s, n, total) -> {});
    }
    try (IndexFile file = IndexFile.open(out)) {
      file.verify();
      return LanguageModel.open(file);
    }
  }
}
