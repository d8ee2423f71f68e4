package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.testing.TestDevices;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory, streams, events and graphs of a real GPU; skipped by name where there is none. */
class GpuTest {
  private static final int SIZE = 1 << 20;

  private Gpu gpu;
  private Map<String, Integer> before;

  @BeforeEach
  void open() {
    gpu = TestDevices.openGpu();
    before = gpu.openResources();
  }

  @AfterEach
  void leavesNothingOpen() {
    if (gpu != null) {
      assertThat(gpu.openResources()).isEqualTo(before);
    }
  }

  @Test
  void isOneForItsDevice() {
    assertThat(Gpu.open(Device.gpu(gpu.index()))).isSameAs(gpu);
    assertThat(gpu.totalMemory()).isGreaterThan(1L << 30);
    assertThat(gpu.freeMemory()).isBetween(1L, gpu.totalMemory());
    assertThatThrownBy(() -> Gpu.open(Device.CPU)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bringsBytesInAndOut() {
    try (Arena arena = new Arena(gpu, "test");
        Stream stream = new Stream(gpu, "test");
        PinnedBuffer in = new PinnedBuffer(gpu, "test", SIZE);
        PinnedBuffer out = new PinnedBuffer(gpu, "test", SIZE)) {
      byte[] bytes = new byte[SIZE];
      new Random(1).nextBytes(bytes);
      in.bytes().put(bytes);
      DeviceBuffer one = arena.allocate(SIZE);
      DeviceBuffer two = arena.allocate(SIZE);
      stream.copyIn(in, 0, SIZE, one);
      stream.copy(one, two, SIZE);
      stream.fill(one, 0x5a);
      stream.copyOut(two, SIZE, out, 0);
      stream.copyOut(one.slice(7, 3), 3, out, 11);
      stream.synchronize();
      bytes[11] = 0x5a;
      bytes[12] = 0x5a;
      bytes[13] = 0x5a;
      assertThat(out.bytes()).isEqualTo(ByteBuffer.wrap(bytes));
      stream.copyIn(in, SIZE - 4, 4, two);
      stream.copyOut(two, 4, out, 0);
      stream.synchronize();
      assertThat(out.bytes().getInt()).isEqualTo(in.bytes().getInt(SIZE - 4));
    }
  }

  @Test
  void refusesWhatLiesOutsideOfABuffer() {
    try (Arena arena = new Arena(gpu, "test");
        Stream stream = new Stream(gpu, "test");
        PinnedBuffer host = new PinnedBuffer(gpu, "test", 100)) {
      DeviceBuffer buffer = arena.allocate(50);
      assertThatThrownBy(() -> buffer.slice(48, 3)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.copyIn(host, 0, 51, buffer))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.copyOut(buffer, 50, host, 51))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> arena.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void anArenaGrowsIsResetAndKeepsItsMemory() {
    try (Arena arena = new Arena(gpu, "test")) {
      DeviceBuffer first = arena.allocate(10);
      DeviceBuffer second = arena.allocate(10);
      assertThat(first.address() % Arena.ALIGNMENT).isZero();
      assertThat(second.address()).isGreaterThanOrEqualTo(first.address() + Arena.ALIGNMENT);
      arena.allocate(100 << 20);
      long capacity = arena.capacity();
      for (int batch = 0; batch < 100; batch++) {
        arena.reset();
        arena.allocate(10);
        arena.allocate(100 << 20);
      }
      assertThat(arena.capacity()).isEqualTo(capacity);
      assertThatThrownBy(first::address)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("test")
          .hasMessageContaining("reset");
    }
  }

  @Test
  void anArenaForAnIndexTakesWhatItsBuffersNeed() {
    long[] sizes = {10, 100 << 20, 0, 3 << 20};
    try (Arena arena = Arena.exact(gpu, "test", sizes)) {
      assertThat(arena.capacity()).isEqualTo(256 + (100 << 20) + 256 + (3 << 20));
      for (long size : sizes) {
        assertThat(arena.allocate(size).bytes()).isEqualTo(size);
      }
      assertThatThrownBy(() -> arena.allocate(0)).isInstanceOf(DeviceMemoryException.class);
      arena.reset();
      arena.allocate(sizes[1]);
      assertThat(arena.capacity()).isEqualTo(256 + (100 << 20) + 256 + (3 << 20));
    }
    assertThatThrownBy(() -> Arena.exactWithin(gpu, "small", 1000, 1, 1, 1, 1))
        .isInstanceOf(DeviceMemoryException.class)
        .hasMessageContaining("small: 1024 more bytes");
    assertThatThrownBy(() -> Arena.exact(gpu, "greedy", 1L << 50))
        .isInstanceOf(DeviceMemoryException.class)
        .hasMessageContaining("greedy");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 3", "7, 1", "7, 3", "3, 100"})
  void ringsBringAllBytesInAndOut(int slots, int threads) {
    int size = 1_000_000;
    byte[] bytes = new byte[size];
    new Random(slots).nextBytes(bytes);
    Team team = new Team(threads);
    try (Arena arena = new Arena(gpu, "test");
        UploadRing up = new UploadRing(gpu, "test", team, slots, 3 * 4096, 4096);
        ReadBackRing back = new ReadBackRing(gpu, "test", team, slots, 4096);
        Stream stream = new Stream(gpu, "test");
        Event arrived = new Event(gpu, "test")) {
      DeviceBuffer first = arena.allocate(size);
      DeviceBuffer second = arena.allocate(size);
      for (int round = 0; round < 3; round++) {
        BitSet copies = new BitSet();
        up.upload(
            size,
            first,
            (at, to) -> to.put(bytes, (int) at, to.remaining()),
            copy -> {
              synchronized (copies) {
                copies.set(copy);
              }
            });
        assertThat(copies.cardinality()).isEqualTo(up.copies(size));
        up.upload(ByteBuffer.wrap(bytes), second);
        up.stream().record(arrived);
        stream.waitFor(arrived);
        byte[] found = new byte[2 * size - 1];
        back.read(
            stream,
            List.of(
                new ReadBackRing.Part(
                    first, size, (at, from) -> from.get(found, (int) at, from.remaining())),
                new ReadBackRing.Part(first, 0, (at, from) -> fail("there is nothing to read")),
                new ReadBackRing.Part(
                    second,
                    size - 1,
                    (at, from) -> from.get(found, size + (int) at, from.remaining()))));
        assertThat(Arrays.copyOf(found, size)).isEqualTo(bytes);
        assertThat(Arrays.copyOfRange(found, size, found.length))
            .isEqualTo(Arrays.copyOf(bytes, size - 1));
        int[] ints = new int[size / 4];
        long[] longs = new long[size / 8];
        back.read(
            stream,
            List.of(ReadBackRing.Part.of(first, ints), ReadBackRing.Part.of(second, longs)));
        ByteBuffer whole = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(IntBuffer.wrap(ints)).isEqualTo(whole.asIntBuffer());
        assertThat(LongBuffer.wrap(longs)).isEqualTo(whole.asLongBuffer());
        up.upload(whole.asIntBuffer(), first);
        up.upload(whole.asIntBuffer().slice(1, 7), first);
        up.upload(whole.asFloatBuffer(), second);
      }
    }
  }

  @Test
  void ringsGoOnAfterAFailure() {
    Team team = new Team(3);
    try (Arena arena = new Arena(gpu, "test");
        UploadRing up = new UploadRing(gpu, "test", team, 2, 4096, 1024);
        ReadBackRing back = new ReadBackRing(gpu, "test", team, 2, 4096);
        Stream stream = new Stream(gpu, "test")) {
      DeviceBuffer buffer = arena.allocate(100_000);
      UploadRing.Source broken =
          (at, to) -> {
            if (at > 50_000) {
              throw new IllegalStateException("no more");
            }
          };
      assertThatThrownBy(() -> up.upload(100_000, buffer, broken, copy -> {}))
          .hasMessage("no more");
      ReadBackRing.Sink full =
          (at, from) -> {
            throw new IllegalStateException("full");
          };
      assertThatThrownBy(
              () -> back.read(stream, List.of(new ReadBackRing.Part(buffer, 100_000, full))))
          .hasMessage("full");
      int[] ones = new int[25_000];
      Arrays.fill(ones, 1);
      up.upload(IntBuffer.wrap(ones), buffer);
      up.stream().synchronize();
      int[] found = new int[ones.length];
      back.read(stream, List.of(ReadBackRing.Part.of(buffer, found)));
      assertThat(found).isEqualTo(ones);
    }
  }

  @Test
  void saysWhenMemoryIsOut() {
    try (Arena small = new Arena(gpu, "small", 1 << 20)) {
      small.allocate(1 << 19);
      assertThatThrownBy(() -> small.allocate(1 << 20))
          .isInstanceOf(DeviceMemoryException.class)
          .hasMessageContaining("small");
      small.allocate(1 << 19); // what fits still fits
    }
    try (Arena arena = new Arena(gpu, "greedy")) {
      assertThatThrownBy(() -> arena.allocate(1L << 50))
          .isInstanceOf(DeviceMemoryException.class)
          .hasMessageContaining("greedy")
          .hasMessageContaining("cuMemAlloc")
          .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY");
      arena.allocate(1000); // and the device is as well as before
    }
  }

  @Test
  void eventsOrderStreamsAndTellTime() {
    try (Arena arena = new Arena(gpu, "test");
        Stream writer = new Stream(gpu, "test");
        Stream reader = new Stream(gpu, "test");
        Event start = Event.timed(gpu, "test");
        Event written = Event.timed(gpu, "test");
        PinnedBuffer host = new PinnedBuffer(gpu, "test", 4)) {
      DeviceBuffer buffer = arena.allocate(1L << 28);
      for (int round = 1; round <= 20; round++) {
        writer.record(start);
        writer.fill(buffer, round);
        writer.record(written);
        reader.waitFor(written);
        reader.copyOut(buffer.slice((1L << 28) - 4, 4), 4, host, 0);
        reader.synchronize();
        assertThat(host.bytes().get(3)).isEqualTo((byte) round);
      }
      assertThat(written.isReached()).isTrue();
      written.await();
      assertThat(written.millisecondsSince(start)).isPositive();
    }
  }

  @Test
  void aGraphDoesWhatWasCapturedEachTimeItIsLaunched() {
    try (Arena arena = new Arena(gpu, "test");
        Stream stream = new Stream(gpu, "test");
        PinnedBuffer in = new PinnedBuffer(gpu, "test", SIZE);
        PinnedBuffer out = new PinnedBuffer(gpu, "test", SIZE)) {
      DeviceBuffer buffer = arena.allocate(SIZE);
      try (Graph graph =
          stream.capture(
              () -> {
                stream.copyIn(in, 0, SIZE, buffer);
                stream.copyOut(buffer, SIZE, out, 0);
              })) {
        for (int round = 1; round <= 3; round++) {
          in.bytes().put(SIZE - 1, (byte) round);
          graph.launch(stream);
          stream.synchronize();
          assertThat(out.bytes().get(SIZE - 1)).isEqualTo((byte) round);
        }
      }
      assertThatThrownBy(
              () ->
                  stream.capture(
                      () -> {
                        throw new IllegalStateException("not captured");
                      }))
          .hasMessage("not captured");
      stream.synchronize(); // and the stream is as well as before
    }
  }

  @Test
  void copiesRunBesideKernels() {
    assumeFalse(Boolean.getBoolean(Gpu.DEBUG), "debugging waits after every call");
    try (Arena arena = new Arena(gpu, "test");
        Stream work = new Stream(gpu, "test");
        Stream copies = new Stream(gpu, "test");
        Event worked = new Event(gpu, "test");
        PinnedBuffer host = new PinnedBuffer(gpu, "test", SIZE)) {
      DeviceBuffer large = arena.allocate(1L << 30);
      DeviceBuffer small = arena.allocate(SIZE);
      for (int i = 0; i < 200; i++) {
        work.fill(large, i);
      }
      work.record(worked);
      copies.copyIn(host, 0, SIZE, small);
      copies.synchronize();
      assertThat(worked.isReached()).as("200 GiB were written before 1 MiB was copied").isFalse();
      work.synchronize();
    }
  }

  @Test
  void errorsNameCallErrorAndOperator() {
    assertThatThrownBy(() -> gpu.call("ngrams", "lat_ngram_v1", 0L, 10L, 0L, 9, 0L, 0L))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("ngrams: lat_ngram_v1 failed on gpu:" + gpu.index())
        .hasMessageContaining("LAT_BAD_ARGUMENT");
  }

  @Test
  void closingTwiceIsSafe() {
    PinnedBuffer host = new PinnedBuffer(gpu, "test", 10);
    host.close();
    host.close();
    assertThatThrownBy(host::bytes).isInstanceOf(IllegalStateException.class);
    Stream stream = new Stream(gpu, "test");
    stream.close();
    stream.close();
    assertThatThrownBy(stream::handle).isInstanceOf(IllegalStateException.class);
    Arena arena = new Arena(gpu, "test");
    arena.allocate(1);
    arena.close();
    arena.close();
    assertThatThrownBy(() -> arena.allocate(1)).isInstanceOf(IllegalStateException.class);
    Event event = new Event(gpu, "test");
    event.close();
    event.close();
    assertThatThrownBy(event::isReached).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void countsWhatIsOpen() {
    Arena arena = new Arena(gpu, "leaky");
    Stream stream = new Stream(gpu, "leaky");
    assertThat(gpu.openResources())
        .containsEntry("Arena of leaky", 1)
        .containsEntry("Stream of leaky", 1);
    stream.close();
    arena.close();
    assertThat(gpu.openResources()).isEqualTo(before);
  }

  @Test
  void refusesSizesThatCannotBeRoundedUp() {
    try (Arena arena = new Arena(gpu, "test")) {
      assertThatThrownBy(() -> arena.allocate(Long.MAX_VALUE))
          .isInstanceOf(DeviceMemoryException.class)
          .hasMessageContaining("test: " + Long.MAX_VALUE + " more bytes");
      assertThat(arena.capacity()).isZero();
    }
  }

  @Test
  void aBatchBeyondAnArenasLimitIsSplit() {
    List<Result<Long>> results = fillAll(1 << 20, List.of(600_000L, 600_000L, 2_000_000L, 10L));
    assertThat(results.get(0)).isEqualTo(Result.of(600_000L));
    assertThat(results.get(1)).isEqualTo(Result.of(600_000L));
    assertThatThrownBy(results.get(2)::orElseThrow)
        .isInstanceOf(RecordException.class)
        .hasMessage("2000000 bytes do not fit");
    assertThat(results.get(3)).isEqualTo(Result.of(10L));
  }

  /** Two of these fit the device together, three do not, and the last not even alone. */
  @Test
  void aBatchBeyondTheDevicesMemoryIsSplit() {
    long much = gpu.freeMemory() / 5 * 2;
    List<Result<Long>> results =
        fillAll(Long.MAX_VALUE, List.of(much, much, much, 1L << 50, 1000L));
    assertThat(results.subList(0, 3)).containsOnly(Result.of(much));
    assertThatThrownBy(results.get(3)::orElseThrow)
        .isInstanceOf(RecordException.class)
        .hasRootCauseInstanceOf(DeviceMemoryException.class);
    assertThat(results.get(4)).isEqualTo(Result.of(1000L));
    assertThat(gpu.isLost()).isFalse();
  }

  /** Fills a buffer for each record and returns its size, if its last byte comes back. */
  private List<Result<Long>> fillAll(long limit, List<Long> sizes) {
    try (Arena arena = new Arena(gpu, "test", limit);
        Stream stream = new Stream(gpu, "test");
        PinnedBuffer out = new PinnedBuffer(gpu, "test", 1)) {
      return SplitRetry.apply(
          sizes,
          part -> {
            arena.reset();
            List<DeviceBuffer> buffers = new ArrayList<>();
            for (long size : part) {
              buffers.add(arena.allocate(size));
            }
            List<Result<Long>> results = new ArrayList<>();
            for (DeviceBuffer buffer : buffers) {
              stream.fill(buffer, 1);
            }
            for (DeviceBuffer buffer : buffers) {
              stream.copyOut(buffer.slice(buffer.bytes() - 1, 1), 1, out, 0);
              stream.synchronize();
              assertThat(out.bytes().get()).isEqualTo((byte) 1);
              results.add(Result.of(buffer.bytes()));
            }
            return results;
          },
          stream::synchronize,
          (size, e) -> new RecordException(size + " bytes do not fit", e));
    }
  }

  /** CUDA's current device is a thread's own: each thread uses all devices in turn. */
  @Test
  void anyThreadUsesAnyGpu() throws Exception {
    List<Gpu> gpus =
        Devices.report().gpus().stream()
            .filter(gpu -> gpu.problem().isEmpty())
            .map(gpu -> Gpu.open(Device.gpu(gpu.index())))
            .toList();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int value = thread + 1;
        running.add(threads.submit(() -> gpus.forEach(each -> fillAndCompare(each, value))));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private static void fillAndCompare(Gpu gpu, int value) {
    try (Arena arena = new Arena(gpu, "test");
        Stream stream = new Stream(gpu, "test");
        PinnedBuffer out = new PinnedBuffer(gpu, "test", SIZE)) {
      for (int round = 0; round < 10; round++) {
        arena.reset();
        DeviceBuffer buffer = arena.allocate(SIZE);
        stream.fill(buffer, value + round);
        stream.copyOut(buffer, SIZE, out, 0);
        stream.synchronize();
        assertThat(out.bytes().get(SIZE - 1)).isEqualTo((byte) (value + round));
      }
    }
  }

  @Test
  void whatIsCapturedIsNotDoneBeforeItIsLaunched() {
    try (Arena arena = new Arena(gpu, "test");
        Stream stream = new Stream(gpu, "test");
        PinnedBuffer out = new PinnedBuffer(gpu, "test", 1)) {
      DeviceBuffer buffer = arena.allocate(1);
      stream.fill(buffer, 1);
      try (Graph graph = stream.capture(() -> stream.fill(buffer, 2))) {
        stream.copyOut(buffer, 1, out, 0);
        stream.synchronize();
        assertThat(out.bytes().get()).isEqualTo((byte) 1);
        graph.launch(stream);
        stream.copyOut(buffer, 1, out, 0);
        stream.synchronize();
        assertThat(out.bytes().get()).isEqualTo((byte) 2);
      }
    }
  }
}
