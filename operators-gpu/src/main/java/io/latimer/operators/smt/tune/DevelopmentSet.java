package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.index.PairedLines;
import io.latimer.operators.phrases.index.TextLines;
import io.latimer.operators.text.BleuReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Sentences and a reference translation of each. Immutable. */
public final class DevelopmentSet {
  private final List<SentenceWords> sources;
  private final List<BleuReference> references;

  private DevelopmentSet(List<SentenceWords> sources, List<BleuReference> references) {
    this.sources = List.copyOf(sources);
    this.references = List.copyOf(references);
  }

  /**
   * Reads two files, plain or gzip, with a tokenized sentence per line. Words are separated as by
   * {@link WordIds#split}.
   *
   * @throws io.latimer.operators.phrases.index.PhraseTextException if a file cannot be read, is not
   *     UTF-8 or has lines that the other lacks, naming file and line
   * @throws OperatorException if there are no sentences
   */
  public static DevelopmentSet read(Path source, Path target) {
    List<SentenceWords> sources = new ArrayList<>();
    List<BleuReference> references = new ArrayList<>();
    try (PairedLines lines = new PairedLines(source, target)) {
      while (lines.next()) {
        sources.add(new SentenceWords(text(lines.source())));
        references.add(new BleuReference(WordIds.split(text(lines.target()))));
      }
    }
    if (sources.isEmpty()) {
      throw new OperatorException(source + " is empty; weights are tuned on sentences");
    }
    return new DevelopmentSet(sources, references);
  }

  private static String text(TextLines line) {
    return new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8);
  }

  /** The number of sentences, 1 or more. */
  public int size() {
    return sources.size();
  }

  /** The sentences. */
  public List<SentenceWords> sources() {
    return sources;
  }

  /** The reference translation of a sentence. */
  public BleuReference reference(int sentence) {
    return references.get(sentence);
  }
}
