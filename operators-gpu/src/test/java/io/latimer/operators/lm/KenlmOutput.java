package io.latimer.operators.lm;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** What KenLM's query prints, read back. */
public final class KenlmOutput {
  /** One word. */
  record Word(String word, int id, int length, float log10) {}

  /** One sentence; no words where they were not printed. */
  record Line(List<Word> words, float total, int unknown) {}

  private final List<Line> lines = new ArrayList<>();
  private final List<String> summary = new ArrayList<>();

  static KenlmOutput read(Path file) {
    KenlmOutput output = new KenlmOutput();
    for (byte[] line : lines(file)) {
      output.add(new String(line, StandardCharsets.UTF_8));
    }
    return output;
  }

  /** The lines of a file, parted by line feeds alone. */
  public static List<byte[]> lines(Path file) {
    try (InputStream raw = new BufferedInputStream(Files.newInputStream(file));
        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
      List<byte[]> lines = new ArrayList<>();
      byte[] all = in.readAllBytes();
      int from = 0;
      for (int i = 0; i < all.length; i++) {
        if (all[i] == '\n') {
          lines.add(java.util.Arrays.copyOfRange(all, from, i));
          from = i + 1;
        }
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String line) {
    int at = line.lastIndexOf("Total: ");
    if (at < 0) {
      summary.add(line);
      return;
    }
    String[] totals = line.substring(at).split(" ", -1);
    List<Word> words = new ArrayList<>();
    for (int from = 0; from < at; ) {
      int to = line.indexOf('\t', from);
      String field = line.substring(from, to);
      int score = field.lastIndexOf(' ');
      int length = field.lastIndexOf(' ', score - 1);
      int id = field.lastIndexOf('=', length);
      words.add(
          new Word(
              field.substring(0, id),
              Integer.parseInt(field.substring(id + 1, length)),
              Integer.parseInt(field.substring(length + 1, score)),
              Float.parseFloat(field.substring(score + 1))));
      from = to + 1;
    }
    lines.add(new Line(words, Float.parseFloat(totals[1]), Integer.parseInt(totals[3])));
  }

  List<Line> lines() {
    return lines;
  }

  /** One of the four lines behind the sentences, as a number. */
  double summary(int line) {
    return Double.parseDouble(summary.get(line).substring(summary.get(line).indexOf('\t') + 1));
  }
}
