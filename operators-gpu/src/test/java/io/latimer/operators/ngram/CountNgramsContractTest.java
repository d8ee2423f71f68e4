package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every counter of n-grams does, wherever it works. */
public abstract class CountNgramsContractTest extends BatchOperatorContract<int[], Long> {
  private static final List<NgramStrategy> STRATEGIES = List.of(NgramStrategy.values());

  /** The implementation under test. */
  protected abstract CountNgrams<byte[]> bytes(NgramOptions options);

  /** The implementation under test. */
  protected abstract CountNgrams<int[]> words(NgramOptions options);

  @Override
  protected final BatchOperator<int[], Long> openOperator() {
    return words(NgramOptions.of(NgramUnit.WORDS, 3));
  }

  @Override
  protected BatchOperator<int[], Long> openOperatorWithLittleMemory() {
    return words(new NgramOptions(NgramUnit.WORDS, 3, NgramStrategy.SORT));
  }

  @Override
  protected final int[] record(int number) {
    return new Random(number).ints(number, 0, 50).toArray();
  }

  @Override
  protected final List<int[]> badRecords() {
    return List.of(new int[] {3, -4, 5}, new int[] {1, 2, 3, Integer.MIN_VALUE});
  }

  @Override
  protected final void assertSameOutput(Long expected, Long found, String where) {
    assertThat(found).as(where).isEqualTo(expected);
  }

  static Stream<NgramOptions> byteOptions() {
    return STRATEGIES.stream()
        .flatMap(
            strategy ->
                Stream.of(1, 2, 3, 4, 5, 6, 7, 8)
                    .filter(n -> counts(strategy, n))
                    .map(n -> new NgramOptions(NgramUnit.BYTES, n, strategy)));
  }

  static Stream<NgramOptions> wordOptions() {
    return Stream.of(NgramStrategy.AUTO, NgramStrategy.SORT, NgramStrategy.HASH)
        .flatMap(
            strategy ->
                Stream.of(1, 2, 3, 4, 5).map(n -> new NgramOptions(NgramUnit.WORDS, n, strategy)));
  }

  /** V1 of order 4 takes 16 GiB: the golden test has it. */
  private static boolean counts(NgramStrategy strategy, int order) {
    return switch (strategy) {
      case V1, V2 -> order <= 3;
      case AUTO, SORT, HASH -> true;
    };
  }

