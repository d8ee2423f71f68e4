package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.ChildJvm;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.SentencePieceSegmenter;
import io.latimer.operators.text.SourceSentence;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An OPUS-MT model in its published layout: its own tokenizer and settings, and random weights of
 * its shape, because its own are not at hand.
 */
final class OpusMtTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int WIDTH = 512;
  private static final int INNER = 2048;
  private static final int LAYERS = 6;
  private static final int WORDS = 54_688;
  private static final int LINES = 1000;

  /** All weights in 32 bits would take 289 MB of it. */
  private static final String HEAP = "-Xmx400m";

  @TempDir private Path folder;

  @Test
  void aModelOfItsShapeIsImportedInLittleMemoryAndNumbersPiecesAsItsVocabulary() throws Exception {
    Path published = SharedData.require("models/published/opus-mt-en-mg");
    Path model = Files.createDirectory(folder.resolve("opus-mt-en-mg"));
    try (Stream<Path> files = Files.list(published)) {
      for (Path file : files.toList()) {
        Files.createSymbolicLink(model.resolve(file.getFileName()), file);
      }
    }
    writeWeights(model.resolve("model.safetensors"));
    Path out = folder.resolve("en-mg.lmx");
    importInProcessOfItsOwn(model, out);
    try (IndexFile file = IndexFile.open(out);
        TranslationModel imported = TranslationModel.open(file)) {
      compareIds(published, imported);
    }
  }

  private static void importInProcessOfItsOwn(Path model, Path out) throws Exception {
    String said = ChildJvm.run(List.of(HEAP), Import.class, model.toString(), out.toString());
    System.out.print(said);
    assertThat(said).contains("weights: 72,193,440");
  }

  /** Runs in a process with a small heap. */
  static final class Import {
    private Import() {}

    public static void main(String[] args) {
      long start = System.nanoTime();
      ImportReport report = HuggingFaceFolder.open(Path.of(args[0])).importTo(Path.of(args[1]), "");
      System.out.printf(
          "  weights: %,d in %.1f s%n", report.weights(), (System.nanoTime() - start) / 1e9);
    }
  }

  /** The ids by an independent reading of vocab.json, and pieces that it lacks as unknown. */
  private static void compareIds(Path published, TranslationModel model) throws IOException {
    JsonNode vocabulary = JSON.readTree(published.resolve("vocab.json").toFile());
    byte[] spm = Files.readAllBytes(published.resolve("source.spm"));
    List<String> lines = new ArrayList<>();
    try (BufferedReader text =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(
                    Files.newInputStream(SharedData.require("data/tatoeba-en-de/raw/train.en.gz"))),
                StandardCharsets.UTF_8))) {
      text.lines().limit(LINES).forEach(lines::add);
    }
    int unknown = 0;
    int compared = 0;
    try (SentencePieceSegmenter pieces = SentencePieceSegmenter.of(spm, "source.spm")) {
      for (String line : lines) {
        List<SourceSentence> sentences = model.pipeline().prepare(line, false);
        List<Integer> expected = new ArrayList<>();
        for (String piece : pieces.segment(line)) {
          JsonNode id = vocabulary.get(piece);
          expected.add(id == null ? 1 : id.intValue());
          unknown += id == null ? 1 : 0;
        }
        expected.add(0);
        if (sentences.size() == 1 && sentences.get(0).isWhole()) {
          assertThat(sentences.get(0).ids())
              .as(line)
              .containsExactly(expected.stream().mapToInt(Integer::intValue).toArray());
          compared++;
        }
      }
    }
    System.out.printf("  %d of %d lines compared, %d unknown pieces%n", compared, LINES, unknown);
    assertThat(compared).isGreaterThan(LINES * 9 / 10);
  }

  private static void writeWeights(Path file) throws IOException {
    RandomSafetensors weights = new RandomSafetensors().add("model.shared.weight", WORDS, WIDTH);
    for (String side : List.of("encoder", "decoder")) {
      for (int i = 0; i < LAYERS; i++) {
        weights.layer("model." + side + ".layers." + i, side.equals("decoder"), WIDTH, INNER);
      }
    }
    weights.add("final_logits_bias", 1, WORDS).write(file);
  }
}
