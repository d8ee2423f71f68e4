package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.icu.text.BreakIterator;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.TextSettings.Casing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is done the short way comes to what is done the plain way, whatever the text. */
class FastPathsTest {
  private static final int ROUNDS = 5_000;
  private static final byte[] NOTHING = new byte[0];

  private static final Pattern SEPARATE = Pattern.compile("([^\\p{L}\\p{M}\\p{N}\\s.'`,\\-])");
  private static final Pattern SEPARATE_COLON_INSIDE =
      Pattern.compile("([^\\p{L}\\p{M}\\p{N}\\s.:'`,\\-])");
  private static final Pattern COMMA = Pattern.compile("(?<!\\p{N}),|,(?!\\p{N})");

  private final Random random = new Random(11);

  private String text() {
    return RandomText.of(random);
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "de", "fr", "cs"})
  void punctuationIsNormalizedAsByAllRules(String language) {
    MosesPunctuation punctuation = new MosesPunctuation(language);
    int changed = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String text = text();
      String expected = punctuation.normalizeByAllRules(text);
      assertThat(punctuation.normalize(text)).as(text).isEqualTo(expected);
      changed += expected.equals(text) ? 0 : 1;
    }
    assertThat(changed).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 10);
  }

  @Test
  void signsAndCommasArePartedAsByRegularExpressions() {
    StringBuilder every = new StringBuilder();
    for (int c = 0; c <= Character.MAX_CODE_POINT; c += c < 0x3000 ? 1 : 23) {
      every.append('a').appendCodePoint(c).append(',').appendCodePoint(c);
      if (every.length() > 2_000) {
        checkParted(every.toString());
        every.setLength(0);
      }
    }
    for (int round = 0; round < ROUNDS; round++) {
      checkParted(text());
    }
  }

  private static void checkParted(String text) {
    assertThat(MosesTokenizer.separate(text, false))
        .isEqualTo(SEPARATE.matcher(text).replaceAll(" $1 "));
    assertThat(MosesTokenizer.separate(text, true))
        .isEqualTo(SEPARATE_COLON_INSIDE.matcher(text).replaceAll(" $1 "));
    assertThat(MosesTokenizer.commas(text)).isEqualTo(COMMA.matcher(text).replaceAll(" , "));
  }

  @Test
  void anOrdinaryWordIsNoSpecialOne() {
    List<String> ends = List.of("", "a", "'", "9", "\"", ".", "%", "日", "''");
    int ordinary = 0;
    for (char c = 1; c < 0x400; c++) {
      for (String end : ends) {
        String word = c + end;
        if (MosesDetokenizer.isOrdinary(word)) {
          ordinary++;
          assertThat(MosesDetokenizer.isSpecial(word)).as(word).isFalse();
        }
      }
    }
    assertThat(ordinary).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "de", "el", "ja"})
  void aLineThatIsOneSentenceIsOneByUnicode(String language) {
    BreakIterator iterator =
        BreakIterator.getSentenceInstance(ULocale.forLanguageTag(language)).clone();
    int single = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String line = ascii();
      if (SentenceSplitter.isOneSentence(line)) {
        single++;
        iterator.setText(line);
        iterator.first();
        assertThat(iterator.next()).as(line).isEqualTo(line.length());
      }
    }
    assertThat(single).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 10);
  }

  /** A line without a line break. */
  private String ascii() {
    StringBuilder line = new StringBuilder();
    int length = 1 + random.nextInt(12);
    for (int i = 0; i < length; i++) {
      char c = (char) random.nextInt(0x80);
      line.append(c == '\n' || c == '\r' ? ' ' : random.nextInt(3) == 0 ? ' ' : c);
    }
    return line.append(random.nextBoolean() ? "." : "").toString();
  }

  @Test
  void noSymbolIsAscii() {
    assertThat(ProtectedText.SYMBOLS.containsNone(0, 0x7F)).isTrue();
  }

  @Test
  void piecesByIdAreThePiecesByName() throws IOException {
    for (String model : List.of("tatoeba-ende-gru", "m30k-ende-transformer")) {
      byte[] spm = Files.readAllBytes(SharedData.require("models/" + model + "/spm.model"));
      try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(spm, model)) {
        for (int round = 0; round < ROUNDS; round++) {
          String text = text();
          assertThat(segmenter.segment(text)).as(text).isEqualTo(segmenter.plainTokens(text));
        }
      }
    }
  }

  @Test
  void wordsThatAreKnownStayWhereTheyAre() throws IOException {
    byte[] spm = Files.readAllBytes(SharedData.require("models/tatoeba-ende-gru/spm.model"));
    for (Segmenter segmenter :
        List.of(
            SentencePieceSegmenter.of(spm, "spm"),
            BpeSegmenter.of("t h\n".getBytes(StandardCharsets.UTF_8), "codes"),
            new WhitespaceSegmenter())) {
      try (segmenter) {
        for (int round = 0; round < ROUNDS / 5; round++) {
          List<String> tokens = segmenter.segment(text());
          FloatingParts parts =
              new FloatingParts(tokens, List.of(), segmenter, token -> false, word -> word);
          assertThat(parts.tokens()).isEqualTo(tokens);
          assertThat(parts.floating()).isEmpty();
          assertThat(parts.carried()).isEmpty();
        }
      }
    }
  }

  @Test
  void outputIsRestoredAsWithSpans() throws IOException {
    byte[] spm = Files.readAllBytes(SharedData.require("models/tatoeba-ende-gru/spm.model"));
    Vocabulary pieces = Vocabulary.load(SharedData.require("models/tatoeba-ende-gru/vocab.yml"));
    checkRestored(TextSettings.raw("en", "de"), pieces, spm);
    byte[] codes = Files.readAllBytes(SharedData.require("models/m30k-ende-gru/bpe.codes"));
    Vocabulary words = Vocabulary.load(SharedData.require("models/m30k-ende-gru/vocab.de.yml"));
    checkRestored(TextSettings.moses("en", "de", Casing.LOWER), words, codes);
  }

  private void checkRestored(TextSettings settings, Vocabulary vocabulary, byte[] segmentation) {
    try (TextPipeline pipeline =
        TextPipeline.of(settings, vocabulary, vocabulary, segmentation, NOTHING)) {
      for (int round = 0; round < ROUNDS / 10; round++) {
        for (SourceSentence sentence : pipeline.prepare(text())) {
          int[] ids = new int[random.nextInt(8)];
          for (int i = 0; i < ids.length; i++) {
            // now and then the end, an unknown token, or one that there is not
            ids[i] = random.nextInt(9) == 0 ? random.nextInt(2) : random.nextInt(4_600);
          }
          String plain = pipeline.restoreWithSpans(sentence, ids, null).text();
          assertThat(pipeline.restore(sentence, ids, null)).isEqualTo(plain);
        }
      }
    }
  }
}
