package io.latimer.cli.phrases;

import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Merges the segments of an index. */
@Command(
    name = "merge",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Merge the segments of a phrase index into one, which is searched faster.",
      "",
      "Gives the file that 'phrases index' makes of all text at once.",
    })
final class PhrasesMergeCommand extends TerminalCommand implements Runnable {
  @Mixin private ChangedIndexOptions index;

  @Override
  public void run() {
    Path out = index.out();
    IndexProgress progress = new IndexProgress(terminal, 0, System::nanoTime);
    progress.end(
        out,
        index.change(
            out, version -> PhraseIndexBuilder.merge(index.index(), out, version, progress)));
  }
}
