package io.latimer.cli.phrases;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.OperatorLines;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.util.AtExit;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Writes a grammar file per line, and prints the sentence with a reference to it, as cdec's
 * extractor does; a failed line has an empty grammar. A grammar gets its name only when it is
 * complete.
 */
final class GrammarOutput implements OperatorLines.Output<PhraseTable> {
  private final PhraseRows rows;
  private final Path folder;
  private final Path unfinished;
  private final Lock writing = new ReentrantLock();
  private final AtExit atExit;
  private final Terminal terminal;

  /**
   * @param folder created if it does not exist
   * @param force whether it may contain files
   */
  GrammarOutput(PhraseRows rows, Path folder, boolean force, Terminal terminal) throws IOException {
    this.rows = rows;
    this.folder = folder;
    this.terminal = terminal;
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new CommandException(folder + " is a file; name a folder.");
    }
    Files.createDirectories(folder);
    try (Stream<Path> files = Files.list(folder)) {
      if (!force && files.findAny().isPresent()) {
        throw new CommandException(folder + " is not empty; --force writes into it.");
      }
    }
    this.unfinished = folder.resolve(".grammar." + Long.toHexString(System.nanoTime()) + ".tmp");
    // Ctrl-C waits for the grammar that is being written, and prevents others
    this.atExit = new AtExit(writing::lock, "latimer-unfinished-grammar");
  }

  @Override
  public void add(InputLine line, Result<PhraseTable> table) throws IOException {
    byte[] grammar =
        table instanceof Result.Value<PhraseTable> found ? rows.of(found.value()) : new byte[0];
    long number = line.number() - 1;
    Path file = folder.resolve("grammar." + number);
    write(file, grammar);
    terminal.result(
        "<seg grammar=\""
            + file
            + "\" id=\""
            + number
            + "\"> "
            + String.join(" ", WordIds.split(line.text()))
            + " </seg>");
  }

  /** Writes a grammar without syncing, which a {@code ReplacedFile} does twice. */
  private void write(Path file, byte[] grammar) throws IOException {
    writing.lock();
    try {
      Files.write(unfinished, grammar);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw new CommandException(file + " cannot be written: " + FileErrors.reason(e) + ".", e);
    } finally {
      writing.unlock();
    }
  }

  @Override
  public void endBatch() {
    rows.endBatch();
  }

  @Override
  public void end() {
    atExit.close();
  }
}
