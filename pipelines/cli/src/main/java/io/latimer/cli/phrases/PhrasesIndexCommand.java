package io.latimer.cli.phrases;

import io.latimer.cli.command.IndexFileOptions;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Indexes a parallel text. */
@Command(
    name = "index",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Index a parallel text for 'phrases query'.",
      "",
      "The three files, plain or gzip, have one line per sentence pair. Words are separated by"
          + " spaces, tabs, vertical tabs, form feeds, carriage returns and NULs. These are bad: empty"
          + " sentences, sentences of more than 65,534 words, invalid UTF-8, the word |||, alignment"
          + " points outside of the sentence pair, and lines that only some of the files have.",
      "",
      "Needs some 30 bytes of memory per source word and 10 per target word, and 24 per pair of"
          + " linked words.",
    },
    footer = {
      "",
      "Example:",
      "  latimer phrases index --source train.en.gz --target train.de.gz \\",
      "    --alignment train.en-de.gz --out en-de.lpx",
    })
final class PhrasesIndexCommand extends TerminalCommand implements Runnable {
  private static final String SUFFIX = ".lpx";

  @Mixin private ParallelTextOptions text;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description =
          "The phrase index to write (default: the name of the source file without .gz, with .lpx, in"
              + " the working folder).")
  private Path out;

  @Mixin private IndexFileOptions options;

  @Override
  public void run() {
    Path file = out == null ? byDefault(text.files().source()) : out;
    options.requireWritable(file);
    String version = options.version("");
    IndexProgress progress =
        new IndexProgress(terminal, IndexProgress.bytes(text.files()), System::nanoTime);
    progress.end(
        file,
        ExclusiveWork.on(
            file,
            () -> PhraseIndexBuilder.index(text.files(), text.skipBad(), file, version, progress)));
  }

  private static Path byDefault(Path source) {
    String name = String.valueOf(source.getFileName());
    return Path.of(name.replaceFirst("\\.gz$", "") + SUFFIX);
  }
}
