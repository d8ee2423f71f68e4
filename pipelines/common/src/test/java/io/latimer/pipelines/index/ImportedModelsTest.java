package io.latimer.pipelines.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder that somebody downloaded is used like a model file. */
final class ImportedModelsTest {
  @TempDir private Path folder;
  private Path model;
  private IndexSettings settings;
  private int imports;

  @BeforeEach
  void copy() throws IOException {
    settings = new IndexSettings(folder.resolve("copies").toString(), 1L << 30);
    model = Files.createDirectory(folder.resolve("en-de"));
    try (Stream<Path> files = Files.list(SharedData.require("models/published/hf-marian-ende"))) {
      for (Path file : files.toList()) {
        Files.write(model.resolve(file.getFileName()), Files.readAllBytes(file));
      }
    }
  }

  private Path file() {
    return ImportedModels.file(model, settings, found -> imports++);
  }

  @Test
  void aModelIsImportedOnceAndAgainWhenItOrItsFileChanges() throws IOException {
    Path first = file();
    assertThat(imports).isEqualTo(1);
    try (IndexFile file = IndexFile.open(first);
        TranslationModel opened = TranslationModel.open(file)) {
      assertThat(opened.text().targetLanguage()).isEqualTo("de");
    }
    assertThat(file()).isEqualTo(first);
    assertThat(imports).isEqualTo(1);

    byte[] whole = Files.readAllBytes(first);
    Files.write(first, new byte[100]);
    assertThat(file()).isEqualTo(first).hasBinaryContent(whole);
    assertThat(imports).isEqualTo(2);

    Files.write(model.resolve("pytorch_model.bin"), new byte[1]); // no import reads it
    assertThat(file()).isEqualTo(first);
    assertThat(imports).isEqualTo(2);

    Path settingsFile = model.resolve("tokenizer_config.json");
    String text = Files.readString(settingsFile);
    Files.writeString(
        settingsFile, text.replace("\"target_lang\": \"de\"", "\"target_lang\": \"nl\""));
    assertThat(file()).isNotEqualTo(first);
    assertThat(imports).isEqualTo(3);
  }

  @Test
  void aJobRefersToTheFolderAndIsToldWhenTheModelIsAnother() throws IOException {
    IndexFiles files = new IndexFiles(settings, IndexFiles.none());
    IndexRef ref = files.local(model);
    assertThat(IndexRefs.path(ref)).isEqualTo(model);
    assertThat(ref.kind()).isEqualTo(TranslationModel.KIND.id());
    files.open(ref, sha256 -> false).close();

    Path other = folder.resolve("elsewhere"); // as another machine has it
    IndexFiles there =
        new IndexFiles(new IndexSettings(other.toString(), 1L << 30), IndexFiles.none());
    there.open(ref, sha256 -> false).close();

    Path text = model.resolve("tokenizer_config.json");
    Files.writeString(text, Files.readString(text).replace("\"en\"", "\"fr\""));
    assertThatThrownBy(() -> files.open(ref, sha256 -> false))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageStartingWith(model + ", as imported: ")
        .hasMessageContaining("is not the file that was referred to");
  }

  @Test
  void whatCannotBeImportedLeavesNothing() throws IOException {
    Files.write(model.resolve("model.safetensors"), new byte[20]);
    assertThatThrownBy(this::file)
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("model.safetensors: expected a header of 2 to 12 bytes, found 0");
    try (Stream<Path> left = Files.list(folder.resolve("copies"))) {
      List<Path> files = left.filter(path -> !path.toString().endsWith(".lock")).toList();
      assertThat(files).isEmpty();
    }
  }
}
