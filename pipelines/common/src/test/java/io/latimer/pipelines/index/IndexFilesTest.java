package io.latimer.pipelines.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.NotAnIndexException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Remote index files are copied once, checked, and fail by name, with a real server. */
@Timeout(120)
class IndexFilesTest {
  private static final IndexKind KIND = new IndexKind("test-index", 1, 1, file -> {});
  private static final int ATTEMPTS = 3;

  @TempDir Path folder;
  private final FileServer server = new FileServer();
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void stop() {
    end.countDown();
    server.close();
  }

  private static boolean unused(String sha256) {
    return false;
  }

  private IndexFiles files(long maxBytes) {
    return files(maxBytes, Duration.ofSeconds(30));
  }

  private IndexFiles files(long maxBytes, Duration read) {
    return files(folder.resolve("copies"), maxBytes, read);
  }

  private static IndexFiles files(Path copies, long maxBytes, Duration read) {
    return new IndexFiles(
        new IndexSettings(copies.toString(), maxBytes),
        IndexFiles.none(),
        new HttpSource(Duration.ofSeconds(10), read),
        new IndexFiles.Retries(ATTEMPTS, Duration.ofMillis(1)));
  }

  /** An index of 20 kB whose content depends on a number. */
  private IndexRef local(int seed) {
    byte[] content = new byte[20_000];
    new Random(seed).nextBytes(content);
    Path path = folder.resolve(seed + ".idx");
    if (!Files.exists(path)) {
      try (IndexFileWriter writer = IndexFileWriter.create(path, KIND, "version " + seed)) {
        writer.add("data", content);
        writer.commit();
      }
    }
    return IndexRefs.of(path);
  }

