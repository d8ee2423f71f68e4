package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NgramCountsTest {

  @Test
  void keysAreUnsigned() {
    NgramCounts counts =
        NgramCounts.ofBytes(
            8, new long[] {0, 1, Long.MAX_VALUE, -2, -1}, new long[] {1, 2, 3, 4, 5});
    assertThat(counts.bytes(4)).containsOnly(0xff).hasSize(8);
    assertThat(counts.total()).isEqualTo(15);
    assertThat(NgramCounts.fromBytes(counts.toBytes())).isEqualTo(counts);
    assertThat(NgramCounts.merge(counts, counts).count(4)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 10, 100, 999, 1000, 5000})
  void theTopIsByFallingCountAndThenByNgram(int k) {
    Random random = new Random(k);
    long[] keys = random.longs(1000).distinct().map(i -> i >>> 1).sorted().toArray();
    long[] numbers = random.longs(keys.length, 1, 20).toArray();
    numbers[7] = Long.MAX_VALUE >> 8;
    NgramCounts counts = NgramCounts.ofBytes(8, keys, numbers);
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      expected.add(i);
    }
    expected.sort(Comparator.comparingLong((Integer i) -> -numbers[i]).thenComparing(i -> i));
    assertThat(counts.top(k))
        .containsExactly(expected.stream().limit(k).mapToInt(Integer::intValue).toArray());
  }

  @Test
  void mergingIsAddingInAnyOrder() {
    Random random = new Random(5);
    for (int order = 1; order <= 5; order++) {
      int n = order;
      List<NgramCounts> tables = new ArrayList<>();
      Map<List<Integer>, Long> expected = new TreeMap<>((a, b) -> Arrays.compare(ints(a), ints(b)));
      for (int t = 0; t < 6; t++) {
        Map<List<Integer>, Long> table = new TreeMap<>((a, b) -> Arrays.compare(ints(a), ints(b)));
        int size = random.nextInt(300);
        for (int i = 0; i < size; i++) {
          List<Integer> ngram = random.ints(n, 0, 4).boxed().toList();
          long count = random.nextLong(1, 1L << 30);
          table.merge(ngram, count, Long::sum);
          expected.merge(ngram, count, Long::sum);
        }
        tables.add(table(n, table));
      }
      NgramCounts forward = tables.stream().reduce(NgramCounts::merge).orElseThrow();
      Collections.shuffle(tables, random);
      NgramCounts shuffled = tables.stream().reduce(NgramCounts::merge).orElseThrow();
      assertThat(forward).isEqualTo(table(n, expected)).isEqualTo(shuffled);
      assertThat(NgramCounts.fromBytes(forward.toBytes())).isEqualTo(forward);
    }
  }

  @Test
  void wordsCanBeRenamed() {
    NgramCounts counts =
        NgramCounts.ofWords(2, new int[] {0, 1, 0, 2, 1, 70_000}, new long[] {5, 6, 7});
    int[] ids = new int[70_001];
    ids[0] = 9;
    ids[1] = 3;
    ids[2] = Integer.MAX_VALUE;
    NgramCounts renamed = counts.withIds(ids);
    assertThat(renamed)
        .isEqualTo(
            NgramCounts.ofWords(
                2, new int[] {3, 0, 9, 3, 9, Integer.MAX_VALUE}, new long[] {7, 5, 6}));
    ids[2] = ids[1];
    assertThatThrownBy(() -> counts.withIds(ids)).isInstanceOf(OperatorException.class);
    assertThatThrownBy(() -> counts.withIds(new int[2])).isInstanceOf(OperatorException.class);
  }

  @Test
  void countsThatPass63BitsAreRefused() {
    NgramCounts most = NgramCounts.ofBytes(1, new long[] {7}, new long[] {Long.MAX_VALUE});
    NgramCounts one = NgramCounts.ofBytes(1, new long[] {8}, new long[] {1});
    assertThat(NgramCounts.fromBytes(most.toBytes()).total()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> NgramCounts.merge(most, one))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("2^63-1");
    assertThatThrownBy(() -> NgramCounts.merge(most, most)).isInstanceOf(OperatorException.class);
  }

  @Test
  void whatIsNoTableIsRefused() {
    long[] one = {1};
    refused(() -> NgramCounts.ofBytes(1, new long[] {256}, one));
    refused(() -> NgramCounts.ofBytes(7, new long[] {-1}, one));
    refused(() -> NgramCounts.ofBytes(3, new long[] {5, 5}, new long[] {1, 1}));
    refused(() -> NgramCounts.ofBytes(8, new long[] {-1, 5}, new long[] {1, 1}));
    refused(() -> NgramCounts.ofBytes(3, new long[] {5}, new long[] {0}));
    refused(() -> NgramCounts.ofBytes(3, new long[] {5, 6}, one));
    refused(() -> NgramCounts.ofBytes(9, new long[] {5}, one));
    refused(() -> NgramCounts.ofWords(2, new int[] {1, -1}, one));
    refused(() -> NgramCounts.ofWords(2, new int[] {1, 2, 3}, one));
    refused(() -> NgramCounts.ofWords(2, new int[] {1, 2, 1, 1}, new long[] {1, 1}));
    refused(() -> NgramCounts.ofWords(6, new int[6], one));
    refused(
        () ->
            NgramCounts.merge(
                NgramCounts.empty(NgramUnit.BYTES, 2), NgramCounts.empty(NgramUnit.WORDS, 2)));
    refused(
        () ->
            NgramCounts.merge(
                NgramCounts.empty(NgramUnit.BYTES, 2), NgramCounts.empty(NgramUnit.BYTES, 3)));
  }

  @Test
  void aDamagedSnapshotIsRefusedWhereverTheDamageIs() {
    for (NgramCounts counts :
        List.of(
            NgramCounts.ofBytes(3, new long[] {1, 2, 9}, new long[] {4, 5, 1L << 40}),
            NgramCounts.ofWords(2, new int[] {1, 2, 1, 3}, new long[] {4, 5}),
            NgramCounts.empty(NgramUnit.WORDS, 5))) {
      byte[] good = counts.toBytes();
      for (int i = 0; i < good.length; i++) {
        for (int bit = 0; bit < 8; bit++) {
          byte[] bad = good.clone();
          bad[i] ^= (byte) (1 << bit);
          refused(() -> NgramCounts.fromBytes(bad));
        }
        byte[] cut = Arrays.copyOf(good, i);
        refused(() -> NgramCounts.fromBytes(cut));
      }
      refused(() -> NgramCounts.fromBytes(Arrays.copyOf(good, good.length + 1)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 60, (1L << 60) + 1, 1L << 31, 1L << 32})
  void aSizeIsCheckedBeforeMemoryIsTaken(long size) {
    byte[] bytes = NgramCounts.ofBytes(2, new long[] {5}, new long[] {6}).toBytes();
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(16, size);
    refused(() -> NgramCounts.fromBytes(signed(bytes)));
  }

  @Test
  void aSnapshotWithARightChecksumAndWrongContentIsRefused() {
    byte[] bytes = NgramCounts.ofBytes(2, new long[] {5, 6}, new long[] {6, 7}).toBytes();
    ByteBuffer edit = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(NgramCounts.fromBytes(signed(bytes)).size()).isEqualTo(2);
    edit.putLong(32, 6);
    refused(() -> NgramCounts.fromBytes(signed(bytes)));
    edit.putLong(32, 5).putLong(40, 1 << 16);
    refused(() -> NgramCounts.fromBytes(signed(bytes)));
    edit.putLong(40, 6).putLong(48, 0);
    refused(() -> NgramCounts.fromBytes(signed(bytes)));
    edit.putLong(48, Long.MAX_VALUE);
    refused(() -> NgramCounts.fromBytes(signed(bytes)));
    edit.putLong(48, 1);
    assertThat(NgramCounts.fromBytes(signed(bytes)).total()).isEqualTo(8);
  }

  /** Reads a snapshot by the words of docs/formats.md alone. */
  @Test
  void aSnapshotIsAsDocumented() {
    byte[] bytes =
        NgramCounts.ofWords(2, new int[] {1, 2, 1, 3}, new long[] {4, 1L << 33}).toBytes();
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(new String(bytes, 0, 4, StandardCharsets.US_ASCII)).isEqualTo("LGNC");
    assertThat(in.getInt(4)).isEqualTo(1);
    assertThat(in.getInt(8)).isEqualTo(2);
    assertThat(in.getInt(12)).isEqualTo(2);
    assertThat(in.getLong(16)).isEqualTo(2);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, 24);
    crc.update(bytes, 32, bytes.length - 32);
    assertThat(Integer.toUnsignedLong(in.getInt(24))).isEqualTo(crc.getValue());
    assertThat(in.getInt(28)).isZero();
    assertThat(new int[] {in.getInt(32), in.getInt(36), in.getInt(40), in.getInt(44)})
        .containsExactly(1, 2, 1, 3);
    assertThat(in.getLong(48)).isEqualTo(4);
    assertThat(in.getLong(56)).isEqualTo(1L << 33);
    assertThat(bytes).hasSize(64);
  }

  @ParameterizedTest
  @CsvSource({
    "BYTES, 0, AUTO",
    "BYTES, 9, AUTO",
    "WORDS, 6, SORT",
    "WORDS, 0, HASH",
    "BYTES, 5, V1",
    "BYTES, 4, V2",
    "WORDS, 1, V1",
    "WORDS, 1, V2"
  })
  void whatDoesNotFitIsRefused(NgramUnit unit, int order, NgramStrategy strategy) {
    assertThatThrownBy(() -> new NgramOptions(unit, order, strategy))
        .isInstanceOf(OperatorException.class)
        .hasMessageMatching(".*(1 to [58], found|hash or auto).*");
  }

  private static byte[] signed(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, 24);
    crc.update(bytes, 32, bytes.length - 32);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(24, (int) crc.getValue());
    return bytes;
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(OperatorException.class);
  }

  private static NgramCounts table(int order, Map<List<Integer>, Long> counts) {
    return NgramCounts.ofWords(
        order,
        counts.keySet().stream().flatMap(List::stream).mapToInt(Integer::intValue).toArray(),
        counts.values().stream().mapToLong(Long::longValue).toArray());
  }

  private static int[] ints(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }
}
