package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.model.ModelSections;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.ChangedIndex;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.testing.SpmBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Models that crashed the native library must be refused before it reads them. A hole in the checks
 * ends the JVM of this test.
 */
class SentencePieceSafetyTest {
  private static final byte[] SHIPPED = ShippedModel.section(ModelSections.SOURCE_SEGMENTATION);

  private static final List<String> PIECES = List.of("a", "b", "\u2581");

  /** Characters of all scripts, which lead through most of the rules. */
  private static final String TEXT = everyCharacter();

  private static String everyCharacter() {
    StringBuilder text = new StringBuilder();
    for (int c = 1; c < 0x30000; c += c < 0x3400 ? 1 : 17) {
      if (c < 0xD800 || c >= 0xE000) {
        text.appendCodePoint(c);
      }
    }
    return text.toString();
  }

  private static void refuses(byte[] model, String reason) {
    assertThatThrownBy(() -> SentencePieceSegmenter.of(model, "m.spm"))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("m.spm is not a SentencePiece model: ")
        .hasMessageContaining(reason);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aPieceThatEndsTheProcessIsRefused() {
    refuses(SpmBytes.withPiece(SHIPPED, utf8("\0x"), 1), "piece 8000 contains the character NUL");
    refuses(SpmBytes.withPiece(SHIPPED, utf8("x\0"), 1), "NUL");
    refuses(SpmBytes.withPiece(SHIPPED, utf8("a".repeat(70_000)), 1), "has 70000 bytes");
    refuses(SpmBytes.withPiece(SHIPPED, new byte[0], 1), "piece 8000 is empty");
  }

  @Test
  void theLongestPieceThatIsAcceptedWorks() {
    String longest = "a".repeat(SentencePieceModel.MAX_PIECE_BYTES);
    byte[] model = SpmBytes.small(List.of("a", "\u2581", longest));
    try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(model, "m.spm")) {
      assertThat(segmenter.segment(longest)).hasSizeLessThan(1100).isNotEmpty();
    }
  }

