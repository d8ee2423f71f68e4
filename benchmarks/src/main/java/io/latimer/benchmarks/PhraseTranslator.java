package io.latimer.benchmarks;

import io.latimer.operators.align.AlignedText;
import io.latimer.operators.align.TrainingOptions;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.PackedFile;
import io.latimer.operators.util.Team;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a parallel text is made into for translation by phrases, in a folder: alignments of our own,
 * phrase indexes with these and with given alignments, and a language model of order 5 of the
 * target side. What the folder has is not made again.
 *
 * @param folder for the files
 * @param source the text's source side, plain or gzip
 * @param target its target side
 * @param alignment a word alignment of it
 */
record PhraseTranslator(Path folder, Path source, Path target, Path alignment) {
  private static final int ORDER = 5;

  /** The phrase index with the given alignment. */
  Path given() throws IOException {
    return index("given.lpx", alignment);
  }

  /** The phrase index with our own alignment. */
  Path own() throws IOException {
    return index("own.lpx", ownAlignment());
  }

  private Path index(String name, Path links) {
    Path out = folder.resolve(name);
    if (!Files.exists(out)) {
      // pairs with an empty sentence have no place in an index
      PhraseIndexBuilder.index(
          new PhraseTextFiles(source, target, links), true, out, "", BuildProgress.NONE);
    }
    return out;
  }

  /** What {@code latimer align} makes of the text. */
  Path ownAlignment() throws IOException {
    Path out = folder.resolve("own.align");
    if (!Files.exists(out)) {
      AlignedText text =
          AlignedText.train(
              source, target, TrainingOptions.DEFAULTS, Team.defaultThreads(), BuildProgress.NONE);
      try (Writer lines = Files.newBufferedWriter(out)) {
        text.write(lines);
      }
    }
    return out;
  }

  /** The language model of the target side. */
  Path languageModel() throws IOException {
    Path out = folder.resolve("target.llm");
    if (!Files.exists(out)) {
      Path arpa = folder.resolve("target.arpa");
      try (InputStream text = PackedFile.open(target, 1 << 16);
          OutputStream to = new BufferedOutputStream(Files.newOutputStream(arpa))) {
        EstimateLm.estimate(text, to, EstimateOptions.of(ORDER), BuildProgress.NONE);
      }
      LmImporter.importArpa(LmImportRequest.of(arpa, out), (section, read, total) -> {});
    }
    return out;
  }
}
