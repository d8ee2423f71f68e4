package io.latimer.operators.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.testing.TestKind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResidentIndexesTest {
  @TempDir Path folder;
  private final ResidentIndexes indexes = new ResidentIndexes();
  private final AtomicInteger loads = new AtomicInteger();
  private final AtomicInteger alive = new AtomicInteger();

  /** What is loaded in these tests: the first byte of the index. */
  private final class Loaded implements AutoCloseable {
    private final byte first;
    private volatile boolean closed;

    Loaded(IndexFile file, Device device) {
      assertThat(device).isEqualTo(Device.CPU);
      first = file.section("data").get(0);
      loads.incrementAndGet();
      assertThat(alive.incrementAndGet()).isEqualTo(1);
    }

    @Override
    public void close() {
      assertThat(closed).isFalse();
      closed = true;
      alive.decrementAndGet();
    }
  }

  private Path index(String name, int content) {
    Path path = folder.resolve(name);
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(1), "v1")) {
      writer.add("data", new byte[] {(byte) content});
      writer.commit();
    }
    return path;
  }

  private Lease<Loaded> acquire(IndexRef ref) {
    return indexes.acquire(ref, Device.CPU, Loaded.class, Loaded::new);
  }

  @Test
  void refersToAFileByItsSha256() throws IOException {
    IndexRef ref = IndexRefs.of(index("a b.lmx", 1));
    assertThat(ref.kind()).isEqualTo("translation-model");
    assertThat(ref.version()).isEqualTo("v1");
    assertThat(ref.uri().toString()).startsWith("file:///").endsWith("/a%20b.lmx");
    assertThat(IndexRefs.path(ref)).isEqualTo(folder.resolve("a b.lmx").toAbsolutePath());
    IndexRef remote = new IndexRef(ref.kind(), URI.create("s3://x/y"), ref.sha256(), "");
    assertThatThrownBy(() -> acquire(remote)).hasMessageContaining("expected a file: URI");
  }

  @Test
  void sharesOneCopyUntilTheLastLeaseIsClosed() throws IOException {
    IndexRef ref = IndexRefs.of(index("a.lmx", 7));
    Files.copy(folder.resolve("a.lmx"), folder.resolve("copy.lmx"));
    Lease<Loaded> first = acquire(ref);
    Lease<Loaded> second = acquire(IndexRefs.of(folder.resolve("copy.lmx")));
    Loaded loaded = first.get();
    assertThat(loaded.first).isEqualTo((byte) 7);
    assertThat(second.get()).isSameAs(loaded);
    first.close();
    first.close();
    assertThat(loaded.closed).isFalse();
    assertThatThrownBy(first::get).isInstanceOf(IllegalStateException.class);
    second.close();
    assertThat(loaded.closed).isTrue();
    assertThat(indexes.size()).isZero();
    try (Lease<Loaded> again = acquire(ref)) {
      assertThat(again.get()).isNotSameAs(loaded);
    }
    assertThat(loads).hasValue(2);
  }

  /** What is made of a loaded index. */
  private static final class Made implements AutoCloseable {
    private final Loaded base;
    private boolean closed;

    Made(Loaded base) {
      this.base = base;
    }

    @Override
    public void close() {
      assertThat(base.closed).isFalse();
      closed = true;
    }
  }

  private Lease<Made> derive(IndexRef ref, String form, Function<Loaded, Made> make) {
    return indexes.derive(ref, Device.CPU, Made.class, form, () -> acquire(ref), make);
  }

  @Test
  void sharesWhatIsMadeOfALoadedIndexWithoutReadingItsFile() throws IOException {
    Path path = index("a.lmx", 7);
    IndexRef ref = IndexRefs.of(path);
    Lease<Loaded> base = acquire(ref);
    Files.delete(path);
    Lease<Made> first = derive(ref, "x", Made::new);
    Lease<Made> second = derive(ref, "x", Made::new);
    Lease<Made> other = derive(ref, "y", Made::new);
    Made made = first.get();
    assertThat(made.base).isSameAs(base.get());
    assertThat(second.get()).isSameAs(made);
    assertThat(other.get()).isNotSameAs(made);
    assertThat(indexes.size()).isEqualTo(3);
    assertThat(indexes.version(ref)).isEqualTo("v1");
    base.close();
    first.close();
    assertThat(made.closed).isFalse();
    second.close();
    assertThat(made.closed).isTrue();
    assertThat(made.base.closed).isFalse();
    assertThat(indexes.size()).isEqualTo(2);
    other.close();
    assertThat(made.base.closed).isTrue();
    assertThat(indexes.size()).isZero();
    assertThat(loads).hasValue(1);
  }

  @Test
  void loadsTheIndexThatSomethingIsMadeOf() {
    IndexRef ref = IndexRefs.of(index("a.lmx", 7));
    try (Lease<Made> made = derive(ref, "x", Made::new)) {
      assertThat(made.get().base.first).isEqualTo((byte) 7);
      assertThat(indexes.version(ref)).isEqualTo("v1");
    }
    assertThat(indexes.size()).isZero();
    assertThat(alive).hasValue(0);
  }

  @Test
  void keepsNothingOfWhatCannotBeMade() {
    IndexRef ref = IndexRefs.of(index("a.lmx", 7));
    assertThatThrownBy(
            () ->
                derive(
                    ref,
                    "x",
                    base -> {
                      throw new OperatorException("too large");
                    }))
        .hasMessage("too large");
    assertThat(indexes.size()).isZero();
    assertThat(alive).hasValue(0);
    try (Lease<Made> made = derive(ref, "x", Made::new)) {
      assertThat(made.get().closed).isFalse();
    }
  }

  @Test
  void refusesAnotherFileUnderTheSameReference() throws IOException {
    Path path = index("a.lmx", 1);
    IndexRef ref = IndexRefs.of(path);
    Files.move(index("b.lmx", 2), path, StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> acquire(ref))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(path + " is not the file that was referred to")
        .hasMessageContaining("expected SHA-256 " + ref.sha256())
        .hasMessageContaining("found " + IndexRefs.of(path).sha256());
    IndexRef kind = new IndexRef("phrases", ref.uri(), IndexRefs.of(path).sha256(), "");
    assertThatThrownBy(() -> acquire(kind))
        .hasMessageContaining("expected an index of kind phrases");
    Files.delete(path);
    assertThatThrownBy(() -> acquire(ref)).isInstanceOf(NotAnIndexException.class);
    assertThat(indexes.size()).isZero();
    assertThat(loads).hasValue(0);
  }

  @Test
  void refusesADamagedFileByItsSection() throws IOException {
    Path path = index("a.lmx", 1);
    IndexRef ref = IndexRefs.of(path);
    byte[] sound = Files.readAllBytes(path);
    byte[] damaged = sound.clone();
    damaged[256] ^= 4; // the one byte of the section
    Files.write(path, damaged);
    assertThatThrownBy(() -> IndexRefs.of(path))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining(path + " is corrupt: section data, 1 bytes from offset 256");
    assertThatThrownBy(() -> acquire(ref))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining(path + " is corrupt: section data");
    byte[] padded = sound.clone();
    padded[257] = 1;
    Files.write(path, padded);
    assertThatThrownBy(() -> IndexRefs.of(path))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining("offset 257");
    assertThat(loads).hasValue(0);
    assertThat(indexes.size()).isZero();
    Files.write(path, sound);
    assertThat(IndexRefs.of(path)).isEqualTo(ref);
  }

  @Test
  void theSha256IsThatOfTheWholeFile() throws Exception {
    Path path = folder.resolve("many.lmx");
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(1), "")) {
      writer.add("empty", new byte[0]);
      writer.add("odd", new byte[] {1, 2, 3});
      writer.add("even", new byte[256]);
      writer.commit();
    }
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(path));
    assertThat(IndexRefs.of(path).sha256()).isEqualTo(HexFormat.of().formatHex(digest));
  }

  @Test
  void aFailedLoadLeavesNothingAndMayBeTriedAgain() {
    IndexRef ref = IndexRefs.of(index("a.lmx", 1));
    assertThatThrownBy(
            () ->
                indexes.acquire(
                    ref,
                    Device.CPU,
                    Loaded.class,
                    (file, device) -> {
                      throw new OperatorException("no memory");
                    }))
        .hasMessage("no memory");
    assertThat(indexes.size()).isZero();
    try (Lease<Loaded> lease = acquire(ref)) {
      assertThat(lease.get().first).isEqualTo((byte) 1);
    }
  }

  @Test
  void manyThreadsNeverSeeTwoCopiesOrAClosedOne() throws Exception {
    IndexRef ref = IndexRefs.of(index("a.lmx", 3));
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch start = new CountDownLatch(1);
    Set<Loaded> seen = ConcurrentHashMap.newKeySet();
    List<Future<Integer>> sums = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      sums.add(
          pool.submit(
              () -> {
                start.await();
                int used = 0;
                for (int i = 0; i < 200; i++) {
                  try (Lease<Loaded> lease = acquire(ref)) {
                    Loaded loaded = lease.get();
                    seen.add(loaded);
                    assertThat(alive).hasValue(1);
                    assertThat(loaded.closed).isFalse();
                    used += loaded.first;
                  }
                }
                return used;
              }));
    }
    start.countDown();
    for (Future<Integer> sum : sums) {
      assertThat(sum.get(60, TimeUnit.SECONDS)).isEqualTo(600);
    }
    pool.shutdown();
    assertThat(seen).hasSize(loads.get()).allMatch(loaded -> loaded.closed);
    assertThat(alive).hasValue(0);
    assertThat(indexes.size()).isZero();
  }

  @Test
  void aSecondCopyIsNotLoadedBeforeTheFirstIsClosed() throws Exception {
    IndexRef ref = IndexRefs.of(index("a.lmx", 3));
    CountDownLatch closing = new CountDownLatch(1);
    CompletableFuture<Void> mayClose = new CompletableFuture<>();
    class Slow implements AutoCloseable {
      @Override
      public void close() {
        closing.countDown();
        mayClose.join();
      }
    }
    Lease<Slow> first = indexes.acquire(ref, Device.CPU, Slow.class, (file, device) -> new Slow());
    Thread release = new Thread(first::close);
    release.start();
    assertThat(closing.await(60, TimeUnit.SECONDS)).isTrue();
    FutureTask<Lease<Slow>> second =
        new FutureTask<>(
            () ->
                indexes.acquire(
                    ref,
                    Device.CPU,
                    Slow.class,
                    (file, device) -> {
                      loads.incrementAndGet();
                      return new Slow();
                    }));
    Thread acquire = new Thread(second);
    acquire.start();
    while (acquire.getState() != Thread.State.BLOCKED && acquire.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(loads).as("copies loaded beside the one that is being closed").hasValue(0);
    mayClose.complete(null);
    second.get(60, TimeUnit.SECONDS).close();
    release.join();
    assertThat(loads).hasValue(1);
    assertThat(indexes.size()).isZero();
  }

  @Test
  void thereIsOneRegisterPerProcess() {
    assertThat(ResidentIndexes.process()).isSameAs(ResidentIndexes.process());
  }

  @Test
  void aFileFromElsewhereIsReadOnlyForWhatIsNotResident() {
    IndexRef local = IndexRefs.of(index("a", 1));
    IndexRef remote =
        new IndexRef(local.kind(), URI.create("https://me:pw@x/y?key=pw"), local.sha256(), "");
    AtomicInteger reads = new AtomicInteger();
    ResidentIndexes reading =
        indexes.reading(
            ref -> {
              reads.incrementAndGet();
              assertThat(ref).isEqualTo(remote);
              assertThat(indexes.holds(ref.sha256())).as("while it is loaded").isTrue();
              return IndexRefs.open(local);
            });
    assertThat(indexes.holds(remote.sha256())).isFalse();
    assertThat(indexes.version(remote)).isEmpty();
    Lease<Loaded> first = reading.acquire(remote, Device.CPU, Loaded.class, Loaded::new);
    Lease<Loaded> second = reading.acquire(remote, Device.CPU, Loaded.class, Loaded::new);
    Lease<Loaded> third = acquire(local);
    assertThat(first.get()).isSameAs(second.get()).isSameAs(third.get());
    assertThat(reads).hasValue(1);
    assertThat(indexes.version(remote)).isEqualTo("v1");
    first.close();
    second.close();
    assertThat(reading.holds(remote.sha256())).isTrue();
    third.close();
    assertThat(reading.holds(remote.sha256())).isFalse();
    assertThat(remote.location()).isEqualTo("https://x/y?...");
    assertThat(remote.toString()).doesNotContain("pw");
  }
}
