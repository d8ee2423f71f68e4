package io.latimer.operators.nmt.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexTooNewException;
import io.latimer.operators.index.Section;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.nmt.convert.MarianTransformer;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.convert.TinyModel;
import io.latimer.operators.testing.TestKind;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are sound as containers and lie about what they hold. */
class TranslationModelTest {
  @TempDir Path folder;
  private final Map<String, byte[]> sections = new LinkedHashMap<>();

  @BeforeEach
  void sound() {
    try (IndexFile file = new TinyModel(folder).file()) {
      for (Section section : file.sections()) {
        byte[] bytes = new byte[(int) section.length()];
        file.section(section.name()).get(bytes);
        sections.put(section.name(), bytes);
      }
    }
    newestText();
  }

  /** The text section becomes that of the newest version. */
  private void newestText() {
    sections.put("text", TextSettings.fromJson(sections.get("text"), false).toJson(true));
  }

  private IndexFile written(int version) {
    Path path = folder.resolve("forged.lmx");
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(version), "")) {
      sections.forEach(writer::add);
      writer.commit();
    }
    return IndexFile.open(path);
  }

  private void refuses(String... says) {
    try (IndexFile file = written(2)) {
      assertThatThrownBy(() -> TranslationModel.open(file))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("forged.lmx")
          .hasMessageContainingAll(says);
    }
  }

  private void setting(String from, String to, String... says) {
    byte[] before = sections.get("settings");
    String text = new String(before, StandardCharsets.UTF_8);
    assertThat(text).containsPattern(from);
    sections.put("settings", text.replaceFirst(from, to).getBytes(StandardCharsets.UTF_8));
    refuses(says);
    sections.put("settings", before);
  }

  @Test
  void theSoundOneOpensAndOutlivesItsFile() {
    IndexFile file = written(2);
    try (TranslationModel model = TranslationModel.open(file)) {
      file.close();
      assertThat(model.network().tensors().get("start.W").get(7, 3)).isFinite();
      assertThat(model.pipeline().prepare("s2").get(0).ids()).containsExactly(2, 0);
    }
  }

  @Test
  void refusesAnotherVersion() {
    try (IndexFile file = written(3)) {
      assertThatThrownBy(() -> TranslationModel.open(file))
          .isInstanceOf(IndexTooNewException.class)
          .hasMessageContaining("expected translation-model version 1 to 2, found 3");
    }
  }

  @Test
  void transformersOfTheFirstVersionAreMarians() {
    byte[] settings = transformerSections();
    String json = new String(settings, StandardCharsets.UTF_8);
    String older = json.replaceFirst("(?s),\\s*\"variant\" : \\{[^}]*\\}[^}]*\\}", "");
    assertThat(older).doesNotContain("variant");
    sections.put("settings", older.getBytes(StandardCharsets.UTF_8));
    byte[] text = sections.get("text");
    sections.put("text", TextSettings.fromJson(text, true).toJson(false));
    try (IndexFile file = written(1);
        TranslationModel model = TranslationModel.open(file)) {
      assertThat(model.network().settings(TransformerSettings.class).variant())
          .isEqualTo(TransformerVariant.MARIAN);
    }
    sections.put("settings", settings);
    try (IndexFile file = written(1)) {
      assertThatThrownBy(() -> TranslationModel.open(file))
          .isInstanceOf(ModelFormatException.class)
          .hasMessageContaining("at network.variant: files of this version have no such key");
    }
    sections.put("settings", older.getBytes(StandardCharsets.UTF_8));
    sections.put("text", text);
    try (IndexFile file = written(1)) {
      assertThatThrownBy(() -> TranslationModel.open(file))
          .isInstanceOf(ModelFormatException.class)
          .hasMessageContaining("at format: files of this version have no such key");
    }
  }

  @Test
  void everySectionIsNeeded() {
    for (String name : List.copyOf(sections.keySet())) {
      byte[] bytes = sections.remove(name);
      refuses("no section " + name);
      sections.put(name, bytes);
    }
  }

  @Test
  void refusesSettingsThatLie() {
    setting("recurrent", "convolution", "expected architecture \"recurrent\" or \"transformer\"");
    setting("recurrent", "transformer", "settings are wrong at network.");
    setting("\"recurrent\"", "null", "architecture");
    setting("\"embedding\" : 3", "\"embedding\" : 4", "expected 5 x 4, found 5 x 3");
    setting("\"embedding\" : 3", "\"embedding\" : 16777216", "expected 5 x 16777216");
    setting("\"embedding\" : 3", "\"embedding\" : -1", "embedding must be from 1");
    setting("\"embedding\" : 3", "\"embedding\" : 3.5", "embedding");
    setting("\"embedding\" : 3", "\"embedding\" : \"3\"", "embedding");
    setting("\"embedding\" : 3", "\"embedding\" : null", "embedding");
    setting("\"embedding\" : 3", "\"embedding\" : 99999999999", "int");
    setting("\"embedding\" : 3,", "", "embedding");
    setting("\"embedding\" : 3", "\"embedding\" : 3, \"embedding\" : 3", "Duplicate");
    setting("\"embedding\" : 3", "\"embedding\" : 3, \"more\" : 1", "more");
    setting("\"forwardCell\" : \"[A-Z]+\"", "\"forwardCell\" : \"LSTM\"", "encoder.forward.W");
    setting("\"forwardCell\" : \"[A-Z]+\"", "\"forwardCell\" : 0", "settings");
    setting("\"float32\"", "\"float64\"", "float64");
    setting("\"float32\"", "\"float16\"", "expected 30 bytes, found 60");
    setting("\"rows\" : 5", "\"rows\" : 2147483647", "found 2147483647 x 3");
    byte[] embedding = sections.remove("tensor/source.embedding");
    sections.put("tensor/other", embedding);
    setting("\"source.embedding\"", "\"other\"", "tensor other does not belong to this model");
    sections.remove("tensor/other");
    sections.put("tensor/source.embedding", embedding);
    setting("\\{", "[", "settings");
    setting("(?s)^.*$", "null", "settings are wrong: expected an object, found null");
    setting("(?s)\"network\" : \\{.*?\\}", "\"network\" : null", "settings are wrong at network");
    setting("(?s)\"tensors\" : .*$", "\"tensors\" : null }", "settings are wrong at tensors");
    setting(
        "(?s)\"output.bias\" : \\{.*?\\}",
        "\"output.bias\" : null",
        "settings are wrong at tensors.output.bias");
    sections.put("settings", new byte[0]);
    refuses("settings");
    sections.put("settings", new byte[(1 << 20) + 1]);
    refuses("at most 1048576 bytes");
    byte[] deep = new byte[100_000];
    Arrays.fill(deep, (byte) '[');
    sections.put("settings", deep);
    refuses("settings");
  }

  @Test
  void refusesATensorThatTheSettingsDoNotName() {
    String text = new String(sections.get("settings"), StandardCharsets.UTF_8);
    String cut = text.replaceFirst(",\\s*\"output.bias\" : \\{[^}]*}", "");
    assertThat(cut).isNotEqualTo(text);
    sections.put("settings", cut.getBytes(StandardCharsets.UTF_8));
    refuses("has an unknown section: tensor/output.bias");
    sections.remove("tensor/output.bias");
    refuses("tensor output.bias is missing");
  }

  @Test
  void refusesUnknownSections() {
    sections.put("longlist", new byte[1]);
    refuses("has an unknown section: longlist");
    sections.remove("longlist");
    sections.put("tensor/unknown", new byte[4]);
    refuses("tensor/unknown");
  }

  @Test
  void refusesADamagedShortlist() {
    int[] sound = {2, 0, 5, 3, /* starts */ 0, 0, 0, 2, 3, 3, /* words */ 3, 5, 4};
    shortlist(sound, -1, 0);
    try (IndexFile file = written(2);
        TranslationModel model = TranslationModel.open(file)) {
      Shortlist shortlist = model.network().shortlist().orElseThrow();
      assertThat(shortlist.words(new int[] {2, 0})).containsExactly(0, 1, 3, 5);
      assertThat(shortlist.toBytes()).isEqualTo(sections.get("shortlist"));
    }
    refusesShortlist(sound, 0, 1, "first words must be from 2 to 6, found 1");
    refusesShortlist(sound, 0, 7, "first words must be from 2 to 6, found 7");
    refusesShortlist(sound, 1, 2, "its flags are 2, expected 0 or 1");
    refusesShortlist(sound, 1, 1, "one size, found 5 source and 6 target words");
    refusesShortlist(sound, 2, 6, "it is for 6 source words, expected 5");
    refusesShortlist(sound, 3, 2, "it has 52 bytes, but its header requires 48");
    refusesShortlist(sound, 3, -1, "52 bytes, but its header requires 17179869220");
    refusesShortlist(sound, 4, 1, "the words of source id 0 begin at 1, expected 0");
    refusesShortlist(sound, 6, 4, "source id 1 end at 4, expected 0 to 3");
    refusesShortlist(sound, 8, 1, "source id 3 end at 1, expected 2 to 3");
    refusesShortlist(sound, 9, 2, "source id 4 end at 2, expected 3 to 3");
    refusesShortlist(sound, 10, 1, "a word of source id 2 is 1, expected 2 to 5");
    refusesShortlist(sound, 11, 3, "a word of source id 2 is 3, expected 4 to 5");
    refusesShortlist(sound, 12, 6, "a word of source id 3 is 6, expected 2 to 5");
    refusesShortlist(sound, 12, -1, "a word of source id 3 is 4294967295, expected 2 to 5");
    sections.put("shortlist", new byte[15]);
    refuses("section shortlist: the shortlist is damaged: it has 15 bytes");
  }

  private void shortlist(int[] sound, int at, int value) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * sound.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(sound);
    if (at >= 0) {
      bytes.putInt(4 * at, value);
    }
    sections.put("shortlist", bytes.array());
  }

  private void refusesShortlist(int[] sound, int at, int value, String says) {
    shortlist(sound, at, value);
    refuses("section shortlist: the shortlist is damaged", says);
  }

  @Test
  void refusesWeightsThatAreMisshapenOrNotFinite() {
    byte[] weights = sections.get("tensor/start.W");
    sections.put("tensor/start.W", Arrays.copyOf(weights, weights.length - 1));
    refuses("section tensor/start.W: expected 128 bytes, found 127");
    byte[] nan = weights.clone();
    ByteBuffer.wrap(nan).order(ByteOrder.LITTLE_ENDIAN).putFloat(20, Float.NaN);
    sections.put("tensor/start.W", nan);
    refuses("start.W", "NaN in row 1, column 1");
    sections.put("tensor/start.W", weights);
    byte[] half = new byte[5 * 3 * 2];
    half[2 * 4 + 1] = 0x7c;
    sections.put("tensor/source.embedding", half);
    setting(
        "(\"source.embedding\" : \\{\\s*\"type\" : )\"float32\"",
        "$1\"float16\"",
        "source.embedding",
        "Infinity in row 1, column 1");
    setting(
        "\"embedding\" : 3", "\"embedding\" : 3", "source.embedding: expected 60 bytes, found 30");
  }

  @Test
  void refusesIdsBeyondTheEmbedding() {
    byte[] large = Vocabulary.of(List.of("</s>", "<unk>", "a", "b", "c", "d")).toBytes();
    sections.put("vocab/source", large);
    refuses("section vocab/source: expected ids below 5, the embedding's rows, found 5");
  }

  @Test
  void refusesDamagedText() {
    byte[] vocabulary = sections.get("vocab/target");
    sections.put("vocab/target", Arrays.copyOf(vocabulary, 20));
    refuses("section vocab/target: the vocabulary section is corrupt");
    sections.put("vocab/target", vocabulary);
    byte[] sound = sections.get("text");
    String json = new String(sound, StandardCharsets.UTF_8);
    sections.put("text", json.replace("NONE", "NOTHING").getBytes(StandardCharsets.UTF_8));
    refuses("section text: ");
    sections.put(
        "text",
        json.replaceAll("\"segmentation\" : \"[A-Z]+\"", "\"segmentation\" : \"SPM\"")
            .getBytes(StandardCharsets.UTF_8));
    refuses("section segmentation/source: ");
    sections.put("text", sound);
    String end = "[ \"{end}\" ]";
    format(end, "[\"{stop}\"]", "expected {end}, {source} or {target}, found {stop}");
    format(end, "[\"{target}\"]", "languages if and only if a side has {source} or {target}");
    format(end, "[\"<s>\"]", "the source vocabulary lacks <s> of the format");
    format(end, "null", "sourceEnd");
    format(end, "7", "sourceEnd");
    format(end, "[" + "\"{end}\",".repeat(8) + "\"{end}\"]", "at most 8 tokens on a side");
    format("\"languages\" : [ ]", "\"languages\" : [\"s2\"]", "languages if and only if");
    String two = "[\"{target}\"],\"targetStart\":[],\"languages\":[\"s2\",\"s2\"]}}";
    format(json.substring(json.indexOf(end)), two, "at most 10000 different languages");
    format(json.substring(json.indexOf(end)), two.replaceFirst("s2", "xx"), "vocabulary lacks xx");
  }

  private void format(String from, String to, String... says) {
    byte[] before = sections.get("text");
    String text = new String(before, StandardCharsets.UTF_8);
    assertThat(text).contains(from);
    sections.put("text", text.replace(from, to).getBytes(StandardCharsets.UTF_8));
    refuses(says);
    sections.put("text", before);
  }

  @Test
  void refusesATransformersSettingsThatLie() {
    transformerSections();
    try (IndexFile file = written(2);
        TranslationModel model = TranslationModel.open(file)) {
      assertThat(model.network().settings()).isEqualTo(TinyModel.TRANSFORMER);
    }
    setting("transformer", "recurrent", "settings are wrong at network.");
    setting("\"heads\" : 2", "\"heads\" : 3", "heads must divide the width 8, found 3");
    setting("\"heads\" : 2", "\"heads\" : 0", "heads must be from 1 to 8, found 0");
    setting("\"heads\" : 2,", "", "heads");
    setting("\"width\" : 8", "\"width\" : 10", "expected 5 x 10, found 5 x 8");
    setting("\"width\" : 8", "\"width\" : 2147483647", "width must be from 4 to 16777216");
    setting("\"decoderLayers\" : 2", "\"decoderLayers\" : 3", "decoder.layer3.ssru.candidate.W");
    setting("\"decoderLayers\" : 2", "\"decoderLayers\" : 99", "from 1 to 64, found 99");
    setting("\"alignmentLayer\" : 2", "\"alignmentLayer\" : 3", "from 1 to 2, found 3");
    setting("\"SSRU\"", "\"SELF_ATTENTION\"", "decoder.layer1.ssru.candidate.W does not belong");
    setting("\"SSRU\"", "\"GRU\"", "settings are wrong at network.autoregression");
    setting("\"SSRU\"", "\"AVERAGE_ATTENTION\"", "averageFeedForward must be from 1");
    setting("\"POST\"", "0", "network.normalization");
    setting(
        "\"normalizesTop\" : false", "\"normalizesTop\" : true", "encoder.norm.gain is missing");
    setting("\"tiesOutput\" : true", "\"tiesOutput\" : false", "output.Wt is missing");
    setting(
        "\"sharesEmbeddings\" : false",
        "\"sharesEmbeddings\" : true",
        "vocabularies of equal size");
    setting("\"SINUSOIDAL\"", "\"LEARNED\"", "positionRows must be from 1");
    setting("\"SINUSOIDAL\"", "\"RELATIVE\"", "relativeBuckets must be from 4");
    setting("\"firstPosition\" : 0", "\"firstPosition\" : 1025", "firstPosition");
    setting("\"epsilon\" : 1.0E-6", "\"epsilon\" : 1", "epsilon must be from 0 to 0.1");
    setting(
        "\"epsilon\" : 1.0E-6",
        "\"epsilon\" : \"NaN\"",
        "epsilon must be from 0 to 0.1, found NaN");
    setting("\"headWidth\" : 0", "\"headWidth\" : 16777216", "a product of at most 16777216");
    setting("\"start\" : -1", "\"start\" : 6", "start must be from -1 to 5, found 6");
    setting("\"alignmentHeads\" : 1", "\"alignmentHeads\" : 9", "alignmentHeads must be from 1 to");
    setting("\"beamSize\" : 0", "\"beamSize\" : 65", "search.beamSize must be from 0 to 64");
    setting("\"SHRINK\"", "\"GROW\"", "GROW");
    setting("\"gatedFeedForward\" : false", "\"gatedFeedForward\" : true", "gate.W is missing");
    setting("\"rootMeanSquare\" : false", "\"rootMeanSquare\" : true", "norm.shift");
    byte[] weights = sections.get("tensor/decoder.layer2.cross.value.bias");
    ByteBuffer.wrap(weights).order(ByteOrder.LITTLE_ENDIAN).putFloat(4, Float.NaN);
    refuses("decoder.layer2.cross.value.bias", "NaN in row 0, column 1");
  }

  /** The sections become those of a transformer; returns its settings. */
  private byte[] transformerSections() {
    TinyModel tiny = new TinyModel(folder);
    byte[] npz = new MarianTransformer(TinyModel.TRANSFORMER, new Random(6)).npz();
    Path made = ModelImporter.importModel(tiny.request().weights(tiny.write("t.npz", npz))).file();
    sections.clear();
    try (IndexFile file = IndexFile.open(made)) {
      for (Section section : file.sections()) {
        byte[] bytes = new byte[(int) section.length()];
        file.section(section.name()).get(bytes);
        sections.put(section.name(), bytes);
      }
    }
    newestText();
    ModelSettings read = ModelSettings.fromJson("tiny", sections.get("settings"), 1);
    sections.put("settings", SettingsJson.write(read));
    return sections.get("settings");
  }
}
