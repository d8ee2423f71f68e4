package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

final class LatimerTest {

  @Test
  void theVersionIsAResult() {
    Run run = Run.of("--version");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).matches("latimer [0-9]+\\.[0-9]+\\.[0-9]+\\S* \\(Java 17.*\\)\n");
    assertThat(run.err()).isEmpty();
  }

  static Stream<String> commands() {
    return commands("", Latimer.commandLine(Terminal.ofProcess()))
        .filter(c -> !c.endsWith(" help"));
  }

  private static Stream<String> commands(String name, CommandLine line) {
    return Stream.concat(
        Stream.of(name),
        line.getSubcommands().entrySet().stream()
            .flatMap(e -> commands(name + " " + e.getKey(), e.getValue())));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandExplainsItself(String command) {
    Run run = Run.of((command + " --help").strip().split(" "));
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("Usage: latimer" + command + " ").contains("--help");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void everyCommandIsNamedAsItsClass() {
    assertThat(Latimer.COMMANDS.stream().map(Latimer::name))
        .containsExactlyElementsOf(
            Latimer.commandLine(Terminal.ofProcess()).getSubcommands().keySet());
  }

  @Test
  void optionsMayPrecedeACommand() {
    assertThat(Run.of("--debug", "devices", "--help").out()).startsWith("Usage: latimer devices");
  }

  @Test
  void noCommandIsWrongUsage() {
    Run run = Run.of();
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "latimer: Missing subcommand: demo, run, topics, control, feed, captions, translate, beam,"
                + " ngrams, lm, tokenize, align, phrases, memory, tune, grammar, glossary, model, index,"
                + " devices or completion.\nSee 'latimer --help'.\n");
  }

  @Test
  void aGroupAloneNamesItsSubcommands() {
    assertThat(Run.of("lm").err())
        .startsWith("latimer: Missing subcommand: estimate, import, query or perplexity.\n");
    assertThat(Run.of("phrases").err())
        .startsWith("latimer: Missing subcommand: index, append, merge or query.\n");
    assertThat(Run.of("grammar").err())
        .startsWith("latimer: Missing subcommand: compile or check.\n");
    assertThat(Run.of("glossary").err())
        .startsWith("latimer: Missing subcommand: build or find.\n");
    assertThat(Run.of("index").err())
        .startsWith("latimer: Missing subcommand: prune, inspect or verify.\n");
    assertThat(Run.of("model").err())
        .startsWith("latimer: Missing subcommand: import, inspect, train-quality or judge.\n");
  }

  @Test
  void valuesThatCannotBeReadAreExplainedInPlainWords() {
    Run word = Run.of("translate", "--nbest", "many");
    assertThat(word.exitCode()).isEqualTo(2);
    assertThat(word.err()).contains("'--nbest'", "\"many\" is not a whole number");
    assertThat(Run.of("demo", "--limit", "99999999999999999999").err()).contains("is too large");
    assertThat(Run.of("demo", "--rate", "fast").err()).contains("\"fast\" is not a number");
    Run empty = Run.of("translate", "--model", "");
    assertThat(empty.exitCode()).isEqualTo(2);
    assertThat(empty.err()).contains("'--model'", "the name is empty; name a file");
  }

  @Test
  void theHelpNamesAllExitCodes() {
    assertThat(Run.of("--help").out()).contains("0 done", "130", "141", "143");
  }

  @Test
  void completionOffersDevicesAndLowerCaseNames() {
    String script = Run.of("completion", "bash").out();
    assertThat(script).contains("\"cpu\" \"auto\" \"gpu\"", "\"kenlm\" \"tsv\" \"json\"");
    assertThat(script).contains("\"text\" \"cdec\" \"json\"", "\"300\" \"all\"", "\"lex-ef\"");
    assertThat(script).contains("\"moses-aggressive\"").doesNotContain("KENLM", "SENTENCE_START");
    assertThat(script.lines().filter(line -> line.matches(".*_OPTION_ARGS=\\(.*[A-Z].*\\).*")))
        .isEmpty();
  }

  @Test
  void aMistypedCommandIsWrongUsageAndTheNearestIsNamed() {
    assertSuggests("latimer devices", "devcies");
    assertSuggests("latimer translate", "translte");
    assertSuggests("latimer index inspect", "index", "inspct");
    assertSuggests("--rate", "demo", "--rat=5");
    assertSuggests("--flink-ui", "run", "--config", "job.yaml", "--flinkui");
    assertThat(Run.of("xylophone").err()).contains("'xylophone'").doesNotContain("mean");
  }

  private static void assertSuggests(String meant, String... typed) {
    Run run = Run.of(typed);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("Did you mean '" + meant + "'?\n");
  }

  @Test
  void theShellsGetACompletionScriptThatKnowsTheCommands() {
    Run bash = Run.of("completion", "bash");
    assertThat(bash.exitCode()).isZero();
    assertThat(bash.out()).startsWith("#!/usr/bin/env bash").contains("devices");
    assertThat(Run.of("completion", "zsh").out()).startsWith("autoload").endsWith(bash.out());
    assertThat(Run.of("completion", "fish").exitCode()).isEqualTo(2);
  }

  /** Commands that write results, and the options that do in the place of every command. */
  static Stream<String> writers() {
    String root = System.getProperty("latimer.root");
    String model = root + "/examples/models/tatoeba-en-de.lmx";
    return Stream.concat(
        commands().map(command -> (command + " --help").strip()),
        Stream.of(
            "--version",
            "help",
            "help demo",
            "completion bash",
            "demo --print-config --model " + model,
            "devices",
            "index inspect " + model,
            "index verify " + model,
            "ngrams --order=1 --device=cpu",
            "run --check=offline --config " + root + "/examples/jobs/list.yaml",
            "translate --beam=1 --model " + model));
  }

  @ParameterizedTest
  @MethodSource("writers")
  void aReaderThatWentAwayEndsTheCommandInSilence(String command) {
    Run run = withFailingOutput("Broken pipe", command.split(" "));
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isEqualTo(141);
  }

  @ParameterizedTest
  @MethodSource("writers")
  void resultsThatCannotBeWrittenAreAFailure(String command) {
    Run run = withFailingOutput("No space left on device", command.split(" "));
    assertThat(run.err())
        .isEqualTo("latimer: cannot write to standard output: No space left on device\n");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  private static Run withFailingOutput(String reason, String... arguments) {
    OutputStream failing =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(reason);
          }
        };
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(messages, false, StandardCharsets.UTF_8);
    InputStream in = new ByteArrayInputStream("Good morning!\n".getBytes(StandardCharsets.UTF_8));
    Terminal terminal = new Terminal(in, failing, err, false, false, false, 80);
    int exitCode = Latimer.run(terminal, arguments);
    return new Run(exitCode, "", messages.toString(StandardCharsets.UTF_8));
  }
}
