package io.latimer.cli.phrases;

import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Adds a parallel text to an index. */
@Command(
    name = "append",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Add a parallel text to a phrase index, as a segment of its own.",
      "",
      "Segments that are small beside the new one are merged with it, so that there are never"
          + " many; the others are copied as they are. Queries search all segments. The text is as"
          + " for 'phrases index'.",
    })
final class PhrasesAppendCommand extends TerminalCommand implements Runnable {
  @Mixin private ChangedIndexOptions index;

  @Mixin private ParallelTextOptions text;

  @Override
  public void run() {
    Path out = index.out();
    IndexProgress progress =
        new IndexProgress(terminal, IndexProgress.bytes(text.files()), System::nanoTime);
    progress.end(
        out,
        index.change(
            out,
            version ->
                PhraseIndexBuilder.append(
                    index.index(), text.files(), text.skipBad(), out, version, progress)));
  }
}
