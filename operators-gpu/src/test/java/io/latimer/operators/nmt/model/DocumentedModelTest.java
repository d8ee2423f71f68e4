package io.latimer.operators.nmt.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.nmt.convert.ImportRequest;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.testing.DocumentedReader;
import io.latimer.operators.testing.SharedData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Reads model files by what docs/formats.md says of them, computes by the equations given there, in
 * doubles, and compares with the golden word scores: so the document is right, and enough.
 */
class DocumentedModelTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "tatoeba-ende-gru,golden/,vocab.yml,vocab.yml,spm.model,false",
    "m30k-ende-mlstm,golden/,vocab.en.json,vocab.de.json,bpe.codes,true",
    "marian-tiny/amun-plain,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/amun-ln-tied,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/amun-tied-all,'',vocab.yml,vocab.yml,../bpe.codes,true",
    "marian-tiny/nematus-deep-ln,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/s2s-mlstm,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/s2s-lstm-ln,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "tatoeba-ende-transformer,golden/,vocab.yml,vocab.yml,spm.model,false",
    "tatoeba-ende-live,golden/,vocab.yml,vocab.yml,spm.model,false",
    "marian-tiny/transformer,'',vocab.yml,vocab.yml,../bpe.codes,true",
    "marian-tiny/transformer-prenorm,'',vocab.yml,vocab.yml,../bpe.codes,true",
    "marian-tiny/transformer-ssru,'',vocab.yml,vocab.yml,../bpe.codes,true"
  })
  void whatIsWrittenIsWhatTheDocumentSays(
      String name, String golden, String source, String target, String segmentation, boolean bpe)
      throws Exception {
    Path model = SharedData.require("models/" + name);
    ImportRequest request =
        ImportRequest.to(folder.resolve("m.lmx"))
            .weights(model.resolve("model.npz"))
            .vocabularies(model.resolve(source), model.resolve(target));
    Path file = model.resolve(segmentation);
    ModelImporter.importModel(bpe ? request.codes(file) : request.spm(file));
    DocumentedReader.Parsed parsed =
        DocumentedReader.parse(Files.readAllBytes(folder.resolve("m.lmx")));
    assertThat(parsed.kind()).isEqualTo("translation-model");
    assertThat(parsed.kindVersion()).isEqualTo(1);
    assertThat(parsed.sections().get("segmentation/source")).isEqualTo(Files.readAllBytes(file));
    assertThat(parsed.sections().get("segmentation/target")).isEmpty();

    DocumentedNetwork network = DocumentedNetwork.of(parsed.sections());
    List<String> lines = Files.readAllLines(model.resolve(golden + "golden.jsonl"));
    int words = 0;
    for (int i = 0; i < 3; i++) {
      JsonNode line = JSON.readTree(lines.get(i));
      int[] ids = ints(line.get("greedy").get("ids"));
      double[] scores = network.wordScores(ints(line.get("src")), ids);
      for (int j = 0; j < scores.length; j++) {
        assertThat(scores[j])
            .as("line %d word %d", i, j)
            .isCloseTo(line.get("greedy").get("word_scores").get(j).asDouble(), within(1e-5));
        words++;
      }
    }
    assertThat(words).isGreaterThan(10);
  }

  private static int[] ints(JsonNode array) {
    int[] values = new int[array.size()];
    Arrays.setAll(values, i -> array.get(i).intValue());
    return values;
  }
}
