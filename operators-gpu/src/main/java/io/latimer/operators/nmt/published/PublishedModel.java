package io.latimer.operators.nmt.published;

import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportableModel;
import io.latimer.operators.nmt.convert.argos.ArgosPackage;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folder;
import io.latimer.operators.nmt.convert.huggingface.HuggingFaceFolder;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** A model in a form that its publisher's users download, recognized by its content. */
public final class PublishedModel {
  /** The kinds, those that are surer by their content first. */
  private static final List<Kind> KINDS =
      List.of(
          new Kind(ArgosPackage::isOne, ArgosPackage::open),
          new Kind(Ctranslate2Folder::isOne, Ctranslate2Folder::open),
          new Kind(HuggingFaceFolder::isOne, HuggingFaceFolder::open));

  /** Counts the changes of what an import makes of the same files: an older copy does not count. */
  private static final int IMPORT = 2;

  private final ImportableModel model;

  private PublishedModel(ImportableModel model) {
    this.model = model;
  }

  private record Kind(Predicate<Path> isOne, Function<Path, ImportableModel> open) {}

  /** Whether a path could be one: a model file of Latimer's is none. */
  public static boolean isOne(Path path) {
    return Files.isDirectory(path) || ArgosPackage.isOne(path);
  }

  /**
   * Opens a model and reads its settings.
   *
   * @throws ModelFormatException if it is of no kind that is known, or its settings are not sound
   */
  public static PublishedModel open(Path path) {
    for (Kind kind : KINDS) {
      if (kind.isOne.test(path)) {
        return new PublishedModel(kind.open.apply(path));
      }
    }
    throw new ModelFormatException(
        path
            + " is no model that can be read; expected a folder of Hugging Face's transformers,"
            + " with config.json and model.safetensors, or of CTranslate2, with model.bin, or a"
            + " package of Argos Translate, .argosmodel");
  }

  /**
   * Says what was found, one "name: value" a line. All that an import would refuse is refused, but
   * weights, which only the import reads.
   */
  public List<String> describe() {
    return model.describe();
  }

  /**
   * Writes a model file.
   *
   * @param out appears only when it is complete
   * @param version of the model; may be empty
   * @throws ModelFormatException if a file is missing, damaged, or of a kind that cannot be read
   */
  public ImportReport importTo(Path out, String version) {
    return model.importTo(out, version);
  }

  /**
   * A SHA-256 of the names and contents of the files that an import may read, and of what this
   * version makes of them.
   *
   * @throws ModelFormatException if a file cannot be read
   */
  public String digest() {
    StringBuilder all = new StringBuilder("import ").append(IMPORT).append('\n');
    for (Path file : model.files()) {
      try (InputStream in = Files.newInputStream(file)) {
        all.append(file.getFileName()).append('\n').append(Sha256.of(in)).append('\n');
      } catch (IOException e) {
        throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
      }
    }
    return Sha256.of(all.toString());
  }
}