  @Test
  void userDefinedPiecesNestNoDeeperThanTheLibraryReads() {
    byte[] model = SpmBytes.small(PIECES);
    for (int i = 1; i <= SentencePieceModel.MAX_NESTED; i++) {
      model = SpmBytes.withPiece(model, utf8("x".repeat(i)), 4);
    }
    try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(model, "m.spm")) {
      assertThat(segmenter.join(segmenter.segment("x".repeat(200)))).isEqualTo("x".repeat(200));
    }
    refuses(SpmBytes.withPiece(model, utf8("x".repeat(65)), 4), "start each other");
  }

  @Test
  void aSelfTestOfAnyLengthIsRefused() {
    refuses(SpmBytes.with(SpmBytes.small(PIECES), 4, new byte[(1 << 20) + 1]), "self-test");
  }

  /** A double array with the given units in the first block, and its texts. */
  private static byte[] rules(String right, int... units) {
    byte[] texts = utf8(right);
    ByteBuffer rules = ByteBuffer.allocate(4 + 1024 + texts.length).order(ByteOrder.LITTLE_ENDIAN);
    rules.putInt(1024);
    for (int i = 0; i < 256; i++) {
      // a unit that no byte leads to, unless it is given
      rules.putInt(i < units.length ? units[i] : 1 << 31);
    }
    rules.put(texts);
    return rules.array();
  }

  private static byte[] withRules(byte[] rules) {
    return SpmBytes.withCharsmap(SpmBytes.small(PIECES), rules);
  }

  private static int[] blank() {
    int[] units = new int[256];
    Arrays.fill(units, 1 << 31);
    return units;
  }

  /**
   * A unit that a byte leads to.
   *
   * @param offset of the next node, from the unit
   * @param leaf whether a left side ends there
   */
  private static int unit(int label, int offset, boolean leaf) {
    return label | (leaf ? 1 << 8 : 0) | offset << 10;
  }

  @Test
  void rulesThatPointAnywhereAreRefused() {
    byte[] bytes = new byte[1024];
    Arrays.fill(bytes, (byte) 0xFF);
    refuses(withRules(bytes), "their table claims 4294967295 bytes");
    refuses(withRules(new byte[] {1, 0}), "truncated");
    refuses(withRules(Arrays.copyOf(rules("", 0), 1000)), "claims 1024 bytes");
    refuses(withRules(rules("", unit(0, 256, false))), "points outside itself");
    refuses(withRules(rules("", 0x3FFFFF << 10 | 1 << 9)), "points outside itself");
    // the root is node 16, and byte 1 leads back to it
    int[] units = blank();
    units[0] = unit(0, 16, false);
    units[16 ^ 1] = unit(1, 16 ^ 1 ^ 16, false);
    refuses(withRules(rules("", units)), "cycle");
    // byte 1 ends a left side at node 32, whose unit is the offset of a text
    units[16 ^ 1] = unit(1, 16 ^ 1 ^ 32, true);
    refuses(withRules(rules("", units)), "points outside the texts");
    refuses(withRules(rules("b", units)), "a text has no end");
    refuses(withRules(rules("b".repeat(300) + "\0", units)), "more than 256 bytes");
    byte[] malformed = rules("b\0", units);
    malformed[malformed.length - 2] = (byte) 0xFF;
    refuses(withRules(malformed), "not UTF-8");
  }

  @Test
  void rulesThatReplaceWork() {
    // the root is node 16, 'a' leads to node 32, whose unit is the offset of a text
    int[] units = blank();
    units[0] = unit(0, 16, false);
    units[16 ^ 'a'] = unit('a', 16 ^ 'a' ^ 32, true);
    units[32] = 1 << 31 | 2;
    byte[] model = withRules(rules("x\0b\0", units));
    try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(model, "m.spm")) {
      assertThat(segmenter.segment("ab")).containsExactly("\u2581", "b", "b");
    }
  }

  @Test
  void leftSidesThatStartEachOtherAreBounded() {
    for (int depth : new int[] {32, 33}) {
      byte[] model = withRules(chain(depth));
      if (depth == 33) {
        refuses(model, "more than 32 of their left sides start each other");
        continue;
      }
      try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(model, "m.spm")) {
        assertThat(segmenter.segment("a".repeat(100))).isNotEmpty();
      }
    }
  }

  /** Rules that replace a, aa, aaa and so on with b; each node has a block of its own. */
  private static byte[] chain(int depth) {
    int count = 256 * (depth + 2);
    ByteBuffer rules = ByteBuffer.allocate(4 + 4 * count + 2).order(ByteOrder.LITTLE_ENDIAN);
    rules.putInt(4 * count);
    for (int i = 0; i < count; i++) {
      rules.putInt(1 << 31);
    }
    rules.putInt(4, unit(0, 256, false));
    for (int i = 1; i <= depth; i++) {
      int at = 256 * i ^ 0x61;
      int target = 256 * (i + 1);
      rules.putInt(4 + 4 * at, unit(0x61, at ^ target, true));
    }
    return rules.put(utf8("b\0")).array();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void changedRulesAreRefusedOrFollowedSafely(long seed) {
    Random random = new Random(seed);
    byte[] rules = SpmBytes.charsmap(SHIPPED);
    int table = ByteBuffer.wrap(rules).order(ByteOrder.LITTLE_ENDIAN).getInt();
    int refused = 0;
    for (int round = 0; round < 25; round++) {
      byte[] changed = rules.clone();
      for (int n = 1 << random.nextInt(4); n > 0; n--) {
        // at the start, where most texts come through, or anywhere
        int range = random.nextBoolean() ? 4096 : random.nextBoolean() ? table : changed.length;
        changed[random.nextInt(range)] ^= (byte) (1 << random.nextInt(8));
      }
      if (random.nextInt(4) == 0) {
        changed = Arrays.copyOf(changed, random.nextInt(changed.length));
      }
      byte[] model = SpmBytes.withCharsmap(SHIPPED, changed);
      try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(model, "m.spm")) {
        assertThat(segmenter.segment(TEXT)).isNotEmpty();
      } catch (OperatorException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(1, 24);
  }

  @Test
  void anIndexFileWithSuchAModelIsRefused(@TempDir Path folder) {
    List<byte[]> models = new ArrayList<>();
    byte[] bytes = new byte[1024];
    Arrays.fill(bytes, (byte) 0xFF);
    models.add(SpmBytes.withCharsmap(SHIPPED, bytes));
    models.add(SpmBytes.withPiece(SHIPPED, utf8("\0x"), 1));
    models.add(SpmBytes.withPiece(SHIPPED, utf8("a".repeat(70_000)), 1));
    for (byte[] model : models) {
      refusesIndex(folder, ModelSections.SOURCE_SEGMENTATION, model);
    }
    refusesIndex(folder, ModelSections.TARGET_SEGMENTATION, models.get(0));
  }

  private static void refusesIndex(Path folder, String section, byte[] model) {
    Path changed =
        ChangedIndex.write(
            ShippedModel.path(),
            TranslationModel.KIND,
            folder.resolve("m.lmx"),
            section,
            old -> ByteBuffer.wrap(model));
    try (IndexFile file = IndexFile.open(changed)) {
      assertThatThrownBy(() -> TranslationModel.open(file).close())
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("is not a SentencePiece model");
    }
  }
}
