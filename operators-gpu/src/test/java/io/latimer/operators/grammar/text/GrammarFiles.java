package io.latimer.operators.grammar.text;

import io.latimer.operators.ngram.WordIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Grammars in files of a folder. */
record GrammarFiles(Path folder) {
  Path write(String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  GrammarText.Read read(String name, String text) {
    return GrammarText.read(List.of(write(name, text)), GrammarTextOptions.DEFAULT);
  }

  /** Whether a grammar derives a sentence. */
  static boolean accepts(GrammarText.Read grammar, String sentence) {
    return new PlainCyk(grammar.grammar()).accepts(WordIds.split(sentence));
  }
}
