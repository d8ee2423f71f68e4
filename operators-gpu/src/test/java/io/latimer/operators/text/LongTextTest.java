package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.nmt.model.ModelSections;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.TextSettings.Normalization;
import java.nio.ByteBuffer;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds the work that one record may cost, whatever its text. */
class LongTextTest {
  private static final int LIMIT = 100;
  private static final int LONGEST = TextPipeline.MAX_RECORD_CHARS;

  /** One token per character; counts what it is asked. */
  private static final class Letters implements Segmenter {
    private long calls;
    private long characters;
    private int longest;

    @Override
    public List<String> segment(String line) {
      calls++;
      characters += line.length();
      longest = Math.max(longest, line.length());
      return line.codePoints().mapToObj(Character::toString).toList();
    }

    @Override
    public String join(List<String> tokens) {
      return String.join("", tokens);
    }

    @Override
    public List<String> surfaces(List<String> tokens) {
      return tokens;
    }

    @Override
    public boolean startsWord(String before, String token) {
      return true;
    }
  }

  private static TextPipeline pipeline(Segmenter segmenter, TextSettings settings) {
    Vocabulary vocabulary = Vocabulary.of(List.of("</s>", "<unk>", "a"));
    return new TextPipeline(settings, vocabulary, vocabulary, segmenter, segmenter, null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0301",
        "a\u0301",
        "\u0301\u0323",
        "\u20DD",
        "\u0903",
        "a",
        "a ",
        "\uD83D\uDE00",
        "\uD834\uDD65",
        "a\u00A0",
        "。",
        ",",
        ", ",
        "\u0301 ",
        "- ",
        "\u200D",
        "\uFE0F"
      })
  void theSegmenterReadsNoTextOftenAndNoneThatIsLong(String unit) {
    Letters letters = new Letters();
    // without protection, so that all of the text reaches the segmenter
    TextSettings settings =
        SettingsCopies.limited(SettingsCopies.unsplit(TextSettings.raw("en", "de")), LIMIT);
    TextSettings bare = SettingsCopies.unprotected(settings);
    String record = unit.repeat(LONGEST / unit.length());
    List<SourceSentence> sentences = pipeline(letters, bare).prepare(record);

    StringBuilder joined = new StringBuilder();
    for (SourceSentence sentence : sentences) {
      assertThat(sentence.tokens()).hasSizeLessThanOrEqualTo(LIMIT);
      joined.append(sentence.raw());
    }
    String text = NormalizedPlaces.normalize(record, Normalizer.Form.NFC);
    assertThat(visible(joined.toString())).isEqualTo(visible(text));
    assertThat(letters.longest).isLessThanOrEqualTo(16 * LIMIT);
    assertThat(letters.characters).isLessThanOrEqualTo(10L * LONGEST);
    assertThat(letters.calls).isLessThanOrEqualTo(10L * LONGEST / LIMIT);
  }

  private static String visible(String text) {
    return text.replaceAll("[\\s\u00A0]", "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u0301", "\u0301\u0323", "x\u0301\u0301", "\u0301.", "\u20DD\u0903"})
  @Timeout(60)
  void theShippedModelSurvivesMarks(String unit) {
    byte[] vocabulary = ShippedModel.section(ModelSections.SOURCE_VOCABULARY);
    Vocabulary known = Vocabulary.fromBytes(ByteBuffer.wrap(vocabulary));
    byte[] spm = ShippedModel.section(ModelSections.SOURCE_SEGMENTATION);
    TextSettings settings =
        SettingsCopies.limited(
            TextSettings.fromJson(ShippedModel.section(ModelSections.TEXT), true), LIMIT);
    try (TextPipeline pipeline = TextPipeline.of(settings, known, known, spm, new byte[0])) {
      String record = unit.repeat(LONGEST / unit.length());
      List<SourceSentence> sentences = pipeline.prepare(record);
      assertThat(sentences).isNotEmpty().hasSizeLessThan(LONGEST / LIMIT * 4);
      List<String> texts = new ArrayList<>();
      for (SourceSentence sentence : sentences) {
        texts.add(pipeline.restore(sentence, new int[] {Vocabulary.END}, null));
      }
      assertThat(pipeline.rejoin(sentences, texts)).isNotEmpty();
      assertThat(pipeline.sourceSpans(record, sentences)).hasSameSizeAs(sentences);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aTextWithoutLongRunsOfMarksIsNormalizedAsByUnicode(long seed) {
    Random random = new Random(seed);
    int[] some = {0x301, 0x323, 0x327, 0x1100, 0x1161, 0x11A8, 'a', 'e', 0xE9, 0x1D165, 0xFDFA};
    for (Normalizer.Form form : List.of(Normalizer.Form.NFC, Normalizer.Form.NFKC)) {
      for (int round = 0; round < 300; round++) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(400); i > 0; i--) {
          text.appendCodePoint(some[random.nextInt(some.length)]);
          text.append(i % 50 == 0 ? "x" : "");
        }
        assertThat(NormalizedPlaces.normalize(text.toString(), form))
            .isEqualTo(Normalizer.normalize(text, form));
      }
    }
  }

  @Test
  @Timeout(60)
  void aLongRunOfMarksIsNormalizedInPieces() {
    String marks = "\u0301\u0323".repeat(LONGEST / 2);
    String normalized = NormalizedPlaces.normalize(marks, Normalizer.Form.NFC);
    assertThat(normalized).hasSameSizeAs(marks).startsWith("\u0323".repeat(128) + "\u0301");
    NormalizedPlaces places = NormalizedPlaces.of(marks, Normalizer.Form.NFC, normalized);
    assertThat(places.raw(new TextSpan(0, 1))).isEqualTo(new TextSpan(0, 256));
    assertThat(places.raw(new TextSpan(LONGEST - 1, LONGEST)).end()).isEqualTo(LONGEST);
  }

  @Test
  void aTextThatNormalizationMakesTooLongIsRefused() {
    TextSettings raw = TextSettings.raw("en", "de");
    TextSettings nfkc =
        new TextSettings(
            "en",
            "de",
            Normalization.NFKC,
            false,
            true,
            raw.casing(),
            raw.recasing(),
            raw.tokenizer(),
            false,
            raw.segmentation(),
            false,
            LIMIT,
            SentenceFormat.PLAIN);
    assertThatThrownBy(() -> pipeline(new Letters(), nfkc).prepare("\uFDFA".repeat(LONGEST)))
        .isInstanceOf(RecordException.class)
        .hasMessageContaining("1800000 characters after Unicode normalization");
  }

  @Test
  void aSplitInsideMarksIsNearTheMiddleAndInsideNoPair() {
    assertThat(LongSentence.cut("\u0301".repeat(1000))).isEqualTo(500);
    assertThat(LongSentence.cut("a" + "\u0301".repeat(999))).isEqualTo(500);
    assertThat(LongSentence.cut("\uD834\uDD65".repeat(3))).isEqualTo(4);
    assertThat(LongSentence.cut("\uD83D\uDE00\uD83D\uDE00")).isEqualTo(2);
    assertThat(LongSentence.cut("abce\u0301fgh")).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"...\"x", "\"....", ".\"...\"a", "..\". .\"<.\"b", "a.\"", "\"\".\"\".."})
  void fullStopsBeforeQuotesChangePlacesAsBefore(String text) {
    // the rule without the bound on where a match may start
    String before = text.replaceAll("(\\.++)\"(\\s*+[^<\\s])", "\"$1$2");
    assertThat(new MosesPunctuation("de").normalize(text)).isEqualTo(before.strip());
  }
}
