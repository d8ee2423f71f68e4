package io.latimer.operators.nmt.published;

import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.huggingface.HuggingFaceFolder;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A model in a form that its publisher's users download, recognized by its content. */
public final class PublishedModel {
  private final HuggingFaceFolder folder;
  private final Path path;

  private PublishedModel(Path path, HuggingFaceFolder folder) {
    this.path = path;
    this.folder = folder;
  }

  /** Whether a path could be one: a model file of Latimer's is none. */
  public static boolean isOne(Path path) {
    return Files.isDirectory(path);
  }

  /**
   * Opens a model and reads its settings.
   *
   * @throws ModelFormatException if it is of no kind that is known, or its settings are not sound
   */
  public static PublishedModel open(Path path) {
    if (!HuggingFaceFolder.isOne(path)) {
      throw new ModelFormatException(
          path
              + " is no model that can be read; expected a folder of Hugging Face's transformers,"
              + " with config.json and model.safetensors");
    }
    return new PublishedModel(path, HuggingFaceFolder.open(path));
  }

  /**
   * Says what was found, one "name: value" a line. All that an import would refuse is refused, but
   * weights and tokenizers, which only the import reads.
   */
  public List<String> describe() {
    return folder.describe();
  }

  /**
   * Writes a model file.
   *
   * @param out appears only when it is complete
   * @param version of the model; may be empty
   * @throws ModelFormatException if a file is missing, damaged, or of a kind that cannot be read
   */
  public ImportReport importTo(Path out, String version) {
    return folder.importTo(out, version);
  }

  /**
   * A SHA-256 of the names and contents of the files that an import may read.
   *
   * @throws ModelFormatException if a file cannot be read
   */
  public String digest() {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> entries = Files.list(path)) {
      List<Path> files =
          entries.filter(HuggingFaceFolder::isRead).filter(Files::isRegularFile).sorted().toList();
      for (Path file : files) {
        try (InputStream in = Files.newInputStream(file)) {
          all.append(file.getFileName()).append('\n').append(Sha256.of(in)).append('\n');
        }
      }
    } catch (IOException e) {
      throw new ModelFormatException(path + " cannot be read: " + FileErrors.reason(e), e);
    }
    return Sha256.of(all.toString());
  }
}
