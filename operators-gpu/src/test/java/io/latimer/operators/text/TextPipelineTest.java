package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Segmentation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pipeline around a network that copies: the source's ids are the target's, and each target
 * token looks at its own source token. What goes in must come out.
 */
class TextPipelineTest {
  private static final byte[] NOTHING = new byte[0];
  private static final byte[] CODES =
      "#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\no n</w>\na n\n"
          .getBytes(StandardCharsets.UTF_8);
  private static final Vocabulary LETTERS = letters();

  /** Pieces of text that have broken text software before. */
  private static final List<String> POOL =
      List.of(
          "the",
          "thing",
          "on",
          "an",
          " ",
          " ",
          " ",
          "  ",
          "\t",
          "\n",
          "\r\n",
          "\u2028",
          "\u00a0",
          ".",
          ". ",
          "? ",
          "!",
          ",",
          "; ",
          "\"",
          "'",
          "(",
          ")",
          "[",
          "&",
          "&amp;",
          "|",
          "<",
          "</s>",
          "<unk>",
          "\u0000",
          "\u0007",
          "\u001b",
          "\u007f",
          "\u0085",
          "\ufeff",
          "\u200b",
          "\u200d",
          "\u200f",
          "\u202e",
          "\ufffd",
          "\ufffe",
          "😀",
          "👨‍👩‍👧",
          "🇩🇪",
          "❤️",
          "é",
          "e\u0301",
          "\u0301",
          "ß",
          "İ",
          "ﬁ",
          "ﷺ",
          "½",
          "日本語",
          "。",
          "שלום",
          "مرحبا",
          "हिन्दी",
          "ไทย",
          "𝒳",
          "\ue000",
          "\uf8ff",
          "https://a.org/b?c=d ",
          "www.x.de",
          "jo@x.org",
          "3.5",
          "12",
          "1e3",
          "▁",
          "\u2581\u2581");

  private static Vocabulary letters() {
    List<String> tokens = new ArrayList<>(List.of("</s>", "<unk>"));
    for (char c = '!'; c <= '~'; c++) {
      tokens.add(String.valueOf(c));
      tokens.add(c + "@@");
    }
    tokens.addAll(List.of("the", "the@@", "th@@", "ing", "in", "in@@", "on", "an", "an@@"));
    return Vocabulary.of(tokens);
  }

  private static String copy(TextPipeline pipeline, String record) {
    List<SourceSentence> sentences = pipeline.prepare(record);
    List<String> texts = new ArrayList<>();
    for (SourceSentence sentence : sentences) {
      int[] ids = sentence.ids();
      assertThat(ids[ids.length - 1]).isEqualTo(Vocabulary.END);
      assertThat(ids).hasSize(sentence.tokens().size() + 1);
      float[][] attention = new float[ids.length][ids.length];
      for (int i = 0; i < ids.length; i++) {
        attention[i][i] = 1;
      }
      texts.add(pipeline.restore(sentence, ids, attention));
    }
    return pipeline.rejoin(sentences, texts);
  }

  private static TextSettings bpe(boolean split, boolean protect, int limit) {
    TextSettings raw = TextSettings.raw("en", "de");
    return new TextSettings(
        raw.sourceLanguage(),
        raw.targetLanguage(),
        TextSettings.Normalization.NONE,
        false,
        split,
        raw.casing(),
        raw.recasing(),
        raw.tokenizer(),
        false,
        Segmentation.BPE,
        protect,
        limit,
        SentenceFormat.PLAIN);
  }

