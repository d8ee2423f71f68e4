package io.latimer.cli.index;

import io.latimer.cli.command.CommandGroup;
import io.latimer.cli.command.Errors;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.terminal.LostOutputException;
import io.latimer.cli.terminal.TextWidth;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.glossary.index.GlossaryReport;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.grammar.index.GrammarIndexReport;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.Section;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.nmt.model.ModelSections;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseIndexReport;
import io.latimer.operators.text.ModelLanguages;
import io.latimer.operators.text.TextSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Inspects index files. */
@Command(
    name = "index",
    subcommands = IndexPruneCommand.class,
    description =
        "Inspect and verify index files: models and whatever else an operator loads (.lmx,"
            + " .llm, .lpx, .lgx, .ltx). Remove those that jobs have published and no longer need.")
public final class IndexCommand extends CommandGroup {
  /** The text sections, of all kinds of index. */
  private static final List<String> READABLE = List.of("settings", "text");

  /** The kinds of file whose content can be checked. */
  public static final List<IndexKind> KINDS =
      List.of(
          TranslationModel.KIND,
          LanguageModel.KIND,
          PhraseIndex.KIND,
          GrammarIndex.KIND,
          GlossaryIndex.KIND);

  private static final int MAX_READABLE = 1 << 20;
  private static final Pattern ARCHITECTURE =
      Pattern.compile("\"architecture\"\\s*:\\s*\"([^\"]*)\"");

  @Command(
      name = "inspect",
      mixinStandardHelpOptions = true,
      description = "Print the kind and the contents of an index file.",
      footer = {
        "",
        "Checks only the file's header and section table; 'index verify' reads every byte.",
      })
  int inspect(
      @Parameters(paramLabel = "FILE", description = "An index file.") Path path,
      @Option(names = "--sections", description = "List every section.") boolean list,
      @Option(names = "--all", description = "Print all settings, too.") boolean all) {
    try (IndexFile file = IndexFile.open(path)) {
      field("file", path.toString());
      field("kind", file.kind() + ", format version " + file.kindVersion());
      if (file.kind().equals(TranslationModel.KIND.id())) {
        translationModel(file);
      } else if (file.kind().equals(PhraseIndex.KIND.id())) {
        phraseIndex(PhraseIndex.report(file));
      } else if (file.kind().equals(GrammarIndex.KIND.id())) {
        grammarIndex(GrammarIndex.report(file));
      } else if (file.kind().equals(GlossaryIndex.KIND.id())) {
        glossary(GlossaryIndex.report(file));
      }
      field("bytes", String.format(Locale.ROOT, "%,d", file.length()));
      field("version", file.version().isEmpty() ? "-" : file.version());
      field("content id", file.contentId());
      field("sha256", file.sha256());
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
      if (all) {
        for (String name : READABLE) {
          if (file.has(name)) {
            terminal.result("\n" + name + ":");
            text(file, name).lines().forEach(line -> terminal.result("  " + TextWidth.plain(line)));
          }
        }
      }
    }
    return 0;
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = "Read every byte of index files and compare it with their checksums.")
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

  /** Prints the essentials of a translation model: its languages, and its network in one line. */
  private void translationModel(IndexFile file) {
    if (file.has("text")) {
      TextSettings text =
          TextSettings.fromJson(
              text(file, "text").getBytes(StandardCharsets.UTF_8),
              ModelSections.haveFormat(file.kindVersion()));
      field("languages", text.sourceLanguage() + " to " + text.targetLanguage());
      List<String> all = new ModelLanguages(text.format().languages()).tags();
      if (!all.isEmpty()) {
        field("choice of", String.join(", ", all));
      }
    }
    long weights = 0;
    for (Section section : file.sections()) {
      weights += section.name().startsWith("tensor/") ? section.length() : 0;
    }
    String settings = text(file, "settings");
    Matcher network = ARCHITECTURE.matcher(settings);
    field(
        "network",
        (network.find() ? network.group(1) : "-")
            + String.format(Locale.ROOT, ", %,d bytes of weights", weights));
  }

  /** Prints the essentials of a phrase index: the size of its text. */
  private void phraseIndex(PhraseIndexReport report) {
    field("sentences", String.format(Locale.ROOT, "%,d pairs", report.sentences()));
    field("source", words(report.sourceWords(), report.sourceVocabulary()));
    field("target", words(report.targetWords(), report.targetVocabulary()));
    field("segments", String.valueOf(report.segments()));
  }

  /** Prints the essentials of a grammar: its size, and how its rules were converted. */
  private void grammarIndex(GrammarIndexReport report) {
    field(
        "variables",
        String.format(Locale.ROOT, "%,d in %,d classes", report.variables(), report.classes()));
    field("terminals", String.format(Locale.ROOT, "%,d", report.terminals()));
    field(
        "rules",
        String.format(
            Locale.ROOT,
            "%,d binary, %,d unary, %,d lexical%s",
            report.binaryRules(),
            report.unaryRules(),
            report.lexicalRules(),
            report.weighted() ? ", with probabilities" : ""));
    field(
        "recognizer",
        String.format(
            Locale.ROOT,
            "%,d binary rules of classes, %,d right-hand sides",
            report.classRules(),
            report.rightSides()));
    field("empty", report.derivesEmpty() ? "derived" : "not derived");
  }

  /** Prints the essentials of a glossary: its languages and sizes. */
  private void glossary(GlossaryReport report) {
    field("languages", report.sourceLanguage() + " to " + report.targetLanguage());
    field(
        "terms",
        String.format(
            Locale.ROOT, "%,d, %,d with case", report.terms(), report.caseSensitiveTerms()));
    field(
        "forms",
        String.format(Locale.ROOT, "%,d source, %,d target", report.sources(), report.targets()));
  }

  private static String words(long words, int distinct) {
    return String.format(Locale.ROOT, "%,d words, %,d distinct", words, distinct);
  }

  /** The beginning of a text section, as much as is readable. */
  private static String text(IndexFile file, String name) {
    ByteBuffer bytes = file.section(name);
    bytes.limit(Math.min(bytes.limit(), MAX_READABLE));
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  private void field(String name, String value) {
    terminal.result(String.format("%-12s%s", name, TextWidth.plain(value)));
  }
}
