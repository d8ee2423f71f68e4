package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndexBuilder;
import io.latimer.operators.grammar.text.RuleLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Index files of grammars for tests. */
public final class GrammarFiles {
  private GrammarFiles() {}

  /** Indexes a grammar given as lines. */
  public static Path index(Path folder, String name, String... lines) {
    Path text = folder.resolve(name + ".txt");
    try {
      Files.write(text, List.of(lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return index(folder, name, List.of(text));
  }

  /** Indexes a grammar of several files. */
  public static Path index(Path folder, String name, List<Path> files) {
    Path index = folder.resolve(name + ".lgx");
    GrammarIndexBuilder.build(RuleLines.read(files), index, "");
    return index;
  }
}
