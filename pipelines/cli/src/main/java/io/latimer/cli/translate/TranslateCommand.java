package io.latimer.cli.translate;

import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.BatchOperator;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.nmt.TextTranslator;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.smt.TranslateByPhrases;
import io.latimer.pipelines.language.LanguageCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Translates a file or the standard input. */
@Command(
    name = "translate",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Translate a file or the standard input, one record per line, in order.",
      "",
      "A line that cannot be translated becomes an empty line, or no line with --nbest above 1. The"
          + " reason goes to the standard error with the line's number, and the exit code is 1.",
      "",
      "Keys, checksums and other words of more than 100 letters pass through unchanged; a model"
          + " imported with --protect=false translates them, too.",
      "",
      "With --phrases and --lm there is no neural model: phrases of an indexed parallel text, scored"
          + " by a language model, are put together. Words that the text lacks pass through"
          + " unchanged.",
    },
    footer = {
      "",
      "Output is laid out as Marian does. With --nbest above 1: 'N ||| text ||| F0= score |||"
          + " normalized score', N being the number of the input line, from 0; with --scores the"
          + " same without N. With --alignment, ' ||| 0-0 1-2' follows each text: words of the line"
          + " and of the text, separated by spaces, from 0. With --quality, ' ||| 0.87' comes then, and"
          + " with --flags, ' ||| numbers,loop' ends each line.",
      "",
      "Examples:",
      "  latimer translate < feed.txt > translations.txt",
      "  latimer translate feed.txt --output translations.txt",
      "  latimer translate --model nllb-200-distilled-600M --source-language en \\",
      "      --target-language de feed.txt",
      "  latimer translate --phrases en-de.lpx --lm de.llm --source-language en feed.txt",
    })
public final class TranslateCommand extends TerminalCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "The file to translate; the standard input if omitted or -.")
  private Path input;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Write to a file, which is replaced when the translation is complete.")
  private Path output;

  @Mixin private ModelOption model;

  @Mixin private SearchOptions search;

  @Mixin private ByPhrasesOptions phrases;

  @Mixin private SafeguardOptions safeguards;

  @Mixin private LanguageCheckOptions languages;

  @Option(
      names = "--nbest",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Print the N best translations of each line, 1 to the beam; by phrases, 1 to 10000.")
  private int nBest;

  @Option(
      names = "--scores",
      description = "Print log probabilities; by phrases, sums of features.")
  private boolean scores;

  @Option(names = "--alignment", description = "Print the word alignment.")
  private boolean alignment;

  @Option(
      names = "--quality",
      description =
          "Print the probability that each translation is right, 0 to 1; nothing if the model, or by"
              + " phrases the weights, have no judge of quality.")
  private boolean quality;

  @Option(
      names = "--flags",
      description =
          "Print what is doubtful about each translation: numbers, terms, assembled, loop, too-long,"
              + " too-short, copied, output-language; or why it has none: already-translated,"
              + " other-language.")
  private boolean flags;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Maximum lines per batch, 1 to 4096 (default: 64 on the CPU, 1024 on a GPU).")
  private Integer batch;

  @Option(
      names = "--batch-tokens",
      paramLabel = "N",
      description =
          "Approximate maximum tokens per batch (default: 4096 on the CPU, 65536 on a GPU).")
  private Integer batchTokens;

  @Override
  public Integer call() throws IOException, InterruptedException {
    require(
        (batch == null || (batch >= 1 && batch <= 4096))
            && (batchTokens == null || batchTokens >= 1),
        "--batch must be from 1 to 4096 and --batch-tokens at least 1.");
    require(
        !(flags || quality) || nBest == 1,
        "--quality and --flags are about one translation of a line; leave out --nbest.");
    phrases.check(spec.commandLine());
    LanguageCheck check = languages.check(spec.commandLine());
    Device device = search.device(spec.commandLine());
    IndexOpener<? extends TextTranslator> opener = opener(device);
    long failed;
    try (Input lines = Input.of(input, terminal);
        Output results = Output.of(output, terminal)) {
      failed = translate(lines, writer(results.stream()), device, opener, check);
      results.commit();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    if (failed > 0) {
      terminal.message(
          "latimer: " + failed + (failed == 1 ? " line was" : " lines were") + " not translated.");
    }
    return failed > 0 ? ExitCodes.FAILED : 0;
  }

  private IndexOpener<? extends TextTranslator> opener(Device device) {
    CommandLine command = spec.commandLine();
    return phrases.areGiven()
        ? TranslateByPhrases.opener(
            phrases.options(
                command, device, nBest, scores || quality, alignment, search.splitSentences()))
        : Translate.opener(
            search
                .options(command, nBest, scores || quality, alignment)
                .withGuidance(phrases.guidance())
                .withSafeguards(safeguards.safeguards(command)),
            phrases.memories(command),
            safeguards.glossary());
  }

  private long translate(
      Input lines,
      Consumer<String> out,
      Device device,
      IndexOpener<? extends TextTranslator> opener,
      LanguageCheck check)
      throws IOException, InterruptedException {
    boolean gpu = device.kind() == Device.Kind.GPU;
    int most = batch != null ? batch : gpu ? 1024 : 64;
    int tokens = batchTokens != null ? batchTokens : gpu ? 65_536 : 4096;
    OutputFormat format = new OutputFormat(nBest > 1, scores, alignment, quality, flags);
    Path index = phrases.areGiven() ? phrases.file() : model.imported(terminal);
    try (TextTranslator translate = opener.open(index, device)) {
      BatchOperator<String, Translated> checked =
          new LanguageCheckOptions.Checked(
              check, translate, new TranslatedParts(nBest, scores, alignment));
      Progress progress = new Progress(terminal, lines.typed(), lines.size(), System::nanoTime);
      return new LineTranslator(checked, most, tokens, format, out, terminal, progress)
          .run(lines.stream(), lines.name());
    }
  }

  private static Consumer<String> writer(OutputStream out) {
    return text -> {
      try {
        out.write(text.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }
}
