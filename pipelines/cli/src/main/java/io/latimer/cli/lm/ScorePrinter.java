package io.latimer.cli.lm;

import io.latimer.cli.command.Json;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.lm.Perplexity;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.ScoredTexts;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.ShortestDecimal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Prints scores, with the words' original bytes. */
final class ScorePrinter {
  private static final int OUTPUT_PIECE = 1 << 16;
  private static final byte[] END = "</s>".getBytes(StandardCharsets.UTF_8);

  /** The output format of scores. */
  enum Format {
    KENLM,
    TSV,
    JSON
  }

  /** The parts to print. */
  enum Part {
    WORD,
    SENTENCE,
    SUMMARY
  }

  private final Terminal terminal;
  private final Format format;
  private final Set<Part> parts;
  private final Perplexity perplexity = new Perplexity();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(2 * OUTPUT_PIECE);
  private long lines;

  ScorePrinter(Terminal terminal, Format format, Set<Part> parts) {
    this.terminal = terminal;
    this.format = format;
    this.parts = parts;
  }

  /** Prints lines and their scores. */
  void print(List<byte[]> texts, ScoredTexts scores) {
    for (int i = 0; i < texts.size(); i++) {
      lines++;
      Scored scored = scores.get(i);
      perplexity.add(scored);
      switch (format) {
        case KENLM -> kenlm(texts.get(i), scored);
        case TSV -> tsv(texts.get(i), scored);
        case JSON -> json(texts.get(i), scored);
      }
      if (out.size() >= OUTPUT_PIECE) {
        flush();
      }
    }
    flush();
  }

  /** Prints the summary of all lines. */
  void end() {
    if (parts.contains(Part.SUMMARY)) {
      switch (format) {
        case KENLM -> put(summary(perplexity));
        case TSV ->
            put(
                "summary\tperplexity\t"
                    + ShortestDecimal.of(perplexity.including())
                    + "\n"
                    + "summary\tperplexity-of-known\t"
                    + ShortestDecimal.of(perplexity.excluding())
                    + "\nsummary\tunknown\t"
                    + perplexity.unknown()
                    + "\nsummary\ttokens\t"
                    + perplexity.tokens()
                    + "\n");
        case JSON ->
            put(
                "{\"perplexity\":"
                    + number(perplexity.including())
                    + ",\"perplexityOfKnown\":"
                    + number(perplexity.excluding())
                    + ",\"unknown\":"
                    + perplexity.unknown()
                    + ",\"tokens\":"
                    + perplexity.tokens()
                    + ",\"lines\":"
                    + lines
                    + "}\n");
      }
    }
    flush();
  }

  /** The last lines of KenLM's query. */
  static String summary(Perplexity perplexity) {
    return "Perplexity including OOVs:\t"
        + ShortestDecimal.of(perplexity.including())
        + "\nPerplexity excluding OOVs:\t"
        + ShortestDecimal.of(perplexity.excluding())
        + "\nOOVs:\t"
        + perplexity.unknown()
        + "\nTokens:\t"
        + perplexity.tokens()
        + "\n";
  }

  private void kenlm(byte[] text, Scored scored) {
    if (parts.contains(Part.WORD)) {
      Words words = new Words(text);
      for (int i = 0; i < scored.tokens(); i++) {
        words.next(i < scored.words());
        out.write(words.bytes, words.from, words.to - words.from);
        put("=" + scored.id(i) + ' ' + scored.length(i) + ' ');
        put(ShortestDecimal.of(scored.log10(i)) + '\t');
      }
    }
    if (parts.contains(Part.SENTENCE)) {
      put("Total: " + ShortestDecimal.of(scored.total()));
      put(" OOV: " + scored.unknown() + '\n');
    } else if (parts.contains(Part.WORD)) {
      put("\n");
    }
  }

  private void tsv(byte[] text, Scored scored) {
    if (parts.contains(Part.WORD)) {
      Words words = new Words(text);
      for (int i = 0; i < scored.tokens(); i++) {
        words.next(i < scored.words());
        put("word\t" + lines + '\t' + (i + 1) + '\t');
        out.write(words.bytes, words.from, words.to - words.from);
        put("\t" + scored.id(i) + '\t' + scored.length(i) + '\t');
        put(ShortestDecimal.of(scored.log10(i)) + '\t');
        put(scored.isUnknown(i) ? "1\n" : "0\n");
      }
    }
    if (parts.contains(Part.SENTENCE)) {
      put("sentence\t" + lines + '\t' + scored.tokens() + '\t' + scored.unknown() + '\t');
      put(ShortestDecimal.of(scored.total()) + '\t');
      put(ShortestDecimal.of(scored.perplexity()) + '\n');
    }
  }

  private void json(byte[] text, Scored scored) {
    if (!parts.contains(Part.SENTENCE) && !parts.contains(Part.WORD)) {
      return;
    }
    put("{\"line\":" + lines);
    if (parts.contains(Part.SENTENCE)) {
      put(",\"total\":" + number(scored.total()));
      put(",\"tokens\":" + scored.tokens() + ",\"unknown\":" + scored.unknown());
      put(",\"perplexity\":" + number(scored.perplexity()));
    }
    if (parts.contains(Part.WORD)) {
      put(",\"words\":[");
      Words words = new Words(text);
      for (int i = 0; i < scored.tokens(); i++) {
        words.next(i < scored.words());
        put(i == 0 ? "{\"word\":" : ",{\"word\":");
        put(
            Json.quoted(
                new String(
                    words.bytes, words.from, words.to - words.from, StandardCharsets.UTF_8)));
        put(",\"id\":" + scored.id(i) + ",\"length\":" + scored.length(i));
        put(",\"log10\":" + number(scored.log10(i)));
        put(",\"unknown\":" + scored.isUnknown(i) + '}');
      }
      put("]");
    }
    put("}\n");
  }

  /** A number in JSON; {@code null} for non-finite ones. */
  private static String number(float value) {
    return Float.isFinite(value) ? ShortestDecimal.of(value) : "null";
  }

  private static String number(double value) {
    return Double.isFinite(value) ? ShortestDecimal.of(value) : "null";
  }

  private void put(String text) {
    out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private void flush() {
    if (out.size() > 0) {
      terminal.results(out.toByteArray());
      out.reset();
    }
  }

  /** Iterates over the words of a line. */
  private static final class Words {
    private byte[] bytes;
    private int from;
    private int to;

    Words(byte[] text) {
      this.bytes = text;
    }

    /** Finds the next word or, after the last one, the end of the sentence. */
    void next(boolean ofLine) {
      if (!ofLine) {
        bytes = END;
        from = 0;
        to = END.length;
        return;
      }
      from = to;
      while (WordIds.isSpace(bytes[from])) {
        from++;
      }
      to = from;
      while (to < bytes.length && !WordIds.isSpace(bytes[to])) {
        to++;
      }
    }
  }
}
