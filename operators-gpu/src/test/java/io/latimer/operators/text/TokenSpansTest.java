package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.TextPipeline.Restored;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Segmentation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where tokens stand in raw texts, on both sides. */
class TokenSpansTest {
  private static final byte[] NOTHING = new byte[0];
  private static final byte[] CODES =
      "#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\no n</w>\na n\n"
          .getBytes(StandardCharsets.UTF_8);

  /** What texts are made of; ligatures, letters with loose accents and quotes are normalized. */
  private static final List<String> POOL =
      List.of(
          "the",
          "thing",
          "Tom",
          "house",
          " ",
          " ",
          " ",
          "  ",
          "\t",
          "\n",
          "\u00a0",
          "\u0085",
          ". ",
          "? ",
          "!",
          ",",
          "'",
          "\"",
          "“dog’s”",
          "(",
          "&",
          "&amp;",
          "@-@",
          "well-known",
          "…",
          "ﬁsh",
          "e\u0301",
          "\u2460",
          "ß",
          "İ",
          "\u0000",
          "\ufeff",
          "\u200b",
          "日本語",
          "שלום",
          "😀",
          "👍🏽",
          "https://x.org/a?b=c",
          "me@x.org",
          "</s>",
          "@@",
          "\u2581",
          "\ue000",
          "12,000");

  private static TextPipeline bpe() {
    TextSettings raw = TextSettings.raw("en", "de");
    return TextPipeline.of(
        new TextSettings(
            "en",
            "de",
            TextSettings.Normalization.NONE,
            false,
            true,
            raw.casing(),
            raw.recasing(),
            raw.tokenizer(),
            false,
            Segmentation.BPE,
            true,
            16,
            SentenceFormat.PLAIN),
        letters(),
        letters(),
        CODES,
        NOTHING);
  }

  private static Vocabulary letters() {
    List<String> tokens = new ArrayList<>(List.of("</s>", "<unk>", "th", "the", "in", "ing", "on"));
    tokens.addAll(List.of("an", "th@@", "in@@", "an@@", "&quot;", "&apos;s"));
    for (char c = 33; c < 127; c++) {
      tokens.add(String.valueOf(c));
      tokens.add(c + "@@");
    }
    return Vocabulary.of(tokens.stream().distinct().toList());
  }

  private static TextPipeline pieces(TextSettings settings) throws IOException {
    Vocabulary vocabulary =
        Vocabulary.load(SharedData.require("models/tatoeba-ende-gru/vocab.yml"));
    byte[] spm = Files.readAllBytes(SharedData.require("models/tatoeba-ende-gru/spm.model"));
    return TextPipeline.of(settings, vocabulary, vocabulary, spm, NOTHING);
  }

