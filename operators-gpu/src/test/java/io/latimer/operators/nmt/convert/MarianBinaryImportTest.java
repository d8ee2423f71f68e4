package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Model files of Marian's binary weights and of Bergamot's files. */
final class MarianBinaryImportTest {
  @TempDir private Path folder;

  @Test
  void binaryWeightsMakeTheModelOfTheirNpz() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    MarianTransformer weights = new MarianTransformer(TinyModel.TRANSFORMER, new Random(4));
    Path npz = tiny.write("t.npz", weights.npz());
    Path binary = tiny.write("t.bin", MarianBin.of(weights, MarianBin.FLOAT32).bytes());
    Path out = ModelImporter.importModel(tiny.request().weights(npz)).file();
    byte[] expected = Files.readAllBytes(out);
    ModelImporter.importModel(tiny.request().weights(binary));
    assertThat(Files.readAllBytes(out)).isEqualTo(expected);
  }

  /** The files of a Bergamot model, as its configuration names them. */
  @Test
  void bergamotsConfigurationAloneIsEnough() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    tiny.request(); // writes the vocabularies
    MarianTransformer weights = new MarianTransformer(TinyModel.TRANSFORMER, new Random(4));
    MarianBin made = MarianBin.of(weights, MarianBin.BERGAMOT_INTGEMM8);
    made.floats("none_QuantMultA", new float[] {12}, 1, 1);
    tiny.write("model.alphas.bin", made.bytes());
    tiny.write("lex.s2t.bin", BinaryShortlistTest.bytes(2, 50, new long[] {0, 0, 0, 1}, 4));
    String yaml =
        """
        relative-paths: true
        models: [model.alphas.bin]
        vocabs: [source.txt, target.txt]
        shortlist: [lex.s2t.bin, false]
        beam-size: 1
        gemm-precision: int8shiftAlphaAll
        """;
    Path config = tiny.write("config.yml", yaml.getBytes(StandardCharsets.UTF_8));
    ImportReport report =
        ModelImporter.importModel(ImportRequest.to(folder.resolve("b.lmx")).config(config));
    assertThat(report.warnings()).isEmpty();
    assertThat(report.network()).isEqualTo(TinyModel.TRANSFORMER);
    assertThat(report.shortlist().orElseThrow().shortlist().words(new int[] {2}))
        .containsExactly(0, 1, 4);
    Path missing =
        tiny.write(
            "config.yml", yaml.replace("lex.s2t.bin", "none.bin").getBytes(StandardCharsets.UTF_8));
    Path out = folder.resolve("c.lmx");
    assertThatThrownBy(() -> ModelImporter.importModel(ImportRequest.to(out).config(missing)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("none.bin, which does not exist");
    assertThat(out).doesNotExist();
  }
}