  private byte[] bytes(int seed) {
    try {
      return Files.readAllBytes(IndexRefs.path(local(seed)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static IndexRef at(URI uri, IndexRef ref) {
    return new IndexRef(ref.kind(), uri, ref.sha256(), "");
  }

  /** Refers to an index on the server. */
  private IndexRef remote(int seed, FileServer.Answer answer) {
    return at(server.put("/" + seed, answer), local(seed));
  }

  private IndexRef remote(int seed) {
    return remote(seed, FileServer.file(bytes(seed)));
  }

  private static void open(IndexFiles files, IndexRef ref) {
    open(files, ref, IndexFilesTest::unused);
  }

  private static void open(IndexFiles files, IndexRef ref, Predicate<String> inUse) {
    try (IndexFile file = files.open(ref, inUse)) {
      assertThat(file.sha256()).isEqualTo(ref.sha256());
    }
  }

  private List<String> kept() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("copies"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private List<String> copies() throws IOException {
    return kept().stream().filter(name -> name.length() == 64).toList();
  }

  private void assertNothingLeft() throws IOException {
    assertThat(kept()).allMatch(name -> name.endsWith(".lock"));
  }

  @Test
  void aFileIsFetchedOnceAndOpenedFromItsCopy() throws IOException {
    IndexRef ref = remote(1);
    open(files(1 << 20), ref);
    open(files(1 << 20), ref);
    assertThat(server.requests()).isEqualTo(1);
    assertThat(kept()).containsExactly(ref.sha256(), ref.sha256() + ".lock");
    // the same content elsewhere is the same file
    open(files(1 << 20), at(server.put("/moved", FileServer.status(500)), ref));
    assertThat(server.requests()).isEqualTo(1);
  }

  @Test
  void aLocalFileIsOpenedWhereItIs() {
    IndexRef ref = local(1);
    open(files(1), ref);
    assertThat(folder.resolve("copies")).doesNotExist();
  }

  @Test
  void whatIsMissingOrRefusedFailsByNameAtOnce() throws IOException {
    IndexRef missing = remote(1, FileServer.status(404));
    assertThatThrownBy(() -> open(files(1 << 20), missing))
        .isInstanceOf(NotAnIndexException.class)
        .hasMessageContaining(missing.uri() + " does not exist");
    assertThat(server.requests()).isEqualTo(1);
    IndexRef refused = remote(2, FileServer.status(403));
    assertThatThrownBy(() -> open(files(1 << 20), refused))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(refused.uri() + " cannot be read: the server answered HTTP 403");
    assertThat(server.requests()).isEqualTo(2);
    assertNothingLeft();
  }

  @Test
  void otherContentFailsByNameAtOnce() throws IOException {
    IndexRef ref = remote(1, FileServer.file(bytes(2)));
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(ref.uri() + " is not the file that was referred to")
        .hasMessageContaining(ref.sha256())
        .hasMessageContaining(local(2).sha256());
    assertThat(server.requests()).isEqualTo(1);
    assertNothingLeft();
  }

  @Test
  void whatIsNoIndexOfItsKindFailsByName() {
    IndexRef ref = remote(1);
    IndexRef other = new IndexRef("other-kind", ref.uri(), ref.sha256(), "");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> open(files(1 << 20), other))
          .isInstanceOf(IndexFormatException.class)
          .hasMessageStartingWith(ref.uri() + ": its copy ")
          .hasMessageContaining("expected an index of kind other-kind, found test-index");
    }
    assertThat(server.requests()).as("fetching it again would be of no use").isEqualTo(1);
  }

  @Test
  void aTransferThatEndsEarlyIsTriedAgain() throws IOException {
    byte[] all = bytes(1);
    IndexRef ref =
        remote(1, FileServer.then(FileServer.part(all, all.length / 2), FileServer.file(all)));
    open(files(1 << 20), ref);
    assertThat(server.requests()).isEqualTo(2);
    assertThat(copies()).containsExactly(ref.sha256());
  }

  @Test
  void aTransferThatAlwaysEndsEarlyFailsByName() throws IOException {
    byte[] all = bytes(1);
    IndexRef ref = remote(1, FileServer.part(all, 1000));
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isInstanceOf(OperatorException.class)
        .isNotInstanceOf(IndexFormatException.class) // a restart may heal it
        .hasMessageContaining(ref.uri() + " cannot be fetched, after 3 attempts")
        .hasMessageContaining("of " + all.length + " bytes");
    assertThat(server.requests()).isEqualTo(ATTEMPTS);
    assertNothingLeft();

    IndexRef unannounced = remote(2, FileServer.unannounced(bytes(2), 1000));
    assertThatThrownBy(() -> open(files(1 << 20), unannounced))
        .isNotInstanceOf(IndexFormatException.class)
        .hasMessageContaining("it may have ended early");
    assertNothingLeft();
  }

  @Test
  void aFileLargerThanTheLimitIsRefusedWithBothSizes() throws IOException {
    byte[] all = bytes(1);
    IndexRef ref = remote(1);
    assertThatThrownBy(() -> open(files(all.length - 1), ref))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(ref.uri() + " has " + all.length + " bytes")
        .hasMessageContaining("may have " + (all.length - 1))
        .hasMessageContaining("indexes.max-size");
    IndexRef endless =
        remote(
            2,
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              while (true) {
                FileServer.send(exchange, all, all.length);
              }
            });
    assertThatThrownBy(() -> open(files(100_000), endless))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("may have 100000");
    assertNothingLeft();
    open(files(all.length), ref);
  }

  /** The server announces more than any disk has. */
  @Test
  void aFileLargerThanTheDiskIsRefusedBeforeItIsWritten() throws IOException {
    long announced = 1L << 60;
    IndexRef ref =
        remote(
            1,
            exchange -> {
              exchange.sendResponseHeaders(200, announced);
              FileServer.send(exchange, bytes(1), 1000);
              end.await();
            });
    assertThatThrownBy(() -> open(files(1L << 61), ref))
        .isInstanceOf(OperatorException.class)
        .isNotInstanceOf(IndexFormatException.class) // a larger disk heals it
        .hasMessageContaining(ref.uri() + " has " + announced + " bytes, but ")
        .hasMessageContaining("raise indexes.max-size, or set indexes.directory");
    assertThat(server.requests()).isEqualTo(1);
    assertNothingLeft();
  }

  @Test
  void aFileThatHasNoRoomBesideThoseInUseIsRefused() throws IOException {
    int length = bytes(1).length;
    IndexRef used = remote(1);
    open(files(length + 100), used);
    IndexRef next = remote(2);
    assertThatThrownBy(() -> files(length + 100).open(next, used.sha256()::equals))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(next.uri() + " has " + length + " bytes, but ")
        .hasMessageContaining("has room for 100 beside the copies in use");
    assertThat(folder.resolve("copies").resolve(used.sha256())).exists();
    assertThat(folder.resolve("copies").resolve(next.sha256())).doesNotExist();
  }

  @Test
  void copiesLeaveATenthOfASmallDisk() throws IOException {
    Path copies = Files.createDirectory(folder.resolve("small"));
    String old = "0".repeat(64);
    Files.write(copies.resolve(old), new byte[600]);
    IndexFolder small = new IndexFolder(copies, 1 << 20, () -> 400);
    assertThat(small.makeRoom(300, "", old::equals)).isEqualTo(300);
    assertThat(small.makeRoom(301, "", old::equals)).isEqualTo(300);
    assertThat(copies.resolve(old)).exists();
    // the new one takes the place of the old one
    assertThat(small.makeRoom(301, old, name -> true)).isGreaterThanOrEqualTo(301);
    assertThat(small.makeRoom(301, "", name -> false)).isEqualTo(900);
    assertThat(copies.resolve(old)).doesNotExist();
  }

  @Test
  void aServerThatStopsAnsweringFailsByName() throws IOException {
    byte[] all = bytes(1);
    IndexRef ref =
        remote(
            1,
            exchange -> {
              exchange.sendResponseHeaders(200, all.length);
              FileServer.send(exchange, all, 1000);
              end.await();
            });
    assertThatThrownBy(() -> open(files(1 << 20, Duration.ofMillis(100)), ref))
        .isNotInstanceOf(IndexFormatException.class)
        .hasMessageContaining(ref.uri() + " cannot be fetched, after 3 attempts")
        .hasMessageContaining("timed out");
    assertThat(server.requests()).isEqualTo(ATTEMPTS);
    assertNothingLeft();
  }

  @Test
  void aServerThatFailsForAMomentIsAskedAgain() {
    FileServer.Answer down = FileServer.status(503);
    open(
        files(1 << 20),
        remote(1, FileServer.then(down, FileServer.then(down, FileServer.file(bytes(1))))));
    assertThat(server.requests()).isEqualTo(3);
    IndexRef ref = remote(2, down);
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isNotInstanceOf(IndexFormatException.class)
        .hasMessageContaining("the server answered HTTP 503");
    assertThat(server.requests()).isEqualTo(3 + ATTEMPTS);
  }

  @Test
  void aServerThatIsNotThereFailsByName() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    IndexRef ref = at(URI.create("http://127.0.0.1:" + port + "/x"), local(1));
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isNotInstanceOf(IndexFormatException.class)
        .hasMessageContaining(ref.uri() + " cannot be fetched, after 3 attempts");
  }

  @Test
  void redirectsAreFollowedButNotToAnotherProtocol() {
    server.put("/file", FileServer.file(bytes(1)));
    open(files(1 << 20), remote(1, FileServer.redirect("/file")));
    IndexRef secure = remote(2, FileServer.redirect("https://127.0.0.1/file"));
    assertThatThrownBy(() -> open(files(1 << 20), secure))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("redirects to another protocol");
  }

  /** The public server is behind a proxy, as it is in many a network. */
  @Test
  void aPublicServerCannotRedirectIntoAPrivateNetwork() {
    URI inside = server.put("/inside", FileServer.file(bytes(1)));
    URI proxy = server.put("/file", FileServer.redirect(inside.toString()));
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(proxyOf("203.0.113.5", proxy.getPort()));
    try {
      URI address = URI.create("http://203.0.113.5/file?key=s3cr3t");
      assertThatThrownBy(() -> open(files(1 << 20), at(address, local(1))))
          .isInstanceOf(IndexFormatException.class)
          .hasMessageContaining("http://203.0.113.5/file?... redirects into a private network")
          .hasMessageContaining("127.0.0.1");
      assertThat(server.requests()).isEqualTo(1);
    } finally {
      ProxySelector.setDefault(before);
    }
  }

  /** What reaches one host through a proxy on this machine, and all others without. */
  private static ProxySelector proxyOf(String host, int port) {
    Proxy proxy =
        new Proxy(Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return new ProxySelector() {
      @Override
      public List<Proxy> select(URI uri) {
        return List.of(uri.getHost().equals(host) ? proxy : Proxy.NO_PROXY);
      }

      @Override
      public void connectFailed(URI uri, SocketAddress address, IOException error) {}
    };
  }

  @Test
  void messagesDoNotHaveTheKeyOfASignedAddress() {
    URI signed = URI.create(server.put("/signed", FileServer.status(404)) + "?signature=s3cr3t");
    assertThatThrownBy(() -> open(files(1 << 20), at(signed, local(1))))
        .hasMessageContaining("/signed?... does not exist")
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void aDamagedCopyIsFetchedAgain() throws IOException {
    IndexRef ref = remote(1);
    open(files(1 << 20), ref);
    Path copy = folder.resolve("copies").resolve(ref.sha256());
    byte[] damaged = Files.readAllBytes(copy);
    damaged[damaged.length / 2] ^= 1;
    Files.write(copy, damaged);
    open(files(1 << 20), ref);
    assertThat(server.requests()).isEqualTo(2);
    Files.write(copy, Arrays.copyOf(damaged, 100));
    open(files(1 << 20), ref);
    assertThat(server.requests()).isEqualTo(3);
    assertThat(copy).hasBinaryContent(bytes(1));
  }

  @Test
  void copiesThatWereNotUsedForTheLongestTimeAreRemoved() throws IOException {
    long room = 2L * bytes(1).length + 1000;
    IndexFiles files = files(room);
    List<IndexRef> refs = List.of(remote(1), remote(2), remote(3));
    open(files, refs.get(0));
    open(files, refs.get(1));
    usedBefore(refs.get(0), Duration.ofHours(2));
    usedBefore(refs.get(1), Duration.ofHours(1));
    open(files, refs.get(0)); // now the newest
    open(files, refs.get(2));
    assertThat(copies()).containsExactlyInAnyOrder(refs.get(0).sha256(), refs.get(2).sha256());
    assertThat(server.requests()).isEqualTo(3);

    // what is in use stays, although it is older; without room, nothing is written
    usedBefore(refs.get(0), Duration.ofHours(2));
    usedBefore(refs.get(2), Duration.ofHours(1));
    open(files, refs.get(1), refs.get(0).sha256()::equals);
    assertThat(copies()).containsExactlyInAnyOrder(refs.get(0).sha256(), refs.get(1).sha256());
    assertThatThrownBy(() -> open(files, refs.get(2), sha256 -> true))
        .hasMessageContaining("has room for 1000 beside the copies in use");
    assertThat(copies()).hasSize(2);
  }

  private void usedBefore(IndexRef ref, Duration time) throws IOException {
    Files.setLastModifiedTime(
        folder.resolve("copies").resolve(ref.sha256()), FileTime.from(Instant.now().minus(time)));
  }

  /** Opens a file, and prints its hash. */
  static final class Program {
    public static void main(String[] args) throws IOException {
      System.out.println("ready");
      System.in.read();
      IndexRef ref = new IndexRef(KIND.id(), URI.create(args[1]), args[2], "");
      IndexFiles files = files(Path.of(args[0]), 1 << 20, Duration.ofSeconds(60));
      try (IndexFile file = files.open(ref, IndexFilesTest::unused)) {
        System.out.println(file.sha256());
      }
    }
  }

  private Process process(IndexRef ref) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                folder.resolve("copies").toString(),
                ref.uri().toString(),
                ref.sha256())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(process.inputReader().readLine()).isEqualTo("ready");
    return process;
  }

  private static void go(Process process) throws IOException {
    process.outputWriter().write("\n");
    process.outputWriter().flush();
  }

  @Test
  void threadsAndProcessesFetchAFileOnce() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    IndexRef ref =
        remote(
            1,
            exchange -> {
              all.await();
              FileServer.file(bytes(1)).to(exchange);
            });
    List<Process> processes = List.of(process(ref), process(ref));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> opened = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Callable<Void> open =
            () -> {
              open(files(1 << 20), ref);
              return null;
            };
        opened.add(threads.submit(open));
      }
      for (Process process : processes) {
        go(process);
      }
      all.countDown();
      for (Future<?> thread : opened) {
        thread.get();
      }
      for (Process process : processes) {
        assertThat(process.inputReader().readLine()).isEqualTo(ref.sha256());
        assertThat(process.waitFor()).isZero();
      }
    } finally {
      threads.shutdownNow();
      processes.forEach(Process::destroyForcibly);
    }
    assertThat(server.requests()).isEqualTo(1);
    assertThat(copies()).containsExactly(ref.sha256());
  }

  @Test
  void aProcessKilledInTheMiddleBlocksNothingAndLeavesNothing() throws Exception {
    byte[] content = bytes(1);
    CountDownLatch sent = new CountDownLatch(2);
    FileServer.Answer half =
        exchange -> {
          exchange.sendResponseHeaders(200, content.length);
          FileServer.send(exchange, content, content.length / 2);
          sent.countDown();
          end.await();
        };
    IndexRef ref = remote(1, half);
    IndexRef other = at(server.put("/other", half), local(2));
    List<Process> processes = List.of(process(ref), process(other));
    for (Process process : processes) {
      go(process);
    }
    sent.await();
    while (parts().size() < 2 || parts().stream().anyMatch(part -> part.toFile().length() == 0)) {
      Thread.sleep(10);
    }
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    assertThat(parts()).hasSize(2);
    open(files(1 << 20), remote(1));
    assertThat(parts()).isEmpty();
    assertThat(copies()).containsExactly(ref.sha256());
  }

  @Test
  void whatAnotherProcessFetchesIsLeftAlone() throws Exception {
    byte[] content = bytes(1);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    IndexRef ref =
        remote(
            1,
            exchange -> {
              exchange.sendResponseHeaders(200, content.length);
              FileServer.send(exchange, content, content.length / 2);
              sent.countDown();
              go.await();
              exchange.getResponseBody().write(content, content.length / 2, content.length / 2);
              exchange.getResponseBody().write(content, content.length / 2 * 2, content.length % 2);
            });
    Process process = process(ref);
    try {
      go(process);
      sent.await();
      while (parts().isEmpty()) {
        Thread.sleep(10);
      }
      open(files(1 << 20), remote(2));
      assertThat(parts()).hasSize(1);
      go.countDown();
      assertThat(process.inputReader().readLine()).isEqualTo(ref.sha256());
    } finally {
      process.destroyForcibly();
    }
  }

  private List<Path> parts() throws IOException {
    if (!Files.exists(folder.resolve("copies"))) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder.resolve("copies"))) {
      return files.filter(file -> file.toString().endsWith(".part")).toList();
    }
  }

  @Test
  void aFileOfUnknownContentIsPinned() throws IOException {
    IndexRef local = local(1);
    IndexRef ref = remote(1);
    IndexRef pinned = files(1 << 20).pin(ref.uri(), IndexFilesTest::unused);
    assertThat(pinned)
        .isEqualTo(new IndexRef(KIND.id(), ref.uri(), local.sha256(), local.version()));
    open(files(1 << 20), pinned);
    assertThat(server.requests()).isEqualTo(1);
    // it may have changed since
    server.put("/1", FileServer.file(bytes(2)));
    assertThat(files(1 << 20).pin(ref.uri(), IndexFilesTest::unused).sha256())
        .isEqualTo(local(2).sha256());
    assertThat(copies()).hasSize(2);

    URI text = server.put("/text", FileServer.file(new byte[3000]));
    assertThatThrownBy(() -> files(1 << 20).pin(text, IndexFilesTest::unused))
        .isInstanceOf(IndexFormatException.class)
        .hasMessage(text + " is not a Latimer index file");
    byte[] damaged = bytes(1);
    damaged[damaged.length / 2] ^= 1;
    URI corrupt = server.put("/corrupt", FileServer.file(damaged));
    assertThatThrownBy(() -> files(1 << 20).pin(corrupt, IndexFilesTest::unused))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageStartingWith(corrupt + " is corrupt: section data");
    assertThat(parts()).isEmpty();
    assertThat(copies()).hasSize(2);
  }

  @Test
  void anUnknownSchemeIsRefusedByName() {
    IndexRef ref = at(URI.create("s3://bucket/model.lmx"), local(1));
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("s3://bucket/model.lmx: no file system for s3:");
  }

  @Test
  void aLocalFileThatWasRemovedOrAlteredFailsByName() throws IOException {
    IndexRef ref = local(1);
    Path path = IndexRefs.path(ref);
    Files.write(path, bytes(2));
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(path + " is not the file that was referred to");
    Files.delete(path);
    assertThatThrownBy(() -> open(files(1 << 20), ref))
        .isInstanceOf(NotAnIndexException.class)
        .hasMessageContaining(path + " does not exist");
  }

  @Test
  void aFolderThatOthersMayWriteToIsRefused() throws IOException {
    Path shared = Files.createDirectory(folder.resolve("shared"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwx---"));
    assertThatThrownBy(() -> IndexFolder.open(new IndexSettings(shared.toString(), 1)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(shared + ", cannot be used: ")
        .hasMessageContaining("others may write to it")
        .hasMessageContaining("indexes.directory");
  }

  @Test
  void aPrivateFolderOfManyCopiesHasNoNamesOfOthers() throws IOException {
    Set<String> names = Set.of("README", "x".repeat(64), "A".repeat(64));
    IndexRef ref = remote(1);
    open(files(1 << 20), ref);
    for (String name : names) {
      Files.write(folder.resolve("copies").resolve(name), new byte[30_000]);
    }
    open(files(bytes(2).length), remote(2));
    assertThat(kept()).containsAll(names).doesNotContain(ref.sha256());
  }
}
