package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TaughtTextsTest {
  private static final List<TaughtPair> PAIRS =
      List.of(
          new TaughtPair("c1", 1_000, "Good day. Bye.", "Tag. Tschüss."),
          new TaughtPair("c2", -1, "Yes 😀", "Ja\n😀"));

  private static List<TaughtPair> read(byte[] section) {
    return TaughtTexts.read(ByteBuffer.wrap(section));
  }

  @Test
  void pairsAreReadAsTheyWereWritten() {
    assertThat(read(TaughtTexts.write(List.of(), PAIRS))).isEqualTo(PAIRS);
    assertThat(TaughtTexts.write(List.of(), List.of())).isEmpty();
  }

  @Test
  void aLaterPairReplacesThatOfTheSameSource() {
    TaughtPair later = new TaughtPair("c3", 2, "good DAY. Bye.", "Servus.");
    TaughtPair unstopped = new TaughtPair("c4", 3, "good day. bye", "Servus");
    assertThat(read(TaughtTexts.write(PAIRS, List.of(later, unstopped))))
        .containsExactly(PAIRS.get(1), later, unstopped);
  }

  @Test
  void changedBytesAreReadOrRefused() {
    byte[] section = TaughtTexts.write(List.of(), PAIRS);
    Random random = new Random(1);
    int refused = 0;
    for (int round = 0; round < 2_000; round++) {
      byte[] changed =
          Arrays.copyOf(section, random.nextInt(4) == 0 ? random.nextInt(80) : section.length);
      if (changed.length > 0) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      try {
        read(changed).forEach(pair -> assertThat(pair.source()).isNotEmpty());
      } catch (PhraseIndexException e) {
        assertThat(e).hasMessageStartingWith("the index is corrupt: the taught pair at byte ");
        refused++;
      }
    }
    assertThat(refused).isBetween(100, 1_999);
  }

  @Test
  void aPairThatIsCutOffIsRefused() {
    byte[] section = TaughtTexts.write(List.of(), PAIRS);
    assertThatThrownBy(() -> read(Arrays.copyOf(section, section.length - 1)))
        .isInstanceOf(PhraseIndexException.class)
        .hasMessageContaining("at byte 50 has lengths 2, 8 and 7");
    assertThatThrownBy(() -> read(Arrays.copyOf(section, 60)))
        .isInstanceOf(PhraseIndexException.class)
        .hasMessageContaining("at byte 50 is cut off");
  }
}
