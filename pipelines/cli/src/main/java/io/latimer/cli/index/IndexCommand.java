package io.latimer.cli.index;

import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.cli.command.Errors;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.terminal.LostOutputException;
import io.latimer.cli.terminal.Terminal;
import io.latimer.cli.terminal.TextWidth;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.Section;
import io.latimer.operators.lm.model.LanguageModel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks into index files. */
@Command(
    name = "index",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Look into index files: whatever an operator loads, such as a model (.lmx, .llm).")
public final class IndexCommand implements Runnable {
  /** The sections that are text to read, in whatever kind of index they are. */
  private static final List<String> READABLE = List.of("settings", "text");

  /** The kinds of file whose content can be checked. */
  private static final List<IndexKind> KINDS = List.of(TranslationModel.KIND, LanguageModel.KIND);

  private static final int MAX_READABLE = 1 << 16;
  private static final int MAX_LINES = 24;

  @Spec private CommandSpec spec;

  private final Terminal terminal;

  IndexCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Say which command of 'index' to run.");
  }

  @Command(
      name = "inspect",
      mixinStandardHelpOptions = true,
      description = "Print what an index file is and what is in it.",
      footer = {
        "",
        "Opening checks the file's header and table; 'index verify' reads every byte.",
      })
  int inspect(
      @Parameters(paramLabel = "FILE", description = "An index file.") Path path,
      @Option(names = "--sections", description = "List every section, and print all settings.")
          boolean list) {
    try (IndexFile file = IndexFile.open(path)) {
      field("file", path.toString());
      field("kind", file.kind() + ", format version " + file.kindVersion());
      field("version", file.version().isEmpty() ? "-" : file.version());
      field("content id", file.contentId());
      field("sha256", file.sha256());
      field("bytes", String.format(Locale.ROOT, "%,d", file.length()));
      field("sections", String.valueOf(file.sections().size()));
      for (Section section : file.sections()) {
        if (list) {
          terminal.result(
              String.format(
                  Locale.ROOT,
                  "  %-40s %,14d bytes at %,14d  CRC-32C %08x",
                  TextWidth.plain(section.name()),
                  section.length(),
                  section.offset(),
                  section.crc32c()));
        }
      }
      for (String name : READABLE) {
        if (file.has(name)) {
          ByteBuffer bytes = file.section(name);
          bytes.limit(Math.min(bytes.limit(), MAX_READABLE));
          terminal.result("\n" + name + ":");
          String text = StandardCharsets.UTF_8.decode(bytes).toString();
          shown(text, list).forEach(line -> terminal.result("  " + TextWidth.plain(line)));
        }
      }
    }
    return 0;
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = "Read every byte of index files and hold it against their checksums.")
  int verify(
      @Parameters(paramLabel = "FILE", arity = "1..*", description = "Index files.")
          List<Path> paths) {
    int failed = 0;
    for (Path path : paths) {
      try (IndexFile file = IndexFile.open(path)) {
        file.verify();
        KINDS.stream()
            .filter(kind -> kind.id().equals(file.kind()))
            .forEach(kind -> kind.check().accept(file));
        terminal.result(path + ": " + file.kind() + ", intact");
      } catch (RuntimeException e) {
        if (e instanceof LostOutputException) {
          throw e;
        }
        terminal.message("latimer: " + Errors.sentence(e));
        failed++;
      }
    }
    return failed == 0 ? 0 : ExitCodes.FAILED;
  }

  /** The lines of a section of text; unless all is wanted, without the long lists at its end. */
  private static List<String> shown(String text, boolean all) {
    List<String> lines = text.lines().toList();
    if (all || lines.size() <= MAX_LINES) {
      return lines;
    }
    List<String> first = new ArrayList<>(lines.subList(0, MAX_LINES));
    first.add("... " + (lines.size() - MAX_LINES) + " more lines; --sections shows them all");
    return first;
  }

  private void field(String name, String value) {
    terminal.result(String.format("%-12s%s", name, TextWidth.plain(value)));
  }
}
