package io.latimer.cli;

import io.latimer.cli.align.AlignCommand;
import io.latimer.cli.beam.BeamCommand;
import io.latimer.cli.command.CommandGroup;
import io.latimer.cli.command.Converters;
import io.latimer.cli.command.Errors;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.Logs;
import io.latimer.cli.command.Suggestions;
import io.latimer.cli.control.ControlCommand;
import io.latimer.cli.demo.DemoCommand;
import io.latimer.cli.feed.CaptionsCommand;
import io.latimer.cli.feed.FeedCommand;
import io.latimer.cli.glossary.GlossaryCommand;
import io.latimer.cli.grammar.GrammarCommand;
import io.latimer.cli.index.IndexCommand;
import io.latimer.cli.job.RunCommand;
import io.latimer.cli.job.TopicsCommand;
import io.latimer.cli.lm.LmCommand;
import io.latimer.cli.memory.MemoryCommand;
import io.latimer.cli.model.ModelCommand;
import io.latimer.cli.ngrams.NgramsCommand;
import io.latimer.cli.phrases.PhrasesCommand;
import io.latimer.cli.terminal.ClosedOutputException;
import io.latimer.cli.terminal.LostOutputException;
import io.latimer.cli.terminal.Terminal;
import io.latimer.cli.tokenize.TokenizeCommand;
import io.latimer.cli.translate.TranslateCommand;
import io.latimer.cli.tune.TuneCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** The program {@code latimer}. */
@Command(
    name = "latimer",
    description = "Translates live text feeds.",
    versionProvider = Version.class,
    footer = {
      "",
      "Results go to standard output, messages to standard error.",
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C, 143 by SIGTERM, 141"
          + " when the reader of the standard output is gone.",
    })
public final class Latimer extends CommandGroup {
  /** The commands, each named as its class is: {@code TranslateCommand} is {@code translate}. */
  static final List<Class<?>> COMMANDS =
      List.of(
          DemoCommand.class,
          RunCommand.class,
          TopicsCommand.class,
          ControlCommand.class,
          FeedCommand.class,
          CaptionsCommand.class,
          TranslateCommand.class,
          BeamCommand.class,
          NgramsCommand.class,
          LmCommand.class,
          TokenizeCommand.class,
          AlignCommand.class,
          PhrasesCommand.class,
          MemoryCommand.class,
          TuneCommand.class,
          GrammarCommand.class,
          GlossaryCommand.class,
          ModelCommand.class,
          IndexCommand.class,
          DevicesCommand.class,
          CompletionCommand.class,
          CommandLine.HelpCommand.class);

  private static final Set<Class<?>> ABOUT_ALL =
      Set.of(CommandLine.HelpCommand.class, CompletionCommand.class);

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of errors (as LATIMER_DEBUG=1 does).")
  private boolean debug = System.getenv("LATIMER_DEBUG") != null;

  private Latimer(Terminal terminal) {
    setTerminal(terminal);
  }

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    Logs.prepare();
    System.exit(run(Terminal.ofProcess(), args));
  }

  /** Runs one command in this process and returns its exit code. */
  public static int run(Terminal terminal, String... args) {
    return commandLine(terminal, named(args)).execute(args);
  }

  /** All commands. */
  public static CommandLine commandLine(Terminal terminal) {
    return commandLine(terminal, COMMANDS);
  }

  /**
   * Just the command that arguments name, as reading the options of all takes longer than a short
   * command runs; all for those that are about all, and if there is none of that name.
   */
  private static List<Class<?>> named(String... args) {
    Optional<String> name = Stream.of(args).filter(arg -> !arg.startsWith("-")).findFirst();
    return COMMANDS.stream()
        .filter(command -> !ABOUT_ALL.contains(command))
        .filter(command -> name.equals(Optional.of(name(command))))
        .findFirst()
        .<List<Class<?>>>map(List::of)
        .orElse(COMMANDS);
  }

  /** The name of a command. */
  static String name(Class<?> command) {
    return command.getSimpleName().replace("Command", "").toLowerCase(Locale.ROOT);
  }

  private static CommandLine commandLine(Terminal terminal, List<Class<?>> commands) {
    Latimer latimer = new Latimer(terminal);
    CommandFactory factory = new CommandFactory(terminal);
    CommandLine line = new CommandLine(latimer, factory);
    commands.forEach(command -> line.addSubcommand(new CommandLine(command, factory)));
    Converters.register(line);
    line.setOut(terminal.resultWriter());
    line.setErr(terminal.messageWriter());
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(Math.max(80, Math.min(terminal.columns(), 120)));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setAbbreviatedOptionsAllowed(false);
    line.setExecutionStrategy(latimer::execute);
    line.setExecutionExceptionHandler((error, command, result) -> latimer.explain(error));
    line.setParameterExceptionHandler(Latimer::explainUsage);
    return line;
  }

  /** Usage texts and the version are printed here, outside the commands' error handling. */
  private int execute(CommandLine.ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (LostOutputException e) {
      return explain(e);
    }
  }

  private int explain(Exception error) {
    terminal.status("");
    if (error instanceof ClosedOutputException) {
      return ExitCodes.CLOSED_OUTPUT;
    }
    terminal.message("latimer: " + Errors.sentence(error));
    if (debug) {
      terminal.message(Errors.stackTrace(error));
    }
    return ExitCodes.FAILED;
  }

  private static int explainUsage(ParameterException error, String[] args) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("latimer: " + error.getMessage());
    String question = Suggestions.question(error);
    if (!question.isEmpty()) {
      err.println(question);
    }
    err.println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }
}
