package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmunConfigTest {
  private static final String SCORER = "scorers: {F0: {path: m.npz, type: Nematus}}\n";

  @TempDir Path folder;

  @BeforeEach
  void files() throws IOException {
    for (String name : new String[] {"m.npz", "a.yml", "b.yml", "codes"}) {
      Files.createFile(folder.resolve(name));
    }
  }

  private AmunConfig read(String yaml) throws IOException {
    return AmunConfig.read(Files.writeString(folder.resolve("amun.yml"), yaml), folder);
  }

  private void refuses(String yaml, String... says) {
    assertThatThrownBy(() -> read(yaml))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("amun.yml")
        .hasMessageContainingAll(says);
  }

  @Test
  void readsAllThatFindsAModel() throws IOException {
    AmunConfig config =
        read(
            """
            relative-paths: true
            scorers: { F0: { path: m.npz, type: Nematus, enc-cell: mlstm, dec-cell-2: gru } }
            weights: { F0: 1.0 }
            source-vocab: [a.yml]
            target-vocab: b.yml
            bpe: [codes]
            beam-size: 5
            softmax-filter: [lex.s2t, 100, 100]
            """);
    assertThat(config.weights()).isEqualTo(folder.resolve("m.npz").toAbsolutePath());
    assertThat(config.sourceVocabulary()).contains(folder.resolve("a.yml").toAbsolutePath());
    assertThat(config.targetVocabulary()).contains(folder.resolve("b.yml").toAbsolutePath());
    assertThat(config.codes()).contains(folder.resolve("codes").toAbsolutePath());
    assertThat(config.cells())
        .isEqualTo(
            new AmunCells(
                Optional.of(CellKind.MLSTM),
                Optional.empty(),
                Optional.empty(),
                Optional.of(CellKind.GRU)));
  }

  @Test
  void namesOnlyWhatThereIs() throws IOException {
    AmunConfig config = read(SCORER);
    assertThat(config.sourceVocabulary()).isEmpty();
    assertThat(config.targetVocabulary()).isEmpty();
    assertThat(config.codes()).isEmpty();
  }

  @Test
  void readsMariansShortlist() throws IOException {
    String marian = "models: [m.bin]\n";
    Path lex = folder.resolve("lex");
    assertThat(read(marian).shortlist()).isEmpty();
    assertThat(read(marian + "shortlist: []").shortlist()).isEmpty();
    for (String numbers : new String[] {"", ", false", ", 'true'", ", 100"}) {
      assertThat(read(marian + "shortlist: [lex" + numbers + "]").shortlist())
          .contains(new AmunConfig.ConfiguredShortlist(lex, ShortlistSettings.DEFAULTS));
    }
    assertThat(read(marian + "shortlist: lex").shortlist()).isPresent();
    assertThat(read(marian + "shortlist: [lex, 50, '60', 0.25]").shortlist())
        .contains(new AmunConfig.ConfiguredShortlist(lex, new ShortlistSettings(50, 60, 0.25f)));
    refuses(marian + "shortlist: [5]", "shortlist: expected a path and numbers");
    refuses(marian + "shortlist: [lex, x]", "shortlist: expected a path and numbers");
    refuses(marian + "shortlist: [lex, 1]", "shortlist: the shortlist's first words must be 2");
  }

  @Test
  void takesPathsFromWhereTheConfigurationSays() throws IOException {
    Path sub = Files.createDirectory(folder.resolve("sub"));
    Path config = Files.writeString(sub.resolve("amun.yml"), "relative-paths: false\n" + SCORER);
    assertThat(AmunConfig.read(config, folder).weights()).isEqualTo(folder.resolve("m.npz"));
    AmunConfig elsewhere = AmunConfig.read(config, sub);
    assertThatThrownBy(() -> elsewhere.existing(elsewhere.weights()))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("names " + sub.resolve("m.npz"))
        .hasMessageContaining("relative to the working directory");
    Files.writeString(config, "relative-paths: true\n" + SCORER);
    AmunConfig relative = AmunConfig.read(config, folder);
    assertThatThrownBy(() -> relative.existing(relative.weights()))
        .hasMessageContaining(
            sub.resolve("m.npz") + ", which does not exist; paths are relative to");
  }

  @Test
  void refusesWhatIsNotSupported() {
    refuses("", "expected a YAML mapping");
    refuses("[1]", "expected a YAML mapping");
    refuses("a: [", "is not YAML");
    refuses("a: " + "[".repeat(3_000), "is not YAML: line 1", "nested too deeply");
    refuses("a: &a [[*a]]", "the alias *a is inside what it stands for");
    refuses("a: *b", "the alias *b stands for nothing");
    refuses("a: \"\\UFFFFFFFF\"", "is not YAML");
    refuses("%YAML 99999999999999.1\n--- {}", "is not YAML");
    refuses("scorers: {F0: {path: \"a\\0b\"}}", "a path");
    refuses(aliasBomb("relative-paths: *i"), "it has more than 20000 values");
    refuses("relative-paths: [[[x, y]]]\n" + SCORER, "true or false, found a list");
    refuses(SCORER + "bpe: " + "9".repeat(20_000), "has 20000 characters");
    refuses("beam-size: 5", "scorers", "found null");
    refuses("scorers: {}", "scorers");
    refuses("scorers: {F0: {path: m.npz}, F1: {path: m.npz}}", "an ensemble of 2 models");
    refuses("scorers: {F0: x}", "scorers.F0");
    refuses("scorers: {F0: {type: Nematus}}", "scorers.F0.path", "found nothing");
    refuses("scorers: {F0: {path: 5}}", "scorers.F0.path", "found 5");
    refuses("scorers: {F0: {path: m.npz, type: Ape}}", "type is \"Ape\"");
    refuses("scorers: {F0: {path: m.npz, enc-cell: foo}}", "enc-cell is \"foo\"");
    refuses(SCORER + "relative-paths: 3", "relative-paths", "true or false");
    refuses(SCORER + "source-vocab: [a.yml, b.yml]", "source factors");
    refuses(SCORER + "source-vocab: {a: b}", "a path or a list of paths");
    refuses(SCORER + "bpe: [codes, codes]", "found 2 files");
    refuses("models: [m.npz, m.npz]", "ensembles are not supported");
    refuses("models: []", "models");
    refuses("models: [m.npz]\nvocabs: [a.yml]", "a source and a target vocabulary");
    assertThatThrownBy(() -> AmunConfig.read(folder.resolve("none")))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("none cannot be read");
  }

  @Test
  void doesNotTakeABombForAConfiguration() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 60; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1));
    }
    refuses(bomb + "scorers: *a59\n", "amun.yml");
    refuses("#" + "x".repeat(1 << 20), "at most 1 MiB");
  }

  @ParameterizedTest
  @CsvSource({
    "amun-plain,model.npz.amun.yml,vocab.en.yml",
    "amun-plain,model.npz.decoder.yml,vocab.en.yml",
    "nematus-deep-ln,model.npz.amun.yml,vocab.en.yml",
    "s2s-mlstm,model.npz.decoder.yml,vocab.en.yml",
    "amun-tied-all,model.npz.decoder.yml,vocab.yml"
  })
  void readsWhatMarianWritesBesideItsModels(String name, String file, String vocabulary) {
    Path tiny = SharedData.require("models/marian-tiny");
    AmunConfig config = AmunConfig.read(tiny.resolve(name).resolve(file), tiny);
    assertThat(config.weights()).isEqualTo(tiny.resolve(name).resolve("model.npz"));
    assertThat(config.sourceVocabulary()).contains(tiny.resolve(name).resolve(vocabulary));
    assertThat(config.targetVocabulary()).isPresent();
    assertThat(config.codes()).isEmpty();
  }

  /** Lists of five aliases of the list before: a thousand million values in a few hundred bytes. */
  private static String aliasBomb(String last) {
    StringBuilder yaml = new StringBuilder("a: &a [x, x, x, x, x]\n");
    for (char c = 'b'; c <= 'i'; c++) {
      String before = ", *" + (char) (c - 1);
      yaml.append(c).append(": &").append(c).append(" [");
      yaml.append(before.repeat(5).substring(2)).append("]\n");
    }
    return yaml.append(last).toString();
  }
}
