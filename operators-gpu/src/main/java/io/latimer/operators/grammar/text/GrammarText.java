package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarFormatException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reads grammars from text files of any format, and makes them binary. */
public final class GrammarText {
  private GrammarText() {}

  /**
   * A grammar that was read.
   *
   * @param grammar its rules in binary form
   * @param report what was found and changed
   */
  public record Read(BinaryGrammar grammar, GrammarReport report) {}

  /**
   * Reads a grammar.
   *
   * @param files one or more of the same format, plain or gzip, which are read as if they were one
   * @throws GrammarFormatException if they are not a grammar, naming file, line and symbol
   */
  public static Read read(List<Path> files, GrammarTextOptions options) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("no files");
    }
    GrammarFormat format =
        options.format() == null ? GrammarFormat.of(files.get(0)) : options.format();
    return format == GrammarFormat.RULES
        ? rules(files, options)
        : converted(files, reader(format), format, options);
  }

  private static GrammarReader reader(GrammarFormat format) {
    return switch (format) {
      case NLTK -> new NltkReader();
      case EBNF -> new EbnfReader();
      case LARK -> new LarkReader();
      case GBNF -> new GbnfReader();
      case BERKELEY -> new BerkeleyReader();
      case RULES -> throw new IllegalArgumentException("rules are binary as they are");
    };
  }

  private static String names(List<Path> files) {
    return files.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  private static Read converted(
      List<Path> files, GrammarReader reader, GrammarFormat format, GrammarTextOptions options) {
    files.forEach(reader::read);
    ContextFreeGrammar grammar = reader.finish(options.start(), names(files));
    List<Integer> undefined = grammar.undefined();
    if (!undefined.isEmpty() && !options.allowUndefined()) {
      int first = undefined.get(0);
      throw grammar
          .variableLine(first)
          .error(
              "the symbol "
                  + grammar.variables().get(first)
                  + " has no rules"
                  + others(undefined)
                  + "; add rules, or quote it if it is a word");
    }
    Usefulness usefulness =
        Usefulness.of(grammar.rules(), grammar.variables().size(), grammar.start());
    List<String> unproductive =
        places(grammar, v -> !usefulness.productive(v) && !undefined.contains(v));
    List<String> unreachable =
        places(grammar, v -> usefulness.productive(v) && !usefulness.reachable(v));
    requireUseful(unproductive, unreachable, options);
    BinaryConversion.Converted converted = BinaryConversion.convert(grammar, usefulness);
    GrammarReport report =
        report(
            format,
            grammar.rules().size(),
            converted.steps(),
            places(grammar, undefined::contains),
            unproductive,
            unreachable,
            unbalanced(grammar, format),
            converted.grammar());
    return new Read(converted.grammar(), report);
  }

  private static Read rules(List<Path> files, GrammarTextOptions options) {
    BinaryGrammar grammar = RuleLines.read(files);
    if (options.start() != null) {
      grammar = BinaryRules.withStart(grammar, options.start(), names(files));
    }
    List<String> variables = grammar.variables();
    RuleTable rules = BinaryRules.table(grammar);
    Usefulness usefulness = Usefulness.of(rules, variables.size(), grammar.start());
    List<String> unproductive = names(variables, v -> !usefulness.productive(v));
    List<String> unreachable =
        names(variables, v -> usefulness.productive(v) && !usefulness.reachable(v));
    requireUseful(unproductive, unreachable, options);
    GrammarReport report =
        report(
            GrammarFormat.RULES,
            rules.size(),
            GrammarReport.Steps.NONE,
            List.of(),
            unproductive,
            unreachable,
            unbalanced(grammar, rules),
            grammar);
    return new Read(grammar, report);
  }

  private static List<String> names(List<String> variables, IntPredicate test) {
    return IntStream.range(0, variables.size()).filter(test).mapToObj(variables::get).toList();
  }

  private static List<String> places(ContextFreeGrammar grammar, IntPredicate test) {
    return IntStream.range(0, grammar.variables().size())
        .filter(test)
        .mapToObj(v -> place(grammar, v))
        .toList();
  }

  private static String place(ContextFreeGrammar grammar, int variable) {
    return grammar.variables().get(variable) + " in " + grammar.variableLine(variable);
  }

  /**
   * The Berkeley parser is exempt, as its probabilities do not sum to 1: known words leave some to
   * unknown ones, and its unary rules stand for whole chains.
   */
  private static List<String> unbalanced(ContextFreeGrammar grammar, GrammarFormat format) {
    return grammar.weighted() && format != GrammarFormat.BERKELEY
        ? ProbabilitySums.wrong(
            grammar.rules(), grammar.variables().size(), -1, v -> place(grammar, v))
        : List.of();
  }

  /** A start that derives the empty sentence is exempt: the file gives that no probability. */
  private static List<String> unbalanced(BinaryGrammar grammar, RuleTable rules) {
    return grammar.weighted()
        ? ProbabilitySums.wrong(
            rules,
            grammar.variables().size(),
            grammar.derivesEmpty() ? grammar.start() : -1,
            grammar.variables()::get)
        : List.of();
  }

  private static void requireUseful(
      List<String> unproductive, List<String> unreachable, GrammarTextOptions options) {
    if (!options.strict()) {
      return;
    }
    if (!unproductive.isEmpty()) {
      throw new GrammarFormatException(
          "the symbol "
              + unproductive.get(0)
              + " derives no sentence"
              + others(unproductive)
              + "; add a rule that ends, or remove it");
    }
    if (!unreachable.isEmpty()) {
      throw new GrammarFormatException(
          "the symbol "
              + unreachable.get(0)
              + " is unreachable from the start"
              + others(unreachable)
              + "; use it in a rule, or remove it");
    }
  }

  private static String others(List<?> symbols) {
    int others = symbols.size() - 1;
    return others == 0
        ? ""
        : ", and " + others + (others == 1 ? " other symbol" : " other symbols");
  }

  private static GrammarReport report(
      GrammarFormat format,
      int rules,
      GrammarReport.Steps steps,
      List<String> undefined,
      List<String> unproductive,
      List<String> unreachable,
      List<String> unbalanced,
      BinaryGrammar grammar) {
    return new GrammarReport(
        format,
        rules,
        steps,
        undefined,
        unproductive,
        unreachable,
        unbalanced,
        grammar.variables().size(),
        grammar.terminals().size(),
        grammar.binaryRules(),
        grammar.unaryRules(),
        grammar.lexicalRules(),
        grammar.derivesEmpty(),
        grammar.weighted());
  }
}
