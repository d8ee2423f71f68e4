package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Arena;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeContractTest;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In 32 bits the GPU does what every decoder does; skipped by name where there is no GPU. */
class DecodeGpuTest extends DecodeContractTest {
  private static final DecodeTuning TUNING = DecodeTuning.DEFAULT;

  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();

  @Override
  protected Decode open(Network model, DecodeOptions options) {
    return gpu.open(model, NmtPrecision.FLOAT32, options, TUNING);
  }

  @Override
  protected Decode openWithLittleMemory(Network model, DecodeOptions options) {
    return gpu.openFor(12, model, options);
  }

  private static List<int[]> sentences(Network model, Random random, int n, int longest) {
    List<int[]> batch = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      int[] ids = RandomModels.sentence(model.settings(), random, longest);
      batch.add(ids.length == 1 ? new int[] {2, 0} : ids);
    }
    return batch;
  }

  private static void assertSame(List<Result<Decoded>> found, List<Result<Decoded>> expected) {
    assertThat(found).hasSameSizeAs(expected);
    List<Hypothesis> f = GpuDecoders.best(found);
    List<Hypothesis> e = GpuDecoders.best(expected);
    for (int i = 0; i < e.size(); i++) {
      assertThat(f.get(i).ids()).isEqualTo(e.get(i).ids());
      assertThat(f.get(i).score()).isCloseTo(e.get(i).score(), within(1e-4));
    }
  }

  private static List<Result<Decoded>> oneByOne(Decode decode, List<int[]> batch) {
    List<Result<Decoded>> results = new ArrayList<>();
    batch.forEach(ids -> results.addAll(decode.decode(List.of(ids))));
    return results;
  }

  @ParameterizedTest
  @MethodSource("eachMemory")
  void manyThreadsShareSearchesAndEachGetsItsOwn(NetworkSettings settings) throws Exception {
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    GpuWeights resident = gpu.bring(someModel(settings), NmtPrecision.FLOAT32);
    DecodeGpu decode = gpu.open(resident, options, TUNING);
    eachOfManyThreadsGetsItsOwn(decode, sentences(someModel(settings), new Random(1), 400, 20));
    assertThat(decode.made()).isEqualTo(TUNING.searches());
  }

  /** Less memory than the second search would take. */
  @Test
  void whereMemoryIsShortAllCallsShareOneSearch() throws Exception {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    long usual = GpuSearch.bytes(resident, options, SearchCapacity.of(options, 1));
    DecodeGpu decode = gpu.open(resident, options, TUNING.withMemory(usual - 1));
    eachOfManyThreadsGetsItsOwn(decode, sentences(model, new Random(1), 400, 20));
    assertThat(decode.made()).isEqualTo(1);
  }

  /** The sentence needs what the idle searches keep. */
  @Test
  void searchesGiveWayToASentenceThatNeedsTheirMemory() throws Exception {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    DecodeGpu decode = gpu.open(resident, options, TUNING);
    eachOfManyThreadsGetsItsOwn(decode, sentences(model, new Random(1), 400, 20));
    long usual = GpuSearch.bytes(resident, options, SearchCapacity.of(options, 1));
    long kept = (decode.made() - 1) * usual;
    assertThat(kept).isPositive();
    int[] longest = sentenceThatNeeds(2 * usual, resident, options);
    long needed = GpuSearch.bytes(resident, options, SearchCapacity.alone(options, longest.length));
    try (Arena others = new Arena(resident.gpu(), "others", Long.MAX_VALUE)) {
      // with the first search's memory, which it gives up by itself, not quite enough is free
      others.allocate(resident.gpu().freeMemory() + usual - needed * 3 / 4);
      assertThat(decode.decode(List.of(longest)).get(0)).isInstanceOf(Result.Value.class);
    }
    assertThat(decode.made()).isEqualTo(1);
  }

  private static int[] sentenceThatNeeds(long bytes, GpuWeights model, DecodeOptions options) {
    int length = 128;
    while (GpuSearch.bytes(model, options, SearchCapacity.alone(options, length)) < bytes) {
      length += 128;
    }
    assertThat(length).isLessThanOrEqualTo(Decode.MAX_SOURCE);
    int[] sentence = new int[length];
    Arrays.fill(sentence, 0, length - 1, 2);
    return sentence;
  }

  /** The other searches are never idle by themselves. */
  @Test
  void searchesInUseGiveWayToASentenceThatNeedsTheirMemory() throws Exception {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    DecodeGpu decode = gpu.open(resident, options, TUNING);
    List<int[]> some = sentences(model, new Random(1), 400, 20);
    eachOfManyThreadsGetsItsOwn(decode, some);
    long usual = GpuSearch.bytes(resident, options, SearchCapacity.of(options, 1));
    assertThat(decode.made()).isGreaterThan(1);
    int[] longest = sentenceThatNeeds(2 * usual, resident, options);
    long needed = GpuSearch.bytes(resident, options, SearchCapacity.alone(options, longest.length));
    AtomicBoolean ended = new AtomicBoolean();
    int threads = 8;
    CountDownLatch busy = new CountDownLatch(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Arena others = new Arena(resident.gpu(), "others", Long.MAX_VALUE)) {
      others.allocate(resident.gpu().freeMemory() + usual - needed * 3 / 4);
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        running.add(
            pool.submit(
                () -> {
                  try {
                    while (!ended.get()) {
                      decode.decode(some).forEach(Result::orElseThrow);
                      busy.countDown();
                    }
                  } finally {
                    busy.countDown(); // one that fails is not waited for
                  }
                }));
      }
      busy.await();
      assertThat(decode.decode(List.of(longest)).get(0)).isInstanceOf(Result.Value.class);
      ended.set(true);
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      ended.set(true);
      pool.shutdown();
    }
  }

  /** A search for a longer sentence is as large as useful, though others are idle and large. */
  @Test
  void theFirstSearchGrowsIntoTheMemoryOfTheOthers() throws Exception {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    DecodeGpu decode = gpu.open(resident, options, TUNING);
    eachOfManyThreadsGetsItsOwn(decode, sentences(model, new Random(1), 400, 20));
    SearchCapacity wanted = SearchCapacity.of(options, 2 * SearchCapacity.USUAL_LONGEST);
    long usual = GpuSearch.bytes(resident, options, SearchCapacity.of(options, 1));
    long useful = GpuSearch.bytes(resident, options, wanted);
    int[] longer = new int[2 * SearchCapacity.USUAL_LONGEST];
    Arrays.fill(longer, 0, longer.length - 1, 2);
    assertThat(decode.made()).isGreaterThan(1);
    try (Arena others = new Arena(resident.gpu(), "others", Long.MAX_VALUE)) {
      // half of what is free is enough only with the memory of the other searches
      long free = 2 * useful - usual * 3 / 2;
      others.allocate(resident.gpu().freeMemory() - free);
      assertThat(decode.decode(List.of(longer)).get(0)).isInstanceOf(Result.Value.class);
      assertThat(decode.capacity()).isEqualTo(wanted);
    }
  }

  private static void eachOfManyThreadsGetsItsOwn(Decode decode, List<int[]> sentences)
      throws Exception {
    List<Result<Decoded>> alone = oneByOne(decode, sentences);
    int threads = 8;
    CountDownLatch begin = new CountDownLatch(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Random random = new Random(thread);
        running.add(
            pool.submit(
                () -> {
                  begin.countDown();
                  begin.await();
                  for (int round = 0; round < 20; round++) {
                    int from = random.nextInt(sentences.size());
                    int to = from + random.nextInt(sentences.size() - from + 1);
                    assertSame(decode.decode(sentences.subList(from, to)), alone.subList(from, to));
                  }
                  return null;
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @ParameterizedTest
  @MethodSource("eachMemory")
  void graphsAndStepsAheadChangeNothing(NetworkSettings settings) {
    Network model = someModel(settings);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    DecodeOptions options = DecodeOptions.beam(5).withNBest(3);
    List<int[]> batch = sentences(model, new Random(2), 300, 15);
    List<Result<Decoded>> expected = gpu.open(resident, options, TUNING).decode(batch);
    for (int ahead : new int[] {1, 2, 7}) {
      for (boolean graphs : new boolean[] {true, false}) {
        DecodeTuning tuning = new DecodeTuning(graphs, ahead, Long.MAX_VALUE, 1);
        assertSame(gpu.open(resident, options, tuning).decode(batch), expected);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachMemory")
  void aLongSentenceMakesTheSearchLarger(NetworkSettings settings) {
    Network model = someModel(settings);
    Decode decode = open(model, DecodeOptions.beam(3).withMaxLengthFactor(0.02f));
    Random random = new Random(3);
    List<int[]> batch = sentences(model, random, 20, 12);
    for (int length : new int[] {128, 129, 1000, Decode.MAX_SOURCE}) {
      int[] ids = new int[length];
      Arrays.setAll(
          ids, i -> i == length - 1 ? 0 : 1 + random.nextInt(settings.sourceVocabulary() - 1));
      batch.add(batch.size() / 2, ids);
    }
    assertSame(decode.decode(batch), oneByOne(decode, batch));
    try (Decode cpu = new DecodeCpu(model, DecodeOptions.beam(3).withMaxLengthFactor(0.02f))) {
      List<Hypothesis> found = GpuDecoders.best(decode.decode(batch));
      List<Hypothesis> expected = GpuDecoders.best(cpu.decode(batch));
      for (int i = 0; i < batch.size(); i++) {
        assertThat(found.get(i).score()).isCloseTo(expected.get(i).score(), within(1e-3));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachMemory")
  void aSentenceThatDoesNotFitTheDeviceFailsAlone(NetworkSettings settings) {
    Network model = someModel(settings);
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    Decode decode = gpu.openFor(12, model, options);
    List<int[]> batch = sentences(model, new Random(4), 6, 12);
    int[] tooLong = new int[3000];
    Arrays.fill(tooLong, 0, tooLong.length - 1, 2);
    batch.add(3, tooLong);
    List<Result<Decoded>> results = decode.decode(batch);
    for (int i = 0; i < batch.size(); i++) {
      Result<Decoded> result = results.get(i);
      if (i == 3) {
        assertThatThrownBy(result::orElseThrow)
            .isInstanceOf(RecordException.class)
            .hasMessageContaining("3000 tokens")
            .hasMessageContaining("memory of gpu:");
      } else {
        assertThat(result.orElseThrow().best().ids()).isNotEmpty();
      }
    }
    assertThat(decode.decode(batch.subList(0, 1)).get(0)).isInstanceOf(Result.Value.class);
  }

  /** More than the library counts, in a batch whose other sentences take little memory. */
  @Test
  void aSentenceOfTooMuchAttentionFailsAlone() {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(64).withAlignment(true).withMaxLengthFactor(17);
    Decode decode = open(model, options);
    int[] tooLong = new int[Decode.MAX_SOURCE];
    Arrays.fill(tooLong, 0, tooLong.length - 1, 2);
    int[] small = {2, 3, 0};
    List<Result<Decoded>> results = decode.decode(List.of(small, tooLong, small));
    assertThatThrownBy(results.get(1)::orElseThrow)
        .isInstanceOf(RecordException.class)
        .hasMessageContaining("4096 tokens")
        .hasMessageContaining("attention weights");
    for (int i : new int[] {0, 2}) {
      assertThat(results.get(i).orElseThrow().best().attention()[0]).hasSize(small.length);
    }
  }

  @ParameterizedTest
  @MethodSource("eachMemory")
  void aBatchOfMoreSentencesThanTheSearchHolds(NetworkSettings settings) {
    Network model = someModel(settings);
    Decode decode = open(model, DecodeOptions.beam(8));
    List<int[]> some = sentences(model, new Random(5), 1000, 12);
    List<int[]> batch = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      batch.addAll(some);
    }
    List<Result<Decoded>> results = decode.decode(batch);
    List<Result<Decoded>> first = results.subList(0, 1000);
    for (int i = 1; i < 7; i++) {
      assertSame(results.subList(1000 * i, 1000 * (i + 1)), first);
    }
  }

  /** More than can be read back. */
  @Test
  void aSentenceOfTooLargeAResultFailsAlone() {
    Network model = someModel(eachNetwork().iterator().next());
    Decode decode = open(model, DecodeOptions.beam(64).withNBest(64).withAlignment(true));
    int[] tooLong = new int[2000];
    Arrays.fill(tooLong, 0, tooLong.length - 1, 2);
    int[] small = {2, 3, 0};
    List<Result<Decoded>> results = decode.decode(List.of(small, tooLong));
    assertThatThrownBy(results.get(1)::orElseThrow)
        .isInstanceOf(RecordException.class)
        .hasMessageContaining("2000 tokens")
        .hasMessageContaining("64 translations");
    assertThat(results.get(0).orElseThrow().nBest()).isNotEmpty();
  }

  @Test
  void aSearchThatWasMadeSmallGrowsWhenMemoryIsFree() {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(5).withAlignment(true).withMaxLengthFactor(100);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    DecodeGpu decode = gpu.open(resident, options, TUNING);
    List<int[]> batch = List.of(new int[] {2, 3, 0}, new int[] {4, 0});
    SearchCapacity full = SearchCapacity.of(options, 3);
    long bytes = GpuSearch.bytes(resident, options, full);
    List<Result<Decoded>> expected;
    try (Arena others = new Arena(resident.gpu(), "others", Long.MAX_VALUE)) {
      others.allocate(resident.gpu().freeMemory() - bytes * 3 / 2);
      expected = decode.decode(batch);
      assertThat(decode.capacity().sentences()).isLessThan(full.sentences());
    }
    assertSame(decode.decode(batch), expected);
    assertThat(decode.capacity()).isEqualTo(full);
  }

  /** A search for one long sentence is not what the short ones after it must share. */
  @Test
  void aSearchForALongSentenceAloneDoesNotStay() {
    Network model = someModel(eachNetwork().iterator().next());
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    long memory = GpuSearch.bytes(resident, options, SearchCapacity.alone(options, 700));
    DecodeGpu decode = gpu.open(resident, options, TUNING.withMemory(memory + 256));
    int[] longest = new int[700];
    Arrays.fill(longest, 0, longest.length - 1, 2);
    assertThat(decode.decode(List.of(longest)).get(0)).isInstanceOf(Result.Value.class);
    assertThat(decode.capacity()).isEqualTo(SearchCapacity.alone(options, 700));
    assertThat(decode.decode(List.of(new int[] {2, 0})).get(0)).isInstanceOf(Result.Value.class);
    assertThat(decode.capacity().sentences()).isGreaterThan(1);
  }

  /** So many tokens at once that they join in two groups with no step between. */
  @ParameterizedTest
  @MethodSource("eachMemory")
  void whoJoinsInTheNextGroupChangesNothing(NetworkSettings settings) {
    Network model = someModel(settings);
    DecodeOptions options = DecodeOptions.beam(8);
    SearchCapacity capacity = SearchCapacity.of(options, 1);
    int length = capacity.joinTokens() / capacity.joinSentences() * 3 / 2;
    List<int[]> batch = new ArrayList<>();
    Random random = new Random(6);
    for (int i = 0; i < capacity.joinSentences(); i++) {
      int[] ids = new int[length];
      Arrays.setAll(
          ids, t -> t == length - 1 ? 0 : 1 + random.nextInt(settings.sourceVocabulary() - 1));
      batch.add(ids);
    }
    assertThat(batch.size() * length).isBetween(capacity.joinTokens() + 1, capacity.tokens());
    Decode decode = open(model, options);
    List<Result<Decoded>> expected = new ArrayList<>();
    for (int from = 0; from < batch.size(); from += 64) {
      expected.addAll(decode.decode(batch.subList(from, from + 64)));
    }
    assertSame(decode.decode(batch), expected);
  }

  @Test
  void aClosedModelIsRefused() {
    Network model = someModel(eachNetwork().iterator().next());
    GpuWeights resident = gpu.bring(model, NmtPrecision.FLOAT32);
    Decode decode = gpu.open(resident, DecodeOptions.greedy(), TUNING);
    resident.close();
    assertThatThrownBy(() -> decode.decode(List.of(new int[] {2, 0})))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("closed");
  }
}
