package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.util.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WordReaderTest {
  private static final byte[] SEPARATORS = {0, 9, 10, 11, 12, 13, 32};

  /** Bytes on both sides of each bound of the separators, also with the upper bit set. */
  private static final byte[] LETTERS = {
    1, 8, 14, 31, 33, 'a', 'b', 'c', 127, -128, -119, -118, -115, -96, -1
  };

  private final Random random = new Random(3);

  @Test
  void findsWordsOfEveryLengthAmongSeparatorsAndControlCharacters() {
    WordTable vocabulary = vocabulary(words(400));
    WordReader reader = new WordReader(vocabulary);
    for (int round = 0; round < 300; round++) {
      byte[] text = text(vocabulary, 60);
      int from = random.nextInt(text.length + 1);
      int to = from + random.nextInt(text.length - from + 1);
      assertThat(read(reader, text, from, to))
          .as("bytes %d to %d of %s", from, to, Arrays.toString(text))
          .isEqualTo(LmText.ids(vocabulary, text, from, to));
    }
  }

  @Test
  void remembersFewerWordsThanTheTextHas() {
    Set<String> words = new LinkedHashSet<>();
    for (int i = 0; i < 50_000; i++) {
      words.add("w" + i);
    }
    WordTable vocabulary = vocabulary(words);
    WordReader reader = new WordReader(vocabulary);
    byte[] text = String.join(" ", words).getBytes(StandardCharsets.UTF_8);
    int[] expected = LmText.ids(vocabulary, text, 0, text.length);
    assertThat(expected).startsWith(1, 2, 3).hasSize(50_000);
    for (int round = 0; round < 2; round++) {
      assertThat(read(reader, text, 0, text.length)).isEqualTo(expected);
    }
  }

  private static int[] read(WordReader reader, byte[] text, int from, int to) {
    int[] ids = new int[3 + LmText.mostTokens(to - from)];
    return Arrays.copyOfRange(ids, 3, reader.read(text, from, to, ids, 3));
  }

  private byte[] text(WordTable vocabulary, int words) {
    ByteBuffer text = ByteBuffer.allocate(words * 20);
    for (int i = 0; i < words; i++) {
      if (random.nextInt(4) > 0) {
        text.put(vocabulary.bytes(1 + random.nextInt(vocabulary.size() - 1)));
      } else {
        text.put(word().getBytes(StandardCharsets.ISO_8859_1));
      }
      for (int spaces = 1 + random.nextInt(3) / 2; spaces > 0; spaces--) {
        text.put(SEPARATORS[random.nextInt(SEPARATORS.length)]);
      }
    }
    return Arrays.copyOf(text.array(), text.position() - random.nextInt(2));
  }

  private Set<String> words(int count) {
    Set<String> words = new LinkedHashSet<>();
    while (words.size() < count) {
      words.add(word());
    }
    return words;
  }

  private String word() {
    byte[] word = new byte[1 + random.nextInt(11)];
    for (int i = 0; i < word.length; i++) {
      word[i] = LETTERS[random.nextInt(LETTERS.length)];
    }
    return new String(word, StandardCharsets.ISO_8859_1);
  }

  /** A vocabulary of the given words, whose characters are bytes; their ids count from 1. */
  private static WordTable vocabulary(Set<String> words) {
    List<byte[]> all =
        words.stream().map(word -> word.getBytes(StandardCharsets.ISO_8859_1)).toList();
    int size = all.size() + 1;
    int slots = 2 * size;
    ByteBuffer text = ByteBuffer.allocate(all.stream().mapToInt(word -> word.length).sum());
    ByteBuffer starts = ByteBuffer.allocate(4 * (size + 1)).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer table = ByteBuffer.allocate(8 * slots).order(ByteOrder.LITTLE_ENDIAN);
    for (int slot = 0; slot < slots; slot++) {
      table.putInt(8 * slot + 4, LmSections.EMPTY);
    }
    starts.putInt(0).putInt(0);
    for (int id = 1; id < size; id++) {
      byte[] word = all.get(id - 1);
      text.put(word);
      starts.putInt(text.position());
      long hash = WordTable.hash(word, 0, word.length);
      int slot = (int) Hashing.home(hash, slots);
      while (table.getInt(8 * slot + 4) != LmSections.EMPTY) {
        slot = (slot + 1) % slots;
      }
      table.putInt(8 * slot, (int) hash).putInt(8 * slot + 4, id);
    }
    return new WordTable(size, text.flip(), starts.flip(), table);
  }
}
