package io.latimer.cli.glossary;

import io.latimer.cli.command.IndexFileOptions;
import io.latimer.cli.command.Languages;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.command.TextProgress;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.operators.glossary.index.GlossaryReport;
import io.latimer.operators.glossary.text.GlossaryFormat;
import io.latimer.operators.glossary.text.GlossaryText;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Builds the index of a glossary. */
@Command(
    name = "build",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Build a glossary (.ltx) of a file of terms, plain or gzip, in UTF-8.",
      "",
      "tsv and csv (RFC 4180) have a term per line: source and target. Further columns need a header"
          + " with their names: source, target, case (yes or no), rule (given or any), note."
          + " | separates forms; the target - keeps the source as it is.",
      "",
      "tbx is TermBase eXchange (ISO 30042) of 2008 or 2019: an entry is a term.",
    },
    footer = {
      "",
      "Example:",
      "  latimer glossary build hotel.tsv --source-language en --target-language de \\",
      "    --out hotel.ltx",
    })
final class GlossaryBuildCommand extends TerminalCommand implements Runnable {
  private static final String SUFFIX = ".ltx";

  /** The formats of files. */
  enum Format {
    AUTO,
    TSV,
    CSV,
    TBX;

    /** The format to read, or null to detect it. */
    GlossaryFormat format() {
      return this == AUTO ? null : GlossaryFormat.valueOf(name());
    }
  }

  @Parameters(paramLabel = "FILE", description = "The terms.")
  private Path in;

  @Option(
      names = "--source-language",
      paramLabel = "TAG",
      required = true,
      description = "Language of the source, such as en; selects the terms of TBX.")
  private String sourceLanguage;

  @Option(
      names = "--target-language",
      paramLabel = "TAG",
      required = true,
      description = "Language of the target, such as de.")
  private String targetLanguage;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description =
          "The glossary to write (default: the name of the file without .gz, with .ltx, in the"
              + " working folder).")
  private Path out;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "auto, tsv, csv or tbx; auto goes by the name of the file: .csv, .tbx or .xml, or else tsv"
              + " (default: ${DEFAULT-VALUE}).")
  private Format format;

  @Mixin private IndexFileOptions options;

  @Override
  public void run() {
    Languages.require(spec.commandLine(), "--source-language", sourceLanguage);
    Languages.require(spec.commandLine(), "--target-language", targetLanguage);
    Path file = out == null ? byDefault(in) : out;
    options.requireWritable(file);
    String version = options.version("");
    long bytes = in.toString().endsWith(".gz") ? 0 : in.toFile().length();
    TextProgress progress =
        new TextProgress(terminal, new ByteProgress(terminal, bytes, System::nanoTime));
    GlossaryText.Read read =
        new GlossaryText(in, format.format(), sourceLanguage, targetLanguage).read(progress);
    progress.step("building");
    GlossaryReport report = read.builder().write(file, version);
    terminal.status("");
    terminal.message(result(file, report));
    if (read.skipped() > 0) {
      terminal.message(
          "latimer: warning: "
              + count(read.skipped(), "entry was", "entries were")
              + " skipped: without a term in "
              + sourceLanguage
              + " or one to use in "
              + targetLanguage
              + ".");
    }
  }

  private static String result(Path file, GlossaryReport report) {
    return String.format(
        Locale.ROOT,
        "%s: %s (%,d with case), %s, %s, %s to %s, %,.1f MB on disk",
        file,
        count(report.terms(), "term", "terms"),
        report.caseSensitiveTerms(),
        count(report.sources(), "source form", "source forms"),
        count(report.targets(), "target form", "target forms"),
        report.sourceLanguage(),
        report.targetLanguage(),
        report.fileBytes() / 1e6);
  }

  private static String count(int number, String one, String several) {
    return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : several);
  }

  private static Path byDefault(Path in) {
    String name = String.valueOf(in.getFileName());
    return Path.of(name.replaceFirst("\\.gz$", "") + SUFFIX);
  }
}
