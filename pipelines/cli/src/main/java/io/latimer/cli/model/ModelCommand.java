package io.latimer.cli.model;

import io.latimer.cli.command.CommandGroup;
import io.latimer.cli.command.Languages;
import io.latimer.cli.command.ModelFileOptions;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportRequest;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.convert.ShortlistReport;
import io.latimer.operators.nmt.convert.ShortlistSettings;
import io.latimer.operators.nmt.published.PublishedModel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates model files. */
@Command(
    name = "model",
    description = "Make model files, look at models, and judge translations.",
    subcommands = {
      ModelCommand.Import.class,
      ModelCommand.Inspect.class,
      TrainQualityCommand.class,
      JudgeCommand.class
    })
public final class ModelCommand extends CommandGroup {
  /** Imports a model. */
  @Command(
      name = "import",
      sortOptions = false,
      abbreviateSynopsis = true,
      description = {
        "Make one model file from a published model, or from the files that Amun, Nematus, Marian"
            + " and Bergamot write.",
        "",
        "A published model has all that its model file needs: a folder as Hugging Face's"
            + " transformers save it (such as the OPUS-MT models), a folder of CTranslate2 with"
            + " its tokenizer's file, or a package of Argos Translate (.argosmodel).",
        "",
        "Omitted options default to --config. The text settings describe how the training text was"
            + " prepared; they are stored in the model file.",
      },
      footer = {
        "",
        "Examples:",
        "  latimer model import opus-mt-en-mg",
        "  latimer model import translate-en_es-1_9.argosmodel --out en-es.lmx",
        "  latimer model import --weights model.npz --source-vocab vocab.yml \\",
        "    --target-vocab vocab.yml --spm spm.model --source-language en \\",
        "    --target-language de --out en-de.lmx",
        "  latimer model import --config config.yml --text moses --out de-en.lmx",
      })
  static final class Import extends TerminalCommand implements Runnable {
    @Parameters(
        arity = "0..1",
        paramLabel = "FOLDER|FILE",
        description = "A published model; --out is then its name with .lmx, here, if omitted.")
    private Path published;

    @Option(
        names = "--weights",
        paramLabel = "FILE",
        description = "The weights: .npz, or Marian's and Bergamot's .bin.")
    private Path weights;

    @Option(
        names = "--source-vocab",
        paramLabel = "FILE",
        description = "Source vocabulary: .yml, .json, plain (one token per line), .spm or .model.")
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
            "Lexical table (Marian's lex.s2t: target word, source word, probability), or Bergamot's"
                + " binary lex.s2t.bin; plain or gzip: a sentence may then only use words that the"
                + " table has for its own. A binary table is taken as it is.")
    private Path shortlist;

    @Option(
        names = "--shortlist-first",
        paramLabel = "N",
        defaultValue = "100",
        description =
            "Most frequent target words, allowed in every sentence (default: ${DEFAULT-VALUE}).")
    private int shortlistFirst;

    @Option(
        names = "--shortlist-best",
        paramLabel = "N",
        defaultValue = "100",
        description =
            "Number of most probable target words per source word (default: ${DEFAULT-VALUE}).")
    private int shortlistBest;

    @Option(
        names = "--shortlist-threshold",
        paramLabel = "P",
        defaultValue = "0",
        description = "Minimum probability of these, exclusive (default: ${DEFAULT-VALUE}).")
    private float shortlistThreshold;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "Amun's configuration, Marian's decoder.yml or Bergamot's.")
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

    @Mixin private ModelFileOptions file;

    @ArgGroup(exclusive = false, heading = "%nText settings:%n")
    private TextOptions text = new TextOptions();

    @Override
    public void run() {
      if (published != null) {
        importPublished();
        return;
      }
      require(weights != null || config != null, "Give a published model, --weights or --config.");
      Languages.require(spec.commandLine(), "--source-language", sourceLanguage);
      Languages.require(spec.commandLine(), "--target-language", targetLanguage);
      ImportRequest request =
          ImportRequest.to(file.out())
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
              .version(file.version())
              .text(text.settings(sourceLanguage, targetLanguage, segmentation()));
      say(ModelImporter.importModel(request));
    }

    private void importPublished() {
      boolean others =
          Stream.of(
                  weights,
                  config,
                  sourceVocab,
                  targetVocab,
                  codes,
                  targetCodes,
                  spm,
                  targetSpm,
                  truecaseModel,
                  shortlist)
              .anyMatch(Objects::nonNull);
      require(!others, "A published model has all its files; give no others.");
      PublishedModel model = PublishedModel.open(published);
      Path name = published.toAbsolutePath().normalize().getFileName();
      String plain = name == null ? "model" : name.toString().replaceFirst("\\.argosmodel$", "");
      Path out = file.out(Path.of(plain + ".lmx"));
      model.describe().forEach(terminal::message);
      say(model.importTo(out, file.version()));
    }

    private void say(ImportReport report) {
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
        throw usage(e.getMessage(), e);
      }
    }

    private static String summary(ShortlistReport made) {
      return String.format(
          Locale.ROOT,
          "shortlist: %,d first words and %,d pairs of %,d; %,d pairs with words that are not in"
              + " the vocabularies were dropped%s",
          made.shortlist().first(),
          made.shortlist().pairs(),
          made.read(),
          made.unknown(),
          made.shortlist().ownWords() ? "; source words are allowed, too" : "");
    }

    /** The segmentation implied by the given files; the importer refuses inconsistent ones. */
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

  /** Says what a published model is. */
  @Command(
      name = "inspect",
      sortOptions = false,
      description = {
        "Say what a published model is, without importing it.",
        "",
        "What an import would refuse is an error here, too, with its reason.",
      })
  static final class Inspect extends TerminalCommand implements Runnable {
    @Parameters(
        paramLabel = "FOLDER|FILE",
        description =
            "A folder of Hugging Face's transformers or of CTranslate2, or an Argos package.")
    private Path published;

    @Override
    public void run() {
      PublishedModel.open(published).describe().forEach(terminal::result);
    }
  }
}
