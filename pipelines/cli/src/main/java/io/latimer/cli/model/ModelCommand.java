package io.latimer.cli.model;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportRequest;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.convert.ShortlistReport;
import io.latimer.operators.nmt.convert.ShortlistSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes model files. */
@Command(
    name = "model",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Make model files.",
    subcommands = ModelCommand.Import.class)
public final class ModelCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Say which command of 'model' to run.");
  }

  /** Imports a model. */
  @Command(
      name = "import",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      abbreviateSynopsis = true,
      description = {
        "Make one model file of the files that Amun, Nematus and Marian keep.",
        "",
        "What is not given is taken from --config, if there is one. The text settings say how the"
            + " model's text was prepared when it was trained; they travel in the model file.",
      },
      footer = {
        "",
        "Examples:",
        "  latimer model import --weights model.npz --source-vocab vocab.yml \\",
        "    --target-vocab vocab.yml --spm spm.model --source-language en \\",
        "    --target-language de --out en-de.lmx",
        "  latimer model import --config config.yml --text moses --out de-en.lmx",
      })
  static final class Import implements Runnable {
    @Option(names = "--weights", paramLabel = "FILE", description = "The weights, an .npz file.")
    private Path weights;

    @Option(
        names = "--source-vocab",
        paramLabel = "FILE",
        description = "Source vocabulary: .yml, .json, plain (a token a line), .spm or .model.")
    private Path sourceVocab;

    @Option(names = "--target-vocab", paramLabel = "FILE", description = "Target vocabulary.")
    private Path targetVocab;

    @Option(
        names = {"--codes", "--source-codes"},
        paramLabel = "FILE",
        description = "BPE codes of subword-nmt; for both sides unless --target-codes is given.")
    private Path codes;

    @Option(
        names = "--target-codes",
        paramLabel = "FILE",
        description = "BPE codes of the target side.")
    private Path targetCodes;

    @Option(
        names = {"--spm", "--source-spm"},
        paramLabel = "FILE",
        description = "SentencePiece model; for both sides unless --target-spm is given.")
    private Path spm;

    @Option(
        names = "--target-spm",
        paramLabel = "FILE",
        description = "SentencePiece model of the target side.")
    private Path targetSpm;

    @Option(
        names = "--truecase-model",
        paramLabel = "FILE",
        description = "Moses truecase model, for --casing truecase.")
    private Path truecaseModel;

    @Option(
        names = "--shortlist",
        paramLabel = "FILE",
        description =
            "Lexical table (Marian's lex.s2t: target word, source word, probability; plain or gzip):"
                + " sentences may then only say words that it has for theirs.")
    private Path shortlist;

    @Option(
        names = "--shortlist-first",
        paramLabel = "N",
        defaultValue = "100",
        description =
            "Most frequent target words that every sentence may say (default: ${DEFAULT-VALUE}).")
    private int shortlistFirst;

    @Option(
        names = "--shortlist-best",
        paramLabel = "N",
        defaultValue = "100",
        description = "Most probable target words of each source word (default: ${DEFAULT-VALUE}).")
    private int shortlistBest;

    @Option(
        names = "--shortlist-threshold",
        paramLabel = "P",
        defaultValue = "0",
        description = "Only those more probable than this (default: ${DEFAULT-VALUE}).")
    private float shortlistThreshold;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "Amun's configuration, or Marian's decoder.yml.")
    private Path config;

    @Option(
        names = "--source-language",
        paramLabel = "TAG",
        defaultValue = "und",
        description = "Language of the input, such as en or pt-BR.")
    private String sourceLanguage;

    @Option(
        names = "--target-language",
        paramLabel = "TAG",
        defaultValue = "und",
        description = "Language of the output.")
    private String targetLanguage;

    @Option(
        names = "--model-version",
        paramLabel = "TEXT",
        defaultValue = "",
        description = "Your version of the model, at most 64 bytes; it is in every translation.")
    private String version;

    @Option(
        names = "--out",
        paramLabel = "FILE",
        required = true,
        description = "The model file to write, .lmx.")
    private Path out;

    @Option(names = "--force", description = "Write even if there is such a file already.")
    private boolean force;

    @ArgGroup(exclusive = false, heading = "%nText settings:%n")
    private TextOptions text = new TextOptions();

    @Spec private CommandSpec spec;

    private final Terminal terminal;

    Import(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public void run() {
      if (weights == null && config == null) {
        throw new ParameterException(spec.commandLine(), "Give --weights or --config.");
      }
      if (!force && Files.exists(out)) {
        throw new CommandException(out + " exists already; --force replaces it.");
      }
      ImportRequest request =
          ImportRequest.to(out)
              .config(config)
              .weights(weights)
              .vocabularies(sourceVocab, targetVocab)
              .codes(codes)
              .targetCodes(targetCodes)
              .spm(spm)
              .targetSpm(targetSpm)
              .truecaseModel(truecaseModel)
              .shortlist(shortlist, shortlistSettings())
              .languages(sourceLanguage, targetLanguage)
              .version(version)
              .text(text.settings(sourceLanguage, targetLanguage, segmentation()))
              .build();
      ImportReport report = ModelImporter.importModel(request);
      report.warnings().forEach(warning -> terminal.message("latimer: warning: " + warning));
      report.shortlist().ifPresent(made -> terminal.message(summary(made)));
      terminal.message(
          String.format(
              Locale.ROOT,
              "%s: %,d weights in %,d bytes, content id %s",
              report.file(),
              report.weights(),
              report.bytes(),
              report.contentId()));
    }

    private ShortlistSettings shortlistSettings() {
      try {
        return new ShortlistSettings(shortlistFirst, shortlistBest, shortlistThreshold);
      } catch (OperatorException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }

    private static String summary(ShortlistReport made) {
      return String.format(
          Locale.ROOT,
          "shortlist: %,d first words and %,d pairs of %,d; %,d pairs name words that the"
              + " vocabularies do not hold%s",
          made.shortlist().first(),
          made.shortlist().pairs(),
          made.read(),
          made.unknown(),
          made.shortlist().ownWords() ? "; source words may be said, too" : "");
    }

    /** What the files given mean; the importer refuses what does not fit. */
    private TextOptions.Given segmentation() {
      if (spm != null || isSentencePiece(sourceVocab)) {
        return TextOptions.Given.SPM;
      }
      return codes != null ? TextOptions.Given.BPE : TextOptions.Given.UNKNOWN;
    }

    private static boolean isSentencePiece(Path vocabulary) {
      return vocabulary != null && vocabulary.toString().matches(".*\\.(spm|model)");
    }
  }
}
