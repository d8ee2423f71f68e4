package io.latimer.cli.translate;

import io.latimer.cli.command.Examples;
import io.latimer.cli.terminal.Terminal;
import io.latimer.pipelines.index.ImportedModels;
import io.latimer.pipelines.index.IndexSettings;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option for a translation model. */
public final class ModelOption {
  @Option(
      names = {"-m", "--model"},
      paramLabel = "FILE|FOLDER",
      description =
          "Model file (.lmx), or a published model: a folder of Hugging Face's transformers (such as"
              + " an OPUS-MT model) or of CTranslate2, or a package of Argos Translate"
              + " (.argosmodel); the English-German example if omitted.")
  private Path file;

  /** Whether it is the example. */
  public boolean isExample() {
    return file == null;
  }

  /** The model file, or a published model; it may not exist. */
  public Path file() {
    return file == null ? Examples.model() : file;
  }

  /** The model file; a published model is imported when it is first used. */
  public Path imported(Terminal terminal) {
    Path path = file();
    return ImportedModels.isOne(path)
        ? ImportedModels.file(
            path,
            IndexSettings.DEFAULTS,
            model -> {
              terminal.message("latimer: importing " + path + ", once:");
              model.describe().forEach(line -> terminal.message("  " + line));
            })
        : path;
  }
}
