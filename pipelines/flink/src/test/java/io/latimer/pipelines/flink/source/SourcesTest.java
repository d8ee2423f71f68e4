package io.latimer.pipelines.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.Cluster;
import io.latimer.pipelines.flink.Jobs;
import io.latimer.pipelines.flink.NgramStages;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Sources and sinks other than Kafka. */
class SourcesTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  @Test
  void aSocketIsReadToItsEnd() throws Exception {
    runThroughSocket("one\r\ntwo\n\nno line end".getBytes(StandardCharsets.UTF_8), Jobs.FAIL);
    assertThat(Jobs.lines(out())).containsExactly("one", "two", "", "no line end");
  }

  @Test
  void aLineThatIsTooLongIsADeadLetterAndItsNeighboursGoOn() throws Exception {
    int most = InputConfig.DEFAULTS.maxRecordBytes();
    byte[] feed =
        ("before\n" + "x".repeat(3 * most) + "\nafter\n").getBytes(StandardCharsets.UTF_8);
    Path in = Files.write(folder.resolve("in"), feed);
    Path fromFile = folder.resolve("file");
    Path fromSocket = folder.resolve("socket");
    CLUSTER.run(Jobs.job(Jobs.from(in), Jobs.text(out()), Jobs.avro(fromFile)));
    runThroughSocket(feed, Jobs.avro(fromSocket));
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrder("before", "after", "before", "after");
    for (Path place : List.of(fromFile, fromSocket)) {
      List<DeadLetter> letters = read(DeadLetter.class, place);
      assertThat(letters).hasSize(1);
      assertThat(letters.get(0).getOriginal().remaining()).isEqualTo(most);
      assertThat(letters.get(0).getOrigin().getOffset()).isEqualTo(1);
      assertThat(letters.get(0).getErrorMessage())
          .contains("more than " + most + " bytes", "input.max-record-bytes");
    }
  }

  @Test
  void aSocketIsReadAheadByAFewMebibytesOnly() throws Exception {
    byte[] line = ("x".repeat(1 << 18) + "\n").getBytes(StandardCharsets.UTF_8);
    AtomicInteger sent = new AtomicInteger();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      SocketReader reader =
          new SocketReader(
              server.getInetAddress().getHostAddress(),
              server.getLocalPort(),
              new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1)));
      reader.start();
      try (Socket socket = server.accept()) {
        OutputStream stream = socket.getOutputStream();
        Thread sender =
            new Thread(
                () -> {
                  try {
                    while (sent.get() < 800) {
                      stream.write(line);
                      sent.incrementAndGet();
                    }
                  } catch (IOException e) {
                    // the test is over
                  }
                });
        sender.start();
        int before;
        do {
          before = sent.get();
          TimeUnit.SECONDS.sleep(1);
        } while (sent.get() > before || before == 0);
        // the reader's 4 MiB and the contents of socket buffers
        assertThat((long) before * line.length).isBetween(4L << 20, 64L << 20);
        reader.close();
        sender.join();
      }
    }
  }

  @Test
  void anyExceptionOfASocketReachesTheTask() throws Exception {
    SocketReader reader =
        new SocketReader(
            "127.0.0.1", 70_000, new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1)));
    reader.start();
    reader.isAvailable().get(1, TimeUnit.MINUTES);
    assertThatThrownBy(() -> reader.pollNext(null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot read from 127.0.0.1:70000")
        .hasMessageContaining("port out of range");
    reader.close();
  }

  @Test
  void moreThanIsReadAheadComesThroughASocket() throws Exception {
    List<String> lines = Jobs.numbered(60).stream().map(l -> l + "x".repeat(200_000)).toList();
    runThroughSocket(String.join("\n", lines).getBytes(StandardCharsets.UTF_8), Jobs.FAIL);
    assertThat(Jobs.lines(out())).containsExactlyElementsOf(lines);
  }

  @Test
  void printedLinesThatCannotBeWrittenFailTheJobAtOnce() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Files.writeString(in.resolve("1"), "one\ntwo\n");
    PrintStream before = System.out;
    AtomicInteger writes = new AtomicInteger();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            writes.incrementAndGet();
            throw new IOException("No space left on device");
          }
        };
    System.setOut(new PrintStream(full, false, StandardCharsets.UTF_8));
    try {
      JobConfig job =
          Jobs.job(
              // watched, because telling a failed task that there are no more files is another
              // failure, after which Flink restarts the job again
              Jobs.from(in, "10ms"), "print: {}", Jobs.FAIL);
      assertThatThrownBy(() -> CLUSTER.run(job))
          .hasStackTraceContaining("the standard output cannot be written");
    } finally {
      System.setOut(before);
    }
    assertThat(writes).hasValue(1);
  }

  @Test
  void aSocketThatNobodyServesFailsTheJobWithItsName() throws Exception {
    int port;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = server.getLocalPort();
    }
    JobConfig job = Jobs.job(Jobs.socket("127.0.0.1", port), Jobs.text(out()), Jobs.FAIL);
    assertThatThrownBy(() -> CLUSTER.run(job))
        .hasStackTraceContaining("cannot read from 127.0.0.1:" + port);
  }

  @Test
  void newFilesOfAWatchedFolderAreRead() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Files.writeString(in.resolve("1"), "first\n");
    JobClient job = CLUSTER.start(Jobs.job(Jobs.from(in, "10ms"), Jobs.text(out()), Jobs.FAIL));
    await(1);
    // hidden files are still being written and become visible when renamed
    Files.writeString(in.resolve(".2"), "second\nthird\n");
    Files.move(in.resolve(".2"), in.resolve("2"));
    await(3);
    job.cancel().get();
    CLUSTER.awaitEnd(job.getJobID());
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrder("first", "second", "third");
  }

  @Test
  void translationsAndDeadLettersCanBeAvroFiles() throws Exception {
    Path in = folder.resolve("in");
    Files.write(in, "good\n\u00ff\n".getBytes(StandardCharsets.ISO_8859_1));
    Path dead = folder.resolve("dead");
    Instant start = Instant.now();
    CLUSTER.run(Jobs.job(Jobs.from(in), Jobs.avro(out()), Jobs.avro(dead)));
    List<Translation> translations = read(Translation.class, out());
    assertThat(translations).hasSize(1);
    assertThat(translations.get(0).getText()).isEqualTo("good");
    assertThat(translations.get(0).getSource().getEventTime())
        .isBetween(start.minusMillis(1), Instant.now());
    List<DeadLetter> letters = read(DeadLetter.class, dead);
    assertThat(letters).hasSize(1);
    assertThat(letters.get(0).getOriginal().array()).isEqualTo(new byte[] {(byte) 0xFF});
    assertThat(letters.get(0).getOrigin().getOffset()).isEqualTo(1);
  }

  @Test
  void tablesCanBeAvroFilesOrLinesBesideTheRecords() throws Exception {
    Files.writeString(folder.resolve("in"), "a b\na \\b\n");
    String yaml =
        """
        name: counted
        source: {files: {path: in}}
        stages:
          - ngrams:
              order: 1
              window: 1d
              sinks:
                - files: {path: tables, format: avro}
                - files: {path: lines, name: lines}
        sinks: [{files: {path: out}}]
        checkpoints: {interval: 100ms}
        """;
    CLUSTER.run(JobConfigReader.read(yaml, "job.yaml", folder));

    assertThat(Jobs.lines(out())).containsExactly("a b", "a \\b");
    List<NgramTable> tables = read(NgramTable.class, folder.resolve("tables"));
    // one of the window, and one of everything so far
    assertThat(tables).extracting(NgramTable::getRunning).containsExactly(false, true);
    assertThat(tables)
        .allSatisfy(
            table -> {
              assertThat(table.getSentences()).isEqualTo(2);
              assertThat(NgramStages.counts(table))
                  .isEqualTo(Map.of("a", 2L, "b", 1L, "\\\\b", 1L));
            });
    TableStage<NgramTable> stage = NgramStages.of("order: 1");
    assertThat(Jobs.lines(folder.resolve("lines")))
        .containsExactlyElementsOf(tables.stream().map(stage::line).toList());
  }

  @Test
  void aDeadLetterWithoutAPlaceFailsTheJob() throws Exception {
    Path in = folder.resolve("in");
    Files.write(in, new byte[] {(byte) 0xFF});
    // watched, because telling a failed task that there are no more files would become the failure
    // that Flink reports
    JobConfig job = Jobs.job(Jobs.from(in, "1h"), Jobs.text(out()), Jobs.FAIL);
    assertThatThrownBy(() -> CLUSTER.run(job))
        .hasStackTraceContaining("a record cannot be processed")
        .hasStackTraceContaining("stage read");
  }

  @Test
  void avroFilesAreReadAndADamagedBlockGoesToTheDeadLetters() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    byte[] sync = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    List<Integer> blocks = new ArrayList<>();
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.create(Sentence.getClassSchema(), file, sync);
      for (int i = 0; i < 300; i++) {
        if (i % 100 == 0) {
          writer.sync();
          writer.flush();
          blocks.add(file.size());
        }
        writer.append(
            new Sentence(
                "id-" + i,
                "wire",
                "en",
                "text " + i,
                Instant.ofEpochSecond(i),
                List.of(),
                List.of()));
      }
    }
    byte[] bytes = file.toByteArray();
    Arrays.fill(bytes, blocks.get(1), blocks.get(1) + 20, (byte) 0x7F);
    Files.write(in.resolve("a.avro"), bytes);
    Files.writeString(in.resolve("b.txt"), "plain\n");
    Files.write(in.resolve("c.avro"), Arrays.copyOf(bytes, 40));
    Path dead = folder.resolve("dead");
    CLUSTER.run(Jobs.job(Jobs.from(in), Jobs.avro(out()), Jobs.avro(dead)));

    List<Translation> translations = read(Translation.class, out());
    assertThat(translations).hasSize(201);
    assertThat(translations.stream().map(t -> t.getSource().getId()))
        .contains("id-0", "id-99", "id-200", "id-299")
        .doesNotContain("id-100", "id-199");
    assertThat(translations.stream().map(t -> t.getSource().getEventTime()))
        .contains(Instant.ofEpochSecond(299));
    List<DeadLetter> letters = read(DeadLetter.class, dead);
    assertThat(letters)
        .extracting(DeadLetter::getErrorMessage)
        .satisfiesExactlyInAnyOrder(
            message ->
                assertThat(message)
                    .contains("a.avro: the block at byte " + blocks.get(1) + " cannot be read"),
            message -> assertThat(message).contains("c.avro: the file ends too early"));
    assertThat(letters).extracting(letter -> letter.getOrigin().getOffset()).contains(100L, 0L);
  }

  /** Runs a job until the end of a socket that sends bytes. */
  private void runThroughSocket(byte[] bytes, String deadLetters) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JobClient job =
          CLUSTER.start(
              Jobs.job(
                  Jobs.socket(server.getInetAddress().getHostAddress(), server.getLocalPort()),
                  Jobs.text(out()),
                  deadLetters));
      try (Socket socket = server.accept();
          OutputStream stream = socket.getOutputStream()) {
        stream.write(bytes);
      }
      job.getJobExecutionResult().get();
    }
  }

  private static <T> List<T> read(Class<T> type, Path folder) throws Exception {
    List<T> records = new ArrayList<>();
    for (Path file : Jobs.files(folder)) {
      try (DataFileReader<T> reader =
          new DataFileReader<>(file.toFile(), new SpecificDatumReader<>(type))) {
        reader.forEach(records::add);
      }
    }
    return records;
  }

  private void await(int lines) throws InterruptedException {
    Instant end = Instant.now().plusSeconds(60);
    while (Jobs.lines(out()).size() < lines && Instant.now().isBefore(end)) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private Path out() {
    return folder.resolve("out");
  }
}
