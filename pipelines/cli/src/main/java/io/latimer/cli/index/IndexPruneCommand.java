package io.latimer.cli.index;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.DurationConverter;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.job.FilePlugins;
import io.latimer.operators.util.FileErrors;
import io.latimer.pipelines.flink.state.PublishedFolder;
import io.latimer.pipelines.flink.state.PublishedFolder.Entry;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Removes published index files that are no longer needed. */
@Command(
    name = "prune",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "List the index files that jobs have published, to the folders of 'estimate' stages and to"
          + " 'compact.directory', and that no checkpoint, no savepoint and no job file names."
          + " With --delete, remove them.",
      "",
      "Name all jobs that write to these folders or use files there, such as those that follow"
          + " published models. Checkpoints are looked for in 'checkpoints.directory' of each job,"
          + " at any depth. If one cannot be read, nothing is removed.",
      "",
      "Prints a line for each file: its path, a tab and its size in bytes.",
    },
    footer = {
      "",
      "Example:",
      "  latimer index prune --config job.yaml --checkpoints s3://bucket/savepoints",
    })
final class IndexPruneCommand extends TerminalCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "A job file. Repeat it for each job that uses the folders.")
  private List<Path> files;

  @Option(
      names = "--checkpoints",
      paramLabel = "FOLDER",
      description =
          "Another folder with checkpoints or savepoints, a path or a URI. May be repeated.")
  private List<String> more = new ArrayList<>();

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      defaultValue = "24h",
      converter = DurationConverter.class,
      description =
          "Keep files that are younger: the next checkpoint may name them (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration age;

  @Option(names = "--delete", description = "Remove the files instead of only listing them.")
  private boolean delete;

  @Override
  public Integer call() throws IOException {
    Set<String> folders = new LinkedHashSet<>();
    Set<String> saved = new LinkedHashSet<>(more);
    List<String> texts = new ArrayList<>();
    for (Path file : files) {
      JobConfig config = JobConfigReader.read(file);
      FilePlugins.load(Configuration.fromMap(config.engineSettings().resolve()));
      folders.addAll(config.indexFolders());
      saved.addAll(directory(file, config));
      texts.add(Files.readString(file));
    }
    if (folders.isEmpty()) {
      throw new CommandException(
          "no job writes index files: none has a stage estimate or a compact.directory.");
    }
    List<Entry> entries = entries(folders);
    Set<String> named = named(entries, texts, saved);
    List<Entry> unused = unused(entries, named);
    unused.forEach(entry -> terminal.result(entry.path() + "\t" + entry.bytes()));
    return delete ? deleted(unused) : listed(unused, entries.size());
  }

  private Set<String> directory(Path file, JobConfig config) {
    String directory = config.checkpoints().directory();
    if (directory.isEmpty() && more.isEmpty()) {
      throw new CommandException(
          file
              + " has no checkpoints.directory; say with --checkpoints where its checkpoints are.");
    }
    return directory.isEmpty() ? Set.of() : Set.of(directory);
  }

  private static List<Entry> entries(Set<String> folders) {
    List<Entry> entries = new ArrayList<>();
    for (String folder : folders) {
      try {
        entries.addAll(new PublishedFolder(folder).entries());
      } catch (IOException e) {
        throw new CommandException(folder + " cannot be read: " + FileErrors.reason(e) + ".", e);
      }
    }
    return entries;
  }

  /** The contents that job files, checkpoints and savepoints refer to. */
  private Set<String> named(List<Entry> entries, List<String> texts, Set<String> saved) {
    Set<String> contents =
        entries.stream()
            .map(Entry::sha256)
            .filter(one -> !one.isEmpty())
            .collect(Collectors.toSet());
    Set<String> named = new HashSet<>();
    contents.stream()
        .filter(content -> texts.stream().anyMatch(text -> text.contains(content)))
        .forEach(named::add);
    for (String folder : saved) {
      named.addAll(new SavedNames(folder, terminal).of(contents));
    }
    return named;
  }

  private List<Entry> unused(List<Entry> entries, Set<String> named) {
    long before = System.currentTimeMillis() - age.toMillis();
    return entries.stream()
        .filter(entry -> entry.modified() < before && !named.contains(entry.sha256()))
        .toList();
  }

  private int listed(List<Entry> unused, int all) {
    terminal.message(
        String.format(
            Locale.ROOT,
            "%,d of %,d files, %,.1f MB, are not needed%s.",
            unused.size(),
            all,
            megabytes(unused),
            unused.isEmpty() ? "" : "; --delete removes them"));
    return 0;
  }

  private static double megabytes(List<Entry> entries) {
    return entries.stream().mapToLong(Entry::bytes).sum() / 1e6;
  }

  private int deleted(List<Entry> unused) {
    int failed = 0;
    for (Entry entry : unused) {
      try {
        entry.delete();
      } catch (IOException e) {
        terminal.message(
            "latimer: " + entry.path() + " cannot be deleted: " + FileErrors.reason(e) + ".");
        failed++;
      }
    }
    terminal.message(
        String.format(
            Locale.ROOT, "removed %,d files, %,.1f MB", unused.size() - failed, megabytes(unused)));
    return failed == 0 ? 0 : ExitCodes.FAILED;
  }
}
