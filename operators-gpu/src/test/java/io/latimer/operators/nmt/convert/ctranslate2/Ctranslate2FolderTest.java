package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.nmt.published.PublishedModel;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.testing.SpmBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Folders of CTranslate2 become model files. */
final class Ctranslate2FolderTest {
  private static final double SCORE = 1e-3;
  private static final String SECOND = "\u0622 \u062a \u0634 \u064a \u0633 \u0648 \u0646";

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "ct2-aren-transliteration, -1.0617, -1.1136",
    "ct2-aren-transliteration-i8, -1.0877, -1.1364"
  })
  void trainedModelsTranslateTextAsTheirProgramDoes(String name, double first, double second) {
    Path out = folder.resolve("aren.lmx");
    PublishedModel model = PublishedModel.open(SharedData.require("models/published/" + name));
    ImportReport report = model.importTo(out, "2");
    assertThat(report.warnings()).isEmpty();
    TranslateOptions options =
        TranslateOptions.of(DecodeOptions.greedy().withLengthNormalization(0));
    try (Translate translate = Translate.opener(options).open(out, Device.CPU)) {
      var results = translate.apply(List.of(Ctranslate2Folders.ARABIC, SECOND));
      Translated one = results.get(0).orElseThrow();
      assertThat(one.text()).isEqualTo(Ctranslate2Folders.LATIN);
      assertThat(one.score()).isCloseTo(first, within(SCORE));
      Translated two = results.get(1).orElseThrow();
      assertThat(two.text()).isEqualTo("a c h i s o n");
      assertThat(two.score()).isCloseTo(second, within(SCORE));
    }
  }

  @Test
  void aFolderSaysWhatItIs() {
    String name = "models/published/ct2-aren-transliteration-i8";
    assertThat(PublishedModel.open(SharedData.require(name)).describe())
        .containsExactly(
            "format: CTranslate2, binary version 2",
            "network: transformer, 6 + 6 layers, width 32, 8 heads, feed-forward 128, relu",
            "weights: 182,731 numbers, int8",
            "search: rule FIRST_ENDED",
            "vocabulary: 51 source and 43 target ids, no tokenizer: texts are tokens, separated by"
                + " spaces",
            "languages: und to und");
  }

  @Test
  void theTokenizerBesideAModelIsUsed() throws IOException {
    Ctranslate2Folders.arabic(folder);
    List<String> pieces = Ctranslate2Folders.arabicPieces(folder);
    Files.write(folder.resolve("my-arabic.spm"), SpmBytes.small(pieces));
    assertThat(PublishedModel.open(folder).describe())
        .anyMatch(line -> line.endsWith("SentencePiece (my-arabic.spm)"));
    Files.write(folder.resolve("other.spm"), SpmBytes.small(pieces));
    refused(folder, "found my-arabic.spm and other.spm");
    Files.move(folder.resolve("my-arabic.spm"), folder.resolve("source.spm"));
    refused(folder, "expected segmentation files of source and target, found only source.spm");
    Files.move(folder.resolve("other.spm"), folder.resolve("target.spm"));
    Path out = folder.resolve("out.lmx");
    PublishedModel.open(folder).importTo(out, "");
    TranslateOptions options = TranslateOptions.of(DecodeOptions.greedy());
    try (Translate translate = Translate.opener(options).open(out, Device.CPU)) {
      String word = Ctranslate2Folders.ARABIC.replace(" ", "");
      assertThat(translate.apply(List.of(word)).get(0).orElseThrow().text())
          .isEqualTo(Ctranslate2Folders.LATIN.replace(" ", ""));
    }
    Files.writeString(folder.resolve("target.spm"), "#version: 0.2\na b</w>\n");
    refused(folder, "expected two SentencePiece models or two BPE codes");
  }

  @Test
  void codesMustBelongToTheVocabulary() throws IOException {
    Ctranslate2Folders.arabic(folder);
    Path codes = folder.resolve("bpe.model");
    Files.writeString(codes, "#version: 0.2\nq r\nq s</w>\n");
    refused(folder, "bpe.model: none of its 2 merges makes a token of the source vocabulary");
    Files.writeString(codes, "no codes at all\n");
    refused(folder, "bpe.model, line 1: expected two symbols");
    Files.write(codes, new byte[0]);
    refused(folder, "bpe.model: expected a SentencePiece model or BPE codes");
    Path vocabulary = folder.resolve("source_vocabulary.txt");
    List<String> lines = new ArrayList<>(Files.readAllLines(vocabulary));
    lines.set(10, "qr@@");
    lines.set(11, "&apos;s");
    Ctranslate2Folders.lines(vocabulary, lines);
    Files.writeString(codes, "#version: 0.2\nq r\nq s</w>\n");
    assertThat(PublishedModel.open(folder).describe())
        .anyMatch(line -> line.endsWith("BPE (bpe.model) of words as Moses writes them"));
    lines.set(12, "a\uffed");
    Ctranslate2Folders.lines(vocabulary, lines);
    refused(folder, "has joiners (U+FFED) of OpenNMT's Tokenizer");
  }

  @Test
  void vocabulariesAreListsOrLinesAndMayHaveSpaces() throws IOException {
    Path listed = Files.writeString(folder.resolve("shared_vocabulary.json"), "[\"a b\",\"\\n\"]");
    Ctranslate2Vocabulary found = Ctranslate2Vocabulary.in(folder);
    assertThat(found.source()).containsExactly("a b", "\n");
    assertThat(found.target()).isSameAs(found.source());
    for (String bad : List.of("{}", "[1]", "[\"a\"", "[\"a\"] 1", "", "[\"\\ud800\"]", "[[]]")) {
      Files.writeString(listed, bad);
      assertThatThrownBy(() -> Ctranslate2Vocabulary.in(folder))
          .as(bad)
          .isInstanceOf(ModelFormatException.class)
          .hasMessageStartingWith(listed + ", line 1: ");
    }
    Files.delete(listed);
    Files.writeString(folder.resolve("source_vocabulary.txt"), "a b\n\u2028\nc");
    assertThatThrownBy(() -> Ctranslate2Vocabulary.in(folder))
        .hasMessageStartingWith(folder + ": expected shared_vocabulary.json, or ")
        .hasMessageEndingWith("found only source_vocabulary.txt");
    Path target = Files.writeString(folder.resolve("target_vocabulary.txt"), "x\ny\nx\n");
    assertThatThrownBy(() -> Ctranslate2Vocabulary.in(folder))
        .hasMessage(target + ", line 3: the token \"x\" is that of id 0");
    Files.writeString(target, "x\ny");
    assertThat(Ctranslate2Vocabulary.in(folder).source()).containsExactly("a b", "\u2028", "c");
    assertThat(Ctranslate2Vocabulary.in(folder).target()).containsExactly("x", "y");
    Files.write(target, new byte[] {'x', (byte) 0xff});
    assertThatThrownBy(() -> Ctranslate2Vocabulary.in(folder))
        .hasMessage(target + ": byte 1 is not UTF-8");
  }

  @Test
  void otherProgramsFilesOfThatNameAreNotThese() throws IOException {
    Path file = folder.resolve("model.bin");
    assertThat(Ctranslate2Folder.isOne(folder)).isFalse();
    byte[] pickle = {(byte) 0x80, 2, '}', 'q', 0, '.', 0, 0, 0};
    byte[] zip = {'P', 'K', 3, 4, 0, 0, 0, 0, 0};
    byte[] marian = {1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0};
    for (byte[] other : List.of(pickle, zip, marian, new byte[] {6, 0, 0})) {
      Files.write(file, other);
      assertThat(Ctranslate2Folder.isOne(folder)).isFalse();
    }
    assertThatThrownBy(() -> PublishedModel.open(folder))
        .hasMessageContaining(" is no model that can be read; expected a folder of ")
        .hasMessageContaining("or of CTranslate2, with model.bin, or a package of Argos Translate");
    for (int version = 1; version <= 6; version++) {
      Ctranslate2Folders.random(folder, new Random(version), version);
      assertThat(Ctranslate2Folder.isOne(folder)).as("version %d", version).isTrue();
    }
  }

  @Test
  void startsThatEachTextGivesAreRefusedByName() throws IOException {
    Random random = new Random(3);
    Network network = Ctranslate2Model.network(random);
    while (network.settings(TransformerSettings.class).variant().start()
        == TransformerVariant.NO_START) {
      network = Ctranslate2Model.network(random);
    }
    TransformerSettings s = network.settings(TransformerSettings.class);
    Files.write(folder.resolve("model.bin"), Ctranslate2Model.of(network, 6, true).bytes());
    Ctranslate2Folders.lines(
        folder.resolve("source_vocabulary.txt"), Ctranslate2Model.words(s.sourceVocabulary()));
    Ctranslate2Folders.lines(
        folder.resolve("target_vocabulary.txt"), Ctranslate2Model.words(s.targetVocabulary()));
    Files.writeString(folder.resolve("config.json"), "{\"decoder_start_token\": null}");
    refused(folder, "takes the decoder's start from each text");
    Files.writeString(
        folder.resolve("config.json"),
        "{\"decoder_start_token\": \"<s>\", \"bos_token\": \"{x}\", \"add_source_bos\": true}");
    refused(folder, "expected the token {x} in the vocabulary of ");
    Files.writeString(folder.resolve("config.json"), "{\"decoder_start_token\": \"<s>\"}");
    PublishedModel.open(folder).importTo(folder.resolve("out.lmx"), "");
  }

  @Test
  void theDigestIsThatOfTheFilesThatAreRead() throws IOException {
    Ctranslate2Folders.arabic(folder);
    String digest = PublishedModel.open(folder).digest();
    for (String unread : List.of("pytorch_model.bin", "notes.txt", "out.lmx")) {
      Files.writeString(folder.resolve(unread), "other");
      assertThat(PublishedModel.open(folder).digest()).isEqualTo(digest);
    }
    byte[] changed = Files.readAllBytes(folder.resolve("model.bin"));
    changed[changed.length - 1]++;
    Files.write(folder.resolve("model.bin"), changed);
    String other = PublishedModel.open(folder).digest();
    assertThat(other).isNotEqualTo(digest);
    Files.writeString(folder.resolve("config.json"), "{}");
    assertThat(PublishedModel.open(folder).digest()).isNotEqualTo(other);
  }

  private void refused(Path from, String message) {
    Path out = folder.resolve("refused.lmx");
    assertThatThrownBy(() -> PublishedModel.open(from).describe())
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith(from.toString())
        .hasMessageContaining(message);
    assertThatThrownBy(() -> PublishedModel.open(from).importTo(out, ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(message);
    assertThat(out).doesNotExist();
  }
}
