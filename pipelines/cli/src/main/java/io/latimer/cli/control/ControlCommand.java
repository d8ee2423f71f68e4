package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.CommandGroup;
import io.latimer.cli.command.DurationConverter;
import io.latimer.cli.command.Input;
import io.latimer.cli.job.FilePlugins;
import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.job.LimitSettings;
import io.latimer.pipelines.record.Taught;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** Sends commands to a running job. */
@Command(
    name = "control",
    description = "Send a command to a running job, and wait until it is carried out.")
public final class ControlCommand extends CommandGroup {
  private static final Pattern LINE_BREAKS = Pattern.compile("\\R");

  @Option(
      names = {"-c", "--config", "--job", "--job-file"},
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "The job file of the running job, with control.topic and a Kafka topic in"
              + " control.status.")
  private Path file;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "60s",
      converter = DurationConverter.class,
      scope = ScopeType.INHERIT,
      description =
          "How long to wait for the job's answer, such as 30s or 2m; append waits as long for each"
              + " 256 pairs (default: ${DEFAULT-VALUE}).")
  private Duration timeout;

  @Command(
      name = "swap",
      mixinStandardHelpOptions = true,
      description = {
        "Replace an index of a stage. The new one is loaded beside the old one in every subtask;"
            + " once all have it, later batches use it. If one cannot load it, all keep the old"
            + " one. To go back, swap to the old file.",
      },
      footer = {
        "",
        "The statuses of an exactly-once sink can be read after the job's next checkpoint.",
      })
  int swap(
      @Parameters(
              paramLabel = "STAGE=INDEX",
              description =
                  "Name of the stage, and its new index: a path, which all machines of the job must"
                      + " have, an http or https address, or a URI that Flink can read (s3: and"
                      + " others), as in a job file. Another index of a stage than its main one is"
                      + " named STAGE.KEY, such as translate.glossary. Keep the old one: batches may"
                      + " need it again after a failure.")
          String swap,
      @Option(
              names = "--sha256",
              paramLabel = "HEX",
              defaultValue = "",
              description =
                  "SHA-256 of the new index; any other file is refused. Required for an http or"
                      + " https address. Without it, the file is read here first.")
          String sha256,
      @Option(
              names = "--covers",
              paramLabel = "N",
              defaultValue = "0",
              description =
                  "Where the stage learns: the new index has the first N learned pairs or terms in"
                      + " it, so that they are not used beside it, too. The job refuses a number"
                      + " below that of the first one that it still knows (default:"
                      + " ${DEFAULT-VALUE}).")
          long covers)
      throws IOException, InterruptedException, ExecutionException {
    int sign = swap.indexOf('=');
    if (sign < 1 || sign == swap.length() - 1) {
      throw wrongUsage(
          "swap", "expected STAGE=INDEX, such as translate=models/en-de.lmx, found " + swap);
    }
    if (!sha256.matches("([0-9a-f]{64})?")) {
      throw wrongUsage(
          "swap", "expected 64 lower-case hexadecimal digits for --sha256, found " + sha256);
    }
    String stage = swap.substring(0, sign);
    JobConfig config = config("swap");
    IndexRef index = index(config, stage, swap.substring(sign + 1), sha256);
    ControlStatus end;
    try (CommandSender sender = new CommandSender(config)) {
      end =
          inUse(
              config,
              sender.swap(stage, index, covers, timeout),
              "refused it and keeps the old index");
    }
    terminal.result(
        "job "
            + config.name()
            + ": stage "
            + stage
            + " uses "
            + index.location()
            + " "
            + index.sha256()
            + (end.getMessage().isEmpty() ? "" : ", with " + end.getMessage()));
    return 0;
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Set limits of batches: batch.max-records, batch.max-tokens or batch.max-wait. All stages"
            + " that process batches use them for later batches. They last until they are set"
            + " again, or until the job is restarted with other ones in its job file.",
      },
      footer = {
        "",
        "The statuses of an exactly-once sink can be read after the job's next checkpoint.",
      })
  int set(
      @Parameters(
              paramLabel = "KEY=VALUE",
              arity = "1..*",
              description =
                  "Keys as in the job file, such as batch.max-records=32 or batch.max-wait=5ms.")
          List<String> settings)
      throws IOException, InterruptedException, ExecutionException {
    BatchLimits limits;
    try {
      limits = LimitSettings.parse(settings);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.subcommands().get("set"), e.getMessage(), e);
    }
    JobConfig config = config("set");
    try (CommandSender sender = new CommandSender(config)) {
      ControlStatus end =
          inUse(config, sender.set(limits, timeout), "refused it and keeps the old limits");
      terminal.result("job " + config.name() + ": batches have " + end.getMessage());
    }
    return 0;
  }

  @Command(
      name = "append",
      mixinStandardHelpOptions = true,
      description = {
        "Let a stage learn sentence pairs, such as corrected translations, or terms beside its"
            + " glossary. Later batches use them beside the index. Pairs that were sent before"
            + " change nothing while they are in the job's state: until learned pairs have been"
            + " written to new index files twice since. After that, they are learned once more, and"
            + " count twice. Prints what changes for up to ten pairs: the source, its translation"
            + " before, and that after.",
      },
      footer = {
        "",
        "The statuses of an exactly-once sink can be read after the job's next checkpoint.",
      })
  int append(
      @Parameters(
              paramLabel = "STAGE",
              description =
                  "Name of a stage in control.learn, or of a glossary there, such as"
                      + " translate.glossary.")
          String stage,
      @Option(
              names = "--pairs",
              paramLabel = "FILE",
              description =
                  "A pair in each line, in columns that are separated by tabs: the source sentence,"
                      + " the target sentence, and optionally the word alignment, such as 0-0 1-2."
                      + " For a stage translate raw texts, if there is no alignment; otherwise"
                      + " tokenized and cased like the text of the index. A file that ends with"
                      + " .tmx is a translation memory. - is the standard input.")
          Path pairs,
      @Option(
              names = "--terms",
              paramLabel = "FILE",
              description =
                  "For a glossary, instead of --pairs: a table of terms as latimer glossary build"
                      + " reads it, TSV or (.csv) CSV. A term counts before those of the glossary"
                      + " and before earlier ones. - is the standard input.")
          Path terms)
      throws IOException, InterruptedException, ExecutionException {
    JobConfig config = config("append");
    Taught taught = config.taught(stage);
    boolean areTerms = taught == Taught.TERMS;
    if ((areTerms ? terms : pairs) == null || (areTerms ? pairs : terms) != null) {
      throw wrongUsage(
          "append",
          areTerms
              ? "expected --terms=FILE for " + stage + ", and no --pairs"
              : "expected --pairs=FILE for a stage, and no --terms; terms are for its glossary,"
                  + " such as translate.glossary");
    }
    List<List<Correction>> parts;
    try (Input input = Input.of(areTerms ? terms : pairs, terminal)) {
      parts = areTerms ? TermFile.read(input) : PairFile.read(input);
    }
    int learned = 0;
    String used = "";
    List<CorrectionStatus> first = List.of();
    try (CommandSender sender = new CommandSender(config)) {
      for (List<Correction> part : parts) {
        String otherwise =
            learned == 0
                ? "refused " + taught.plural()
                : "learned the first "
                    + learned
                    + " "
                    + taught.plural()
                    + ", and refused further ones";
        ControlStatus end = inUse(config, sender.append(stage, part, timeout), otherwise);
        used = end.getMessage();
        first = learned == 0 ? end.getCorrections() : first;
        learned += part.size();
      }
    }
    terminal.result("job " + config.name() + ": stage " + stage + " uses " + used);
    first.stream()
        .filter(one -> !one.getBefore().isEmpty() && !one.getAfter().isEmpty())
        .map(one -> one.getSource() + ": " + one.getBefore() + " -> " + one.getAfter())
        .forEach(change -> terminal.result("  " + LINE_BREAKS.matcher(change).replaceAll(" ")));
    return 0;
  }

  private static IndexRef index(JobConfig config, String stage, String path, String sha256) {
    if (ConfigTypes.isUri(path) && sha256.isEmpty()) {
      FilePlugins.load(Configuration.fromMap(config.engineSettings().resolve()));
    }
    return TranslationJob.newIndex(config, stage, path, sha256);
  }

  private JobConfig config(String command) throws IOException {
    if (file == null) {
      throw wrongUsage(command, "Missing required option: '--config=FILE'");
    }
    return JobConfigReader.read(file);
  }

  private static ControlStatus inUse(JobConfig config, ControlStatus end, String otherwise) {
    if (!end.getState().equals("in-use")) {
      throw new CommandException(
          "job " + config.name() + " " + otherwise + ": " + end.getMessage());
    }
    return end;
  }

  private ParameterException wrongUsage(String command, String message) {
    return new ParameterException(spec.subcommands().get(command), message);
  }
}
