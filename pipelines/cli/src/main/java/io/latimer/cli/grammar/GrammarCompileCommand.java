package io.latimer.cli.grammar;

import io.latimer.cli.command.IndexFileOptions;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.grammar.index.GrammarIndexBuilder;
import io.latimer.operators.grammar.index.GrammarIndexReport;
import io.latimer.operators.grammar.text.GrammarFormat;
import io.latimer.operators.grammar.text.GrammarText;
import io.latimer.operators.grammar.text.GrammarTextOptions;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compiles a grammar. */
@Command(
    name = "compile",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Compile a context-free grammar for 'grammar check'.",
      "",
      "Rules of any length are converted to rules of at most two symbols, with the same sentences;"
          + " what that adds and removes goes to the standard error. Terminals are whole words; one"
          + " with spaces is several words.",
      "",
      "Formats:",
      "  rules     lines start A, v A, b A B C, u A B, t A word, e; not converted",
      "  nltk      A -> B 'word' | \"word\" [0.5], and %%start A",
      "  ebnf      a = b, [ 'word' ], { c } | d? e* f+ ;",
      "  lark      no regular expressions, templates or imported terminals in rules",
      "  gbnf      the grammars of llama.cpp; white space separates words",
      "  berkeley  the Berkeley parser's rules as text, with its lexicon or of tags",
    },
    footer = {
      "",
      "Examples:",
      "  latimer grammar compile shipping.lark --out shipping.lgx",
      "  latimer grammar compile --start S rules.txt lexicon.txt.gz --out english.lgx",
    })
final class GrammarCompileCommand extends TerminalCommand implements Runnable {
  private static final String SUFFIX = ".lgx";

  /** The formats of files. */
  enum Format {
    AUTO,
    RULES,
    NLTK,
    EBNF,
    LARK,
    GBNF,
    BERKELEY;

    /** The format to read, or null to detect it. */
    GrammarFormat format() {
      return this == AUTO ? null : GrammarFormat.valueOf(name());
    }
  }

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "The grammar, plain or gzip. Several files of the same format are read as one, such as"
              + " rules and a lexicon.")
  private List<Path> files;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description =
          "The compiled grammar to write (default: the name of the first file without .gz, with .lgx,"
              + " in the working folder).")
  private Path out;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "auto, rules, nltk, ebnf, lark, gbnf or berkeley; auto goes by the name of the first file,"
              + " or else by its content (default: ${DEFAULT-VALUE}).")
  private Format format;

  @Option(
      names = "--start",
      paramLabel = "SYMBOL",
      description =
          "The start symbol (default: as the file says, or else start in lark, root in gbnf, ROOT_0"
              + " or ROOT in berkeley, the symbol of the first rule in nltk and ebnf).")
  private String start;

  @Option(
      names = "--strict",
      description =
          "Fail if a symbol is unreachable from the start or derives no sentence, instead of"
              + " warning.")
  private boolean strict;

  @Option(
      names = "--allow-undefined",
      description = "Warn of symbols without rules, which derive nothing, instead of failing.")
  private boolean allowUndefined;

  @Mixin private IndexFileOptions options;

  @Override
  public void run() {
    Path file = out == null ? byDefault(files.get(0)) : out;
    options.requireWritable(file);
    String version = options.version("");
    terminal.status("reading the grammar ...");
    GrammarText.Read read =
        GrammarText.read(
            files, new GrammarTextOptions(format.format(), start, strict, allowUndefined));
    terminal.status("compiling ...");
    GrammarIndexReport index = GrammarIndexBuilder.build(read.grammar(), file, version);
    terminal.status("");
    CompileMessages.of(file, read.report(), index).forEach(terminal::message);
  }

  private static Path byDefault(Path first) {
    String name = String.valueOf(first.getFileName());
    return Path.of(name.replaceFirst("\\.gz$", "") + SUFFIX);
  }
}