  @ParameterizedTest
  @MethodSource("byteOptions")
  void countsBytesAsAHashMapDoes(NgramOptions options) {
    Random random = new Random(options.order());
    try (CountNgrams<byte[]> counter = bytes(options)) {
      for (List<byte[]> batch : awkwardTexts(random)) {
        counter.clear();
        List<Result<Long>> results = counter.apply(batch);
        assertThat(results).hasSameSizeAs(batch);
        for (int i = 0; i < batch.size(); i++) {
          assertThat(results.get(i).orElseThrow())
              .isEqualTo(Math.max(0, batch.get(i).length - options.order() + 1));
        }
        assertSame(counter.counts(), naive(batch, options.order()));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("wordOptions")
  void countsWordsAsAHashMapDoes(NgramOptions options) {
    Random random = new Random(options.order());
    try (CountNgrams<int[]> counter = words(options)) {
      for (int vocabulary : new int[] {1, 3, 1000, 1 << 21, Integer.MAX_VALUE}) {
        counter.clear();
        for (int batch = 0; batch < 3; batch++) {
          List<int[]> sentences = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            sentences.add(random.ints(random.nextInt(12), 0, vocabulary).toArray());
          }
          List<Result<Long>> results = counter.apply(sentences);
          for (int i = 0; i < sentences.size(); i++) {
            assertThat(results.get(i).orElseThrow())
                .isEqualTo(Math.max(0, sentences.get(i).length - options.order() + 1));
          }
          if (batch == 0) {
            assertSameWords(counter.counts(), naiveWords(sentences, options.order()));
            counter.clear();
          }
        }
        assertThat(counter.counts().total()).isPositive();
      }
    }
  }

  @Test
  void addsBatchesUp() {
    Random random = new Random(7);
    for (int order : new int[] {1, 2, 3, 5, 8}) {
      List<byte[]> all = new ArrayList<>();
      try (CountNgrams<byte[]> counter = bytes(NgramOptions.of(NgramUnit.BYTES, order))) {
        for (int batch = 0; batch < 5; batch++) {
          List<byte[]> texts = List.of(text(random, 3000, 9), text(random, 10, 9));
          counter.apply(texts);
          all.addAll(texts);
          assertSame(counter.counts(), naive(all, order)); // looking does not change anything
        }
      }
    }
  }

  @Test
  void anEmptyBatchAddsNothing() {
    try (CountNgrams<byte[]> counter = bytes(NgramOptions.of(NgramUnit.BYTES, 3))) {
      assertThat(counter.apply(List.of())).isEmpty();
      assertThat(counter.counts().size()).isZero();
      assertThat(counter.apply(List.of(new byte[0], new byte[2])))
          .isEqualTo(List.of(Result.of(0L), Result.of(0L)));
      assertThat(counter.counts()).isEqualTo(NgramCounts.empty(NgramUnit.BYTES, 3));
    }
  }

  @Test
  void aBadRecordDoesNotDisturbItsNeighbours() {
    try (CountNgrams<int[]> counter = words(NgramOptions.of(NgramUnit.WORDS, 2))) {
      List<Result<Long>> results =
          counter.apply(List.of(new int[] {1, 2}, new int[] {3, -4, 5}, new int[] {1, 2, 1}));
      assertThat(results.get(0).orElseThrow()).isEqualTo(1);
      assertThatThrownBy(() -> results.get(1).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessage("word 1 of a record has the id -4; ids start at 0");
      assertThat(results.get(2).orElseThrow()).isEqualTo(2);
      NgramCounts counts = counter.counts();
      assertThat(counts.size()).isEqualTo(2);
      assertThat(counts.words(0)).containsExactly(1, 2);
      assertThat(counts.count(0)).isEqualTo(2);
      assertThat(counts.words(1)).containsExactly(2, 1);
    }
  }

  @Test
  void piecesThatOverlapCountAsOneText() {
    Random random = new Random(3);
    byte[] whole = text(random, 100_000, 30);
    for (int order : new int[] {1, 2, 3, 4, 6, 8}) {
      try (CountNgrams<byte[]> counter = bytes(NgramOptions.of(NgramUnit.BYTES, order))) {
        int at = 0;
        while (at < whole.length) {
          int end = Math.min(whole.length, at + 5000 + random.nextInt(5000));
          counter.apply(List.of(Arrays.copyOfRange(whole, Math.max(0, at - order + 1), end)));
          at = end;
        }
        assertSame(counter.counts(), naive(List.of(whole), order));
      }
    }
  }

  @Test
  void aSnapshotComesBackAndMerges() {
    Random random = new Random(4);
    for (int order : new int[] {1, 3, 8}) {
      NgramOptions options = NgramOptions.of(NgramUnit.BYTES, order);
      byte[] one = text(random, 5000, 200);
      byte[] two = text(random, 5000, 200);
      try (CountNgrams<byte[]> first = bytes(options);
          CountNgrams<byte[]> second = bytes(options)) {
        first.apply(List.of(one));
        second.add(NgramCounts.fromBytes(first.counts().toBytes()));
        second.apply(List.of(two));
        assertSame(second.counts(), naive(List.of(one, two), order));
        assertSame(first.counts(), naive(List.of(one), order));
        second.clear();
        assertThat(second.counts().size()).isZero();
        assertThatThrownBy(() -> second.add(NgramCounts.empty(NgramUnit.WORDS, 1)))
            .isInstanceOf(OperatorException.class);
      }
    }
  }

  @Test
  void countsPass32Bits() {
    for (int order : new int[] {1, 3, 5}) {
      NgramOptions options = NgramOptions.of(NgramUnit.BYTES, order);
      byte[] text = new byte[1000];
      Arrays.fill(text, (byte) 'a');
      try (CountNgrams<byte[]> counter = bytes(options)) {
        counter.apply(List.of(text));
        long expected = 1001L - order;
        while (expected < 1L << 33) {
          counter.add(counter.counts());
          expected *= 2;
        }
        counter.apply(List.of(text));
        expected += 1001L - order;
        assertThat(counter.counts().total()).isEqualTo(expected).isGreaterThan(1L << 33);
        assertThat(counter.counts().count(0)).isEqualTo(expected);
      }
    }
  }

  @Test
  void growsWithWhatItIsGiven() {
    // 3 million different n-grams, in batches that grow
    try (CountNgrams<byte[]> counter = bytes(NgramOptions.of(NgramUnit.BYTES, 8))) {
      long windows = 0;
      int seed = 0;
      List<byte[]> all = new ArrayList<>();
      for (int size : new int[] {1000, 100_000, 1_000_000, 2_000_000}) {
        byte[] text = new byte[size];
        new Random(seed++).nextBytes(text);
        all.add(text);
        counter.apply(List.of(text));
        windows += size - 7;
      }
      NgramCounts counts = counter.counts();
      assertThat(counts.total()).isEqualTo(windows);
      assertThat(counts.size()).isEqualTo((int) windows); // all of them differ
      for (byte[] text : all) {
        long key = 0;
        for (int i = 0; i < 8; i++) {
          key = (key << 8) | (text[100 + i] & 0xff);
        }
        assertThat(find(counts, key)).isNotNegative();
      }
    }
  }

  @Test
  void aClosedCounterHasNoCountsAndTakesNone() {
    CountNgrams<byte[]> counter = bytes(NgramOptions.of(NgramUnit.BYTES, 2));
    counter.apply(List.of(new byte[10]));
    NgramCounts counts = counter.counts();
    counter.close();
    List<ThrowingCallable> uses =
        List.of(counter::counts, () -> counter.add(counts), counter::clear);
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use).isInstanceOf(OperatorException.class).hasMessageContaining("closed");
    }
  }

  private static int find(NgramCounts counts, long key) {
    int low = 0;
    int high = counts.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int compared = Long.compareUnsigned(counts.byteKey(middle), key);
      if (compared == 0) {
        return middle;
      }
      if (compared < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  private static List<List<byte[]>> awkwardTexts(Random random) {
    byte[] same = new byte[5000];
    Arrays.fill(same, (byte) 0xff);
    byte[] all = new byte[3000];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    List<byte[]> many = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      many.add(text(random, random.nextInt(40), 5));
    }
    byte[] invalid = {'a', (byte) 0xc3, 0, (byte) 0xe2, (byte) 0x82, '\r', '\n', (byte) 0xff, 0, 0};
    return List.of(
        List.of(new byte[0]),
        List.of(new byte[] {'x'}),
        List.of("one\r\ntwo\r\n".getBytes(StandardCharsets.UTF_8)),
        List.of(invalid, invalid),
        List.of(same),
        List.of(new byte[3000]),
        List.of(all),
        List.of(text(random, 20_000, 3)),
        List.of(text(random, 20_000, 256)),
        many);
  }

  /** Uneven, as text is: low letters are frequent. */
  static byte[] text(Random random, int length, int letters) {
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      int letter = Math.min(random.nextInt(letters), random.nextInt(letters));
      text[i] = (byte) (letters > 150 ? letter : 'a' + letter);
    }
    return text;
  }

  private static Map<Long, Long> naive(List<byte[]> texts, int order) {
    Map<Long, Long> counts = new TreeMap<>(Long::compareUnsigned);
    for (byte[] text : texts) {
      for (int p = 0; p + order <= text.length; p++) {
        long key = 0;
        for (int i = 0; i < order; i++) {
          key = (key << 8) | (text[p + i] & 0xff);
        }
        counts.merge(key, 1L, Long::sum);
      }
    }
    return counts;
  }

  private static void assertSame(NgramCounts found, Map<Long, Long> expected) {
    Map<Long, Long> map = new TreeMap<>(Long::compareUnsigned);
    for (int i = 0; i < found.size(); i++) {
      map.put(found.byteKey(i), found.count(i));
    }
    assertThat(found.size()).isEqualTo(map.size());
    assertThat(map).isEqualTo(expected);
  }

  private static Map<List<Integer>, Long> naiveWords(List<int[]> sentences, int order) {
    Map<List<Integer>, Long> counts = new java.util.HashMap<>();
    for (int[] sentence : sentences) {
      for (int p = 0; p + order <= sentence.length; p++) {
        counts.merge(Arrays.stream(sentence, p, p + order).boxed().toList(), 1L, Long::sum);
      }
    }
    return counts;
  }

  private static void assertSameWords(NgramCounts found, Map<List<Integer>, Long> expected) {
    Map<List<Integer>, Long> map = new java.util.HashMap<>();
    for (int i = 0; i < found.size(); i++) {
      map.put(Arrays.stream(found.words(i)).boxed().toList(), found.count(i));
    }
    assertThat(found.size()).isEqualTo(map.size());
    assertThat(map).isEqualTo(expected);
  }
}