  private static final Pattern CONTINUED = Pattern.compile("@@$");
  private static final Pattern SPACES =
      Pattern.compile(
          "[\\u0009-\\u000D\\u001C-\\u0020\\u0085\\u00A0\\u1680\\u2000-\\u200A"
              + "\\u2028\\u2029\\u202F\\u205F\\u3000]+");

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int n = random.nextInt(40); n > 0; n--) {
      text.append(POOL.get(random.nextInt(POOL.size())));
    }
    return text.toString();
  }

  private static String cut(String text, TextSpan span) {
    return span.exists()
        ? text.substring(
            text.offsetByCodePoints(0, span.start()), text.offsetByCodePoints(0, span.end()))
        : "";
  }

  private static List<String> cut(String text, List<TextSpan> spans) {
    return spans.stream().map(span -> cut(text, span)).toList();
  }

  /** A network that copies, each target token looking at its own source token. */
  private static Restored copy(TextPipeline pipeline, SourceSentence sentence) {
    int[] ids = sentence.ids();
    float[][] attention = new float[ids.length][ids.length];
    for (int i = 0; i < ids.length; i++) {
      attention[i][i] = 1;
    }
    return pipeline.restoreWithSpans(sentence, ids, attention);
  }

  /** The words by another way, for comparison. */
  private static List<String> words(String text) {
    return SPACES.splitAsStream(text).filter(word -> !word.isEmpty()).toList();
  }

  /** In range, in order, and in the word that holds them. */
  private static void check(String text, List<TextSpan> spans) {
    TextWords counted = TextWords.of(text);
    List<String> words = words(text);
    assertThat(counted.count()).as(text).isEqualTo(words.size());
    int before = 0;
    for (TextSpan span : spans) {
      if (!span.exists()) {
        assertThat(counted.wordOf(span)).isEqualTo(-1);
        continue;
      }
      assertThat(span.start()).as(text).isGreaterThanOrEqualTo(before);
      assertThat(span.end()).isLessThanOrEqualTo(text.codePointCount(0, text.length()));
      before = span.start();
      String first = words(cut(text, span)).get(0);
      assertThat(words.get(counted.wordOf(span))).as(text).contains(first);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void piecesStandWhereTheyCameFrom(long seed) {
    Random random = new Random(seed);
    int found = 0;
    try (TextPipeline pipeline = bpe()) {
      for (int round = 0; round < 2_000; round++) {
        String record = randomText(random);
        List<SourceSentence> sentences = pipeline.prepare(record);
        List<List<TextSpan>> spans = pipeline.sourceSpans(record, sentences);
        check(record, spans.stream().flatMap(List::stream).toList());
        for (int i = 0; i < sentences.size(); i++) {
          List<String> tokens = sentences.get(i).tokens();
          for (int t = 0; t < tokens.size(); t++) {
            String token = CONTINUED.matcher(tokens.get(t)).replaceFirst("");
            if (token.indexOf(ProtectedText.MARK) < 0) {
              assertThat(cut(record, spans.get(i).get(t))).as(record).isEqualTo(token);
              found++;
            }
          }
        }
      }
    }
    assertThat(found).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void spansAreInRangeAndInOrderWhateverNormalizationDoes(long seed) throws IOException {
    Random random = new Random(seed);
    for (TextSettings settings :
        List.of(
            SettingsCopies.limited(TextSettings.raw("en", "de"), 30),
            SettingsCopies.limited(TextSettings.moses("en", "de", Casing.LOWER), 30))) {
      boolean moses = settings.segmentation() == Segmentation.BPE;
      try (TextPipeline pipeline =
          moses
              ? TextPipeline.of(settings, letters(), letters(), CODES, NOTHING)
              : pieces(settings)) {
        for (int round = 0; round < 1_000; round++) {
          checkBothSides(pipeline, randomText(random));
        }
      }
    }
  }

  private static void checkBothSides(TextPipeline pipeline, String record) {
    List<SourceSentence> sentences = pipeline.prepare(record);
    List<TextSpan> source =
        pipeline.sourceSpans(record, sentences).stream().flatMap(List::stream).toList();
    check(record, source);
    List<String> texts = new ArrayList<>();
    List<List<TextSpan>> target = new ArrayList<>();
    for (SourceSentence sentence : sentences) {
      Restored restored = copy(pipeline, sentence);
      assertThat(restored.text())
          .isEqualTo(pipeline.restore(sentence, sentence.ids(), attention(sentence)));
      texts.add(restored.text());
      target.add(restored.spans());
    }
    int[] offsets = pipeline.offsets(sentences, texts);
    List<TextSpan> all = new ArrayList<>();
    for (int i = 0; i < offsets.length; i++) {
      for (TextSpan span : target.get(i)) {
        all.add(span.moved(offsets[i]));
      }
    }
    check(pipeline.rejoin(sentences, texts), all);
  }

  private static float[][] attention(SourceSentence sentence) {
    float[][] attention = new float[sentence.length()][sentence.length()];
    for (int i = 0; i < attention.length; i++) {
      attention[i][i] = 1;
    }
    return attention;
  }

  @Test
  void mosesTokensAreFoundInTheRawText() {
    TextSettings settings = TextSettings.moses("en", "en", Casing.LOWER);
    try (TextPipeline pipeline = TextPipeline.of(settings, letters(), letters(), CODES, NOTHING)) {
      String record = "🙂 The “thing’s” on,  see www.x.org. AN…";
      List<SourceSentence> sentences = pipeline.prepare(record);
      List<List<TextSpan>> spans = pipeline.sourceSpans(record, sentences);
      List<TextSpan> first = spans.get(0).stream().distinct().toList(); // an entity is many pieces
      assertThat(cut(record, first))
          .containsExactly("The", "“", "th", "ing", "’", "s", "”", "on", ",", "s", "e", "e", ".");
      assertThat(sentences.get(1).tokens()).containsExactly("a@@", "n", ".@@", ".@@", ".");
      assertThat(cut(record, spans.get(1))).containsExactly("A", "N", "…", "…", "…");
      TextWords words = TextWords.of(record);
      assertThat(first.stream().map(words::wordOf))
          .containsExactly(1, 2, 2, 2, 2, 2, 2, 3, 3, 4, 4, 4, 5);
      Restored restored = copy(pipeline, sentences.get(0));
      assertThat(restored.text()).isEqualTo("🙂 The \"thing's\" on, see www.x.org.");
      assertThat(cut(restored.text(), restored.spans().stream().distinct().toList()))
          .containsExactly(
              "The", "\"", "th", "ing", "'", "s", "\"", "on", ",", "s", "e", "e", ".", "");
    }
  }

  @ParameterizedTest
  @CsvSource({"true, 'a b c', 'abc'", "false, 'x y', 'abc'", "true, 'Straße', 'STRASSE'"})
  void changedCharactersLieBetweenTheKeptOnes(boolean known, String pieces, String text) {
    List<String> tokens = List.of(pieces.split(" "));
    List<TextSpan> spans = TokenSpans.find(tokens, text);
    assertThat(spans).hasSameSizeAs(tokens).allMatch(TextSpan::exists);
    assertThat(spans.get(0).start()).isZero();
    assertThat(spans.get(spans.size() - 1).end()).isEqualTo(text.length());
    if (known && tokens.size() > 1) {
      assertThat(cut(text, spans)).isEqualTo(tokens);
    }
  }

  @Test
  void nothingIsFoundInNothing() {
    assertThat(TokenSpans.find(List.of("a", "b"), "")).containsOnly(TextSpan.NONE);
    assertThat(TokenSpans.find(List.of("a", "@@@", "b"), "ab"))
        .containsExactly(new TextSpan(0, 1), TextSpan.NONE, new TextSpan(1, 2));
    assertThat(TokenSpans.find(List.of(), "ab")).isEmpty();
  }

  @Test
  void textsThatHaveLittleInCommonAreBounded() {
    List<String> tokens = List.of("x".repeat(20_000), "y".repeat(20_000));
    String text = "z".repeat(30_000);
    assertThat(TokenSpans.find(tokens, text))
        .containsExactly(new TextSpan(0, 15_000), new TextSpan(15_000, 30_000));
  }
}
