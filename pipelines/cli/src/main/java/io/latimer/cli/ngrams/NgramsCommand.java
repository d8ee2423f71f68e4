package io.latimer.cli.ngrams;

import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramStrategy;
import io.latimer.operators.ngram.NgramText;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.ngram.WordIds;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Counts the n-grams of standard input. */
@Command(
    name = "ngrams",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Count the n-grams of the standard input and print them with their counts, separated by a"
          + " tab, most frequent first, then in order of the n-grams.",
      "",
      "Bytes are counted across lines: a line feed is a byte like any other. Words are separated by"
          + " spaces, tabs, line feeds, carriage returns and NULs; a line is a sentence, and n-grams do"
          + " not cross its end.",
    },
    footer = {
      "",
      "In the output, a backslash is \\\\, a tab \\t, a line feed \\n, a carriage return \\r; the bytes"
          + " of other control characters and of line and paragraph separators, and bytes that are"
          + " not UTF-8, are \\x and two hexadecimal digits. Everything else is unchanged UTF-8.",
    })
public final class NgramsCommand extends TerminalCommand implements Callable<Integer> {
  private static final int OUTPUT_PIECE = 1 << 16;

  @Option(
      names = {"-n", "--order"},
      paramLabel = "N",
      required = true,
      description = "Length of the n-grams: 1 to 8 bytes, or 1 to 5 words.")
  private int order;

  @ArgGroup private Unit unit = new Unit();

  /** The unit to count, bytes or words. */
  static final class Unit {
    private NgramUnit chosen = NgramUnit.BYTES;

    @Option(names = "--bytes", description = "Count n-grams of bytes (the default).")
    void bytes(boolean given) {
      if (given) {
        chosen = NgramUnit.BYTES;
      }
    }

    @Option(names = "--words", description = "Count n-grams of words.")
    void words(boolean given) {
      if (given) {
        chosen = NgramUnit.WORDS;
      }
    }
  }

  @Option(
      names = "--strategy",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "Counting strategy of a GPU: auto, v1, v2, sort, hash (default: ${DEFAULT-VALUE}). The"
              + " counts are the same. v1 and v2 count bytes only, with N up to 4 and 3.")
  private NgramStrategy strategy;

  @Mixin private DeviceOption device;

  @Option(
      names = "--top",
      paramLabel = "K",
      description = "Print the K most frequent n-grams; all if omitted.")
  private Integer top;

  @Override
  public Integer call() throws IOException {
    require(top == null || top >= 1, "--top must be at least 1.");
    NgramOptions options = options();
    Device where = device.device(spec.commandLine());
    ByteProgress progress = Input.progress(terminal);
    if (options.unit() == NgramUnit.BYTES) {
      countBytes(options, where, progress);
    } else {
      countWords(options, where, progress);
    }
    return 0;
  }

  private NgramOptions options() {
    try {
      return new NgramOptions(unit.chosen, order, strategy);
    } catch (OperatorException e) {
      throw usage(e.getMessage(), e);
    }
  }

  private void countBytes(NgramOptions options, Device where, ByteProgress progress)
      throws IOException {
    NgramCounts counts;
    try (CountNgrams<byte[]> counter = CountNgrams.ofBytes(options, where)) {
      NgramInput.bytes(terminal.in(), counter, progress);
      counts = counter.counts();
    }
    progress.end();
    print(counts, i -> NgramText.escape(counts.bytes(i)));
  }

  private void countWords(NgramOptions options, Device where, ByteProgress progress)
      throws IOException {
    WordIds words = new WordIds();
    NgramCounts counts;
    try (CountNgrams<int[]> counter = CountNgrams.ofWords(options, where)) {
      NgramInput.words(terminal.in(), counter, words, progress);
      counts = counter.counts();
    }
    progress.end();
    // Sorted by the words, not by their arbitrary ids.
    int[] byPlace = words.sorted();
    int[] places = new int[byPlace.length];
    for (int place = 0; place < places.length; place++) {
      places[byPlace[place]] = place;
    }
    NgramCounts sorted = counts.withIds(places);
    print(
        sorted,
        i -> {
          StringBuilder ngram = new StringBuilder();
          for (int k = 0; k < sorted.order(); k++) {
            ngram.append(k == 0 ? "" : " ");
            ngram.append(NgramText.escape(words.bytes(byPlace[sorted.word(i, k)])));
          }
          return ngram.toString();
        });
  }

  private void print(NgramCounts counts, IntFunction<String> ngram) {
    StringBuilder text = new StringBuilder();
    for (int i : counts.top(top == null ? counts.size() : top)) {
      text.append(ngram.apply(i)).append('\t').append(counts.count(i)).append('\n');
      if (text.length() > OUTPUT_PIECE) {
        terminal.results(text.toString());
        text.setLength(0);
      }
    }
    terminal.results(text.toString());
  }
}
