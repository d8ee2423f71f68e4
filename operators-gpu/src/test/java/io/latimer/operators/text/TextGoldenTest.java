package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.TextSettings.Segmentation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Text against the golden outputs: pieces, ids, and text again, line by line. */
class TextGoldenTest {

  @ParameterizedTest
  @CsvSource({
    "m30k-ende-gru,         vocab.en.yml,  vocab.de.yml,  bpe.codes, BPE",
    "m30k-ende-mlstm,       vocab.en.json, vocab.de.json, bpe.codes, BPE",
    "m30k-ende-transformer, vocab.yml,     vocab.yml,     spm.model, SPM",
    "tatoeba-ende-gru,      vocab.yml,     vocab.yml,     spm.model, SPM",
    "tatoeba-ende-gru,      spm.model,     spm.model,     spm.model, SPM",
    "tatoeba-ende-transformer, vocab.yml,  vocab.yml,     spm.model, SPM",
    "tatoeba-ende-live,     vocab.yml,     vocab.yml,     spm.model, SPM",
  })
  void segmentsAndJoinsAsTheGoldenFilesDo(
      String model, String source, String target, String codes, Segmentation kind)
      throws IOException {
    Path folder = SharedData.require("models/" + model);
    List<String> text = lines(folder, "source.txt");
    List<String> segmented = lines(folder, "source.seg.txt");
    List<String> golden = lines(folder, "golden.jsonl");
    List<String> beam = lines(folder, "beam5.txt");
    ObjectMapper json = new ObjectMapper();
    TextSettings settings = TextSettings.prepared("en", "de", kind);
    try (TextPipeline pipeline =
        TextPipeline.of(
            settings,
            Vocabulary.load(folder.resolve(source)),
            Vocabulary.load(folder.resolve(target)),
            Files.readAllBytes(folder.resolve(codes)),
            new byte[0])) {
      for (int i = 0; i < text.size(); i++) {
        List<SourceSentence> sentences = pipeline.prepare(text.get(i));
        assertThat(sentences).as("line %d", i).hasSize(1);
        SourceSentence sentence = sentences.get(0);
        JsonNode line = json.readTree(golden.get(i));
        assertThat(String.join(" ", sentence.tokens())).isEqualTo(segmented.get(i));
        assertThat(sentence.ids()).isEqualTo(ids(line.get("src")));
        int[] output = ids(line.get("beam5").get("ids"));
        assertThat(pipeline.restore(sentence, output, null)).isEqualTo(beam.get(i));
      }
      assertThat(text).hasSizeGreaterThanOrEqualTo(150);
    }
  }

  @ParameterizedTest
  @CsvSource({"tatoeba-ende-gru", "tatoeba-ende-transformer", "tatoeba-ende-live"})
  void rawTextSettingsGiveTheGoldenTextToo(String model) throws IOException {
    Path folder = SharedData.require("models/" + model);
    List<String> text = lines(folder, "source.txt");
    List<String> golden = lines(folder, "golden.jsonl");
    List<String> greedy = lines(folder, "greedy.txt");
    Vocabulary vocabulary = Vocabulary.load(folder.resolve("vocab.yml"));
    byte[] spm = Files.readAllBytes(folder.resolve("spm.model"));
    TextSettings settings = SettingsCopies.unsplit(TextSettings.raw("en", "de"));
    ObjectMapper json = new ObjectMapper();
    try (TextPipeline pipeline =
        TextPipeline.of(settings, vocabulary, vocabulary, spm, new byte[0])) {
      for (int i = 0; i < text.size(); i++) {
        SourceSentence sentence = pipeline.prepare(text.get(i)).get(0);
        JsonNode line = json.readTree(golden.get(i));
        assertThat(sentence.ids()).isEqualTo(ids(line.get("src")));
        String restored = pipeline.restore(sentence, ids(line.get("greedy").get("ids")), null);
        assertThat(pipeline.rejoin(List.of(sentence), List.of(restored))).isEqualTo(greedy.get(i));
      }
    }
  }

  @Test
  void bpeGivesTheSamePiecesAsSubwordNmt() throws IOException {
    Path folder = SharedData.require("models/marian-tiny");
    BpeSegmenter bpe =
        BpeSegmenter.of(Files.readAllBytes(folder.resolve("bpe.codes")), "bpe.codes");
    List<String> words = Files.readAllLines(folder.resolve("input.tok.txt"));
    List<String> pieces = Files.readAllLines(folder.resolve("input.bpe.txt"));
    assertThat(words.stream().map(line -> String.join(" ", bpe.segment(line))))
        .containsExactlyElementsOf(pieces);
    assertThat(words.stream().map(line -> bpe.join(bpe.segment(line))))
        .containsExactlyElementsOf(words.stream().map(String::strip).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "amun-plain/vocab.en.yml",
    "amun-plain/vocab.de.yml",
    "amun-tied-all/vocab.yml",
    "transformer/vocab.yml"
  })
  void readsTheVocabulariesThatMarianWrites(String file) throws IOException {
    Path path = SharedData.require("models/marian-tiny/" + file);
    Vocabulary vocabulary = Vocabulary.load(path);
    assertThat(vocabulary.size()).isEqualTo(Files.readAllLines(path).size());
    assertThat(vocabulary.token(Vocabulary.END)).isEqualTo("</s>");
    assertThat(vocabulary.token(Vocabulary.UNKNOWN)).isEqualTo("<unk>");
    assertThat(List.of("in", "y", "n", "on")).anyMatch(word -> vocabulary.id(word) > 1);
    assertThat(Vocabulary.fromBytes(ByteBuffer.wrap(vocabulary.toBytes())).toBytes())
        .isEqualTo(vocabulary.toBytes());
  }

  private static List<String> lines(Path folder, String name) throws IOException {
    return Files.readAllLines(folder.resolve("golden").resolve(name));
  }

  private static int[] ids(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).mapToInt(JsonNode::intValue).toArray();
  }
}