  @ParameterizedTest
  @CsvSource({
    "1, true, true, 16",
    "2, false, true, 200",
    "3, true, false, 16",
    "4, false, false, 50",
  })
  void nothingIsLostOfAnyText(long seed, boolean split, boolean protect, int limit) {
    Random random = new Random(seed);
    try (TextPipeline pipeline =
        TextPipeline.of(bpe(split, protect, limit), LETTERS, LETTERS, CODES, NOTHING)) {
      for (int round = 0; round < 2_000; round++) {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(40); n > 0; n--) {
          text.append(POOL.get(random.nextInt(POOL.size())));
        }
        String record = text.toString();
        for (SourceSentence sentence : pipeline.prepare(record)) {
          assertThat(sentence.tokens().size()).isLessThanOrEqualTo(limit);
        }
        String expected = visible(record.startsWith("\ufeff") ? record.substring(1) : record);
        String copied = visible(copy(pipeline, record));
        // Markup inside a word moves to its end.
        assertThat(withoutTags(copied)).as(record).isEqualTo(withoutTags(expected));
        assertThat(copied).as(record).hasSameSizeAs(expected);
      }
    }
  }

  private static String withoutTags(String text) {
    return text.replace("</s>", "").replace("<unk>", "");
  }

  /** All but whitespace and control characters, which part words and are nothing else. */
  private static String visible(String text) {
    return text.codePoints()
        .filter(c -> !Character.isWhitespace(c) && !Character.isSpaceChar(c))
        .filter(c -> !Character.isISOControl(c))
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyTextComesThroughSentencePieceToo(long seed) throws IOException {
    Random random = new Random(seed);
    try (TextPipeline pipeline =
        tatoeba(SettingsCopies.limited(TextSettings.raw("en", "de"), 30))) {
      for (int round = 0; round < 1_000; round++) {
        StringBuilder text = new StringBuilder("start ");
        for (int n = random.nextInt(40); n > 0; n--) {
          text.append(
              random.nextInt(4) > 0
                  ? POOL.get(random.nextInt(POOL.size()))
                  : Character.toString(anyCharacter(random)));
        }
        assertThat(copy(pipeline, text.toString())).contains("start");
      }
    }
  }

  private static int anyCharacter(Random random) {
    int c = random.nextInt(0x110000);
    return c >= 0xD800 && c < 0xE000 ? 'x' : c;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "Tom is here. I am not!|Tom is here. I am not!",
        "Tom 😀 is here 👍🏽.|Tom 😀 is here 👍🏽.",
        "Tom is here😀|Tom is here😀",
        "Look at https://x.org/a?b=c&d. Then go.|Look at https://x.org/a?b=c&d. Then go.",
        "😀|😀",
        "https://x.org|https://x.org",
        "Tom said 日本語 to me.|Tom said 日本語 to me.",
        "שלום Tom|שלום Tom",
        "Tom &amp; I|Tom &amp; I",
      })
  void everydayTextComesThroughSentencePieceAsItWas(String record, String expected)
      throws IOException {
    try (TextPipeline pipeline = tatoeba(TextSettings.raw("en", "de"))) {
      assertThat(copy(pipeline, record)).isEqualTo(expected);
    }
  }

  @Test
  void whatTheModelCannotWriteIsSetBehindTheWordBeforeIt() throws IOException {
    Vocabulary vocabulary =
        Vocabulary.load(SharedData.require("models/tatoeba-ende-gru/vocab.yml"));
    try (TextPipeline pipeline = tatoeba(TextSettings.raw("en", "de"))) {
      SourceSentence sentence = pipeline.prepare("I love 😀 Tom.").get(0);
      assertThat(sentence.tokens()).containsExactly("▁I", "▁love", "▁Tom", ".");
      int[] output = {
        vocabulary.id("▁Ich"), vocabulary.id("▁ist"), vocabulary.id("▁Tom"), vocabulary.id("."), 0
      };
      float[][] attention = new float[5][5];
      attention[0][0] = 1;
      attention[1][1] = 1; // "love"
      attention[2][2] = 1;
      attention[3][3] = 1;
      attention[4][4] = 1;
      assertThat(pipeline.restore(sentence, output, attention)).isEqualTo("Ich ist 😀 Tom.");
      assertThat(pipeline.restore(sentence, output, null)).contains("😀").contains("Tom");
      attention[3][1] = 2; // the full stop looks at "love" too
      assertThat(pipeline.restore(sentence, output, attention)).isEqualTo("Ich ist 😀 Tom.");
      assertThat(pipeline.restore(sentence, new int[] {0}, attention)).isEqualTo("😀");
    }
  }

  @Test
  void theModelSeesNothingThatItDoesNotKnow() throws IOException {
    try (TextPipeline pipeline = tatoeba(TextSettings.raw("en", "de"))) {
      String record = "I see www.x.org 😀, Tom (日本語) and Tom 日本語😀!";
      SourceSentence sentence = pipeline.prepare(record).get(0);
      assertThat(sentence.tokens())
          .containsExactly("▁I", "▁see", ",", "▁Tom", "▁", "(", ")", "▁and", "▁Tom", "!");
      assertThat(sentence.ids()).doesNotContain(Vocabulary.UNKNOWN);
      assertThat(copy(pipeline, record)).isEqualTo(record);
      assertThat(pipeline.prepare("日本語。 テスト")).allMatch(SourceSentence::isEmpty);
      assertThat(copy(pipeline, "日本語。 テスト")).isEqualTo("日本語。 テスト");
    }
  }

  @Test
  void lineBreaksAndSpacesBetweenSentencesAreKept() {
    try (TextPipeline pipeline =
        TextPipeline.of(bpe(true, true, 16), LETTERS, LETTERS, CODES, NOTHING)) {
      String record =
          "The thing.  It is on.\n\n- one\n- two\r\nThe end of a sentence, that is, one that goes on";
      assertThat(copy(pipeline, " \n" + record + "\n ")).isEqualTo(record);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n\n", "\u00a0\t", "\u0000\u0007"})
  void aBlankRecordHasNoSentences(String record) {
    try (TextPipeline pipeline =
        TextPipeline.of(bpe(true, true, 16), LETTERS, LETTERS, CODES, NOTHING)) {
      assertThat(pipeline.prepare(record)).isEmpty();
      assertThat(copy(pipeline, record)).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a\ud83dz, 'U+D83D, at character 2'",
    "\udc00, 'U+DC00, at character 1'",
    "ab\ud800, 'U+D800, at character 3'",
  })
  void loneSurrogatesAreRefusedByPlace(String record, String message) {
    try (TextPipeline pipeline =
        TextPipeline.of(bpe(true, true, 16), LETTERS, LETTERS, CODES, NOTHING)) {
      assertThatThrownBy(() -> pipeline.prepare(record))
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("surrogate")
          .hasMessageContaining(message);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"word ", "x", "日", "😀", "a😀", "e\u0301", "clause, ", "Yes. ", "日\ue000"})
  void tenThousandCharactersComeThrough(String unit) throws IOException {
    String record = unit.repeat(10_000 / unit.length()).strip();
    try (TextPipeline pipeline =
        tatoeba(SettingsCopies.limited(TextSettings.raw("en", "de"), 60))) {
      List<SourceSentence> sentences = pipeline.prepare(record);
      assertThat(sentences).allMatch(sentence -> sentence.tokens().size() <= 60);
      String expected = Normalizer.normalize(record, Normalizer.Form.NFC);
      assertThat(copy(pipeline, record).equals(expected)).as(unit).isTrue();
    }
  }

  @Test
  void aRecordOfAnUnreasonableLengthIsRefused() {
    try (TextPipeline pipeline =
        TextPipeline.of(bpe(true, true, 16), LETTERS, LETTERS, CODES, NOTHING)) {
      String record = "a".repeat(TextPipeline.MAX_RECORD_CHARS + 1);
      assertThatThrownBy(() -> pipeline.prepare(record))
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("100001 characters");
    }
  }

  @ParameterizedTest
  @EnumSource(Casing.class)
  void mosesTextComesBackAsAReaderExpectsIt(Casing casing) {
    byte[] truecase = "the (9/9)\nTom (3/3)\n".getBytes(StandardCharsets.UTF_8);
    Optional<byte[]> model = casing == Casing.TRUECASE ? Optional.of(truecase) : Optional.empty();
    TextSettings settings = TextSettings.moses("en", "en", casing);
    try (TextPipeline pipeline =
        TextPipeline.of(settings, LETTERS, LETTERS, CODES, NOTHING, model)) {
      List<SourceSentence> sentences = pipeline.prepare("The “dog’s” Tom, see www.x.org. Yes.");
      assertThat(sentences).hasSize(2);
      String first = casing == Casing.KEEP ? "The" : "the";
      assertThat(String.join(" ", sentences.get(0).tokens()).replace("@@ ", ""))
          .isEqualTo(
              first
                  + " &quot; dog &apos;s &quot; "
                  + (casing == Casing.LOWER ? "tom" : "Tom")
                  + " , see .");
      String expected = "The \"dog's\" Tom, see www.x.org. Yes.";
      assertThat(copy(pipeline, "The “dog’s” Tom, see www.x.org. Yes."))
          .isEqualTo(casing == Casing.LOWER ? expected.replace("Tom", "tom") : expected);
    }
  }

  @Test
  void aTruecaseModelAndTheCasingGoTogether() {
    TextSettings settings = TextSettings.moses("en", "de", Casing.TRUECASE);
    assertThatThrownBy(() -> TextPipeline.of(settings, LETTERS, LETTERS, CODES, NOTHING))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("TRUECASE")
        .hasMessageContaining("missing");
  }

  @Test
  void separateModelsSegmentSourceAndTarget() throws IOException {
    byte[] one = Files.readAllBytes(SharedData.require("models/tatoeba-ende-gru/spm.model"));
    byte[] other = Files.readAllBytes(SharedData.require("models/m30k-ende-transformer/spm.model"));
    Vocabulary source = Vocabulary.load(SharedData.require("models/tatoeba-ende-gru/vocab.yml"));
    Vocabulary target =
        Vocabulary.load(SharedData.require("models/m30k-ende-transformer/vocab.yml"));
    TextPipeline closed;
    try (TextPipeline pipeline =
        TextPipeline.of(TextSettings.raw("en", "de"), source, target, one, other)) {
      SourceSentence sentence = pipeline.prepare("A man.").get(0);
      int[] ids = {target.id("▁Ein"), target.id("▁Mann"), target.id("."), 0};
      assertThat(ids).doesNotContain(Vocabulary.UNKNOWN);
      assertThat(pipeline.restore(sentence, ids, null)).isEqualTo("Ein Mann.");
      closed = pipeline;
    }
    assertThatThrownBy(() -> closed.prepare("A man."))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void settingsTravelAsJson() {
    TextSettings settings = TextSettings.moses("en", "pt-BR", Casing.LOWER);
    assertThat(TextSettings.fromJson(settings.toJson(true), true)).isEqualTo(settings);
    String json = new String(settings.toJson(true), StandardCharsets.UTF_8);
    for (String broken :
        List.of(
            json.replace("casing", "cassing"),
            json.replace("LOWER", "LOUD"),
            json.replace("100", "2"),
            json.replace("\"protect\" : true,", ""),
            json.toUpperCase(Locale.ROOT),
            "",
            "[]")) {
      assertThatThrownBy(() -> TextSettings.fromJson(broken.getBytes(StandardCharsets.UTF_8), true))
          .as(broken)
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("text settings");
    }
  }

  private static TextPipeline tatoeba(TextSettings settings) throws IOException {
    Vocabulary vocabulary =
        Vocabulary.load(SharedData.require("models/tatoeba-ende-gru/vocab.yml"));
    byte[] spm = Files.readAllBytes(SharedData.require("models/tatoeba-ende-gru/spm.model"));
    return TextPipeline.of(settings, vocabulary, vocabulary, spm, NOTHING);
  }
}
