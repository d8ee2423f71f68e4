package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics are translated by the program, in a process of its own that the test may kill. */
@Timeout(300)
class KafkaPipelineTest {
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);

  private static final String LOG = "classpath:io/latimer/pipelines/beam/program-log4j2.properties";

  @TempDir Path folder;
  private Broker broker;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    broker = Broker.start("feed", "translations", "dead", "tables");
  }

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
    broker.close();
  }

  private Process program(String runner, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dlog4j2.configurationFile=" + LOG);
    command.add("-Dlatimer.log=" + folder.resolve("engine-" + started.size()));
    command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(TranslateProgram.class.getName());
    command.add("--runner=" + runner);
    command.add("--model=" + Examples.MODEL);
    command.add("--bootstrapServers=" + broker.servers());
    command.add("--inputTopics=feed");
    command.add("--outputTopic=translations");
    command.add("--deadLetterTopic=dead");
    command.add("--format=AVRO");
    command.addAll(List.of(more));
    File log = folder.resolve("log-" + started.size()).toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    started.add(process);
    return process;
  }

  private static String key(ConsumerRecord<byte[], byte[]> record) {
    return new String(record.key(), StandardCharsets.UTF_8);
  }

  private static Translation translation(ConsumerRecord<byte[], byte[]> record) {
    try {
      return TRANSLATIONS.decode(record.value());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static long distinct(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(KafkaPipelineTest::key).distinct().count();
  }

  private String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < started.size(); i++) {
      all.append(Files.readString(folder.resolve("log-" + i)));
    }
    return all.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"DirectRunner", "FlinkRunner"})
  void aTopicIsTranslatedWithItsKeysHeadersAndTimes(String runner) throws Exception {
    List<String> texts = Examples.feed(40);
    broker.send("feed", texts);
    try (KafkaProducer<byte[], byte[]> producer = broker.producer()) {
      byte[] poison = {(byte) 0xC3, 0x01, 7};
      producer.send(new ProducerRecord<>("feed", 0, 5L, new byte[] {9}, poison)).get();
      producer.send(new ProducerRecord<byte[], byte[]>("feed", null)).get();
    }
    broker.sendAborted("feed", "This was never sent.");
    program(runner);
    List<ConsumerRecord<byte[], byte[]>> found;
    try {
      found = broker.read("translations", all -> all.size() >= texts.size());
    } catch (AssertionError e) {
      throw new AssertionError(logs(), e);
    }
    List<String> expected = Examples.translations(texts);
    assertThat(found).hasSize(texts.size());
    for (ConsumerRecord<byte[], byte[]> record : found) {
      int number = Integer.parseInt(key(record));
      Translation translation = translation(record);
      assertThat(translation.getText()).isEqualTo(expected.get(number));
      assertThat(translation.getSource().getText()).isEqualTo(texts.get(number));
      assertThat(record.timestamp()).isEqualTo(1000L * number);
      assertThat(record.headers().lastHeader("number").value()).isEqualTo(record.key());
      assertThat(record.headers().lastHeader("nothing").value()).isNull();
    }
    RecordCodec<DeadLetter> letters = RecordCodec.of(DeadLetter.class);
    List<ConsumerRecord<byte[], byte[]>> dead = broker.read("dead", all -> all.size() >= 2);
    assertThat(dead).hasSize(2);
    for (ConsumerRecord<byte[], byte[]> record : dead) {
      assertThat(letters.decode(record.value()).getStage()).isEqualTo("read");
    }
  }

  /** No sentence is lost, and each translation is the same however often it is written. */
  @Test
  void aKilledProgramGoesOnFromItsCheckpoint() throws Exception {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      texts.addAll(Examples.feed(50));
    }
    int sent = texts.size() - 50; // many, so that the first program is killed before it is done
    Path checkpoints = folder.resolve("checkpoints");
    String[] settings = {
      "--checkpointingInterval=300",
      "--externalizedCheckpointsEnabled=true",
      "--retainExternalizedCheckpointsOnCancellation=true",
      "--stateBackend=filesystem",
      "--stateBackendStoragePath=" + checkpoints.toUri(),
      "--settings=batch.max-records=4"
    };
    Process first = program("FlinkRunner", settings);
    broker.send("feed", texts.subList(0, sent));
    broker.read("translations", all -> all.size() >= 20);
    while (newest(checkpoints).isEmpty()) {
      assertThat(first.isAlive()).as(logs()).isTrue();
      Thread.sleep(20);
    }
    first.destroyForcibly().waitFor();
    long before = distinct(broker.read("translations", all -> all.size() >= 20));
    broker.send("feed", texts.subList(sent, texts.size()), sent);

    List<String> more = new ArrayList<>(settings.length + 1);
    more.addAll(List.of(settings));
    // the runner's own option for this works on clusters only
    Path settingsOfFlink = Files.createDirectories(folder.resolve("conf"));
    Files.writeString(
        settingsOfFlink.resolve("config.yaml"),
        "execution.state-recovery.path: " + newest(checkpoints).orElseThrow().toUri() + "\n");
    more.add("--flinkMaster=[local]");
    more.add("--flinkConfDir=" + settingsOfFlink);
    Process second = program("FlinkRunner", more.toArray(String[]::new));
    try {
      broker.read("translations", all -> distinct(all) >= texts.size());
    } catch (AssertionError e) {
      throw new AssertionError(logs(), e);
    }
    assertThat(before).isLessThan(sent);
    List<String> expected = Examples.translations(texts);
    for (ConsumerRecord<byte[], byte[]> record :
        broker.read("translations", all -> distinct(all) >= texts.size())) {
      assertThat(translation(record).getText())
          .isEqualTo(expected.get(Integer.parseInt(key(record))));
    }
    assertThat(second.isAlive()).isTrue();
    assertThat(Files.readString(folder.resolve("engine-1"))).contains("Restoring job");
  }

  /** The newest complete checkpoint. */
  private static Optional<Path> newest(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(path -> path.endsWith("_metadata"))
          .map(Path::getParent)
          .max(
              Comparator.comparingInt(
                  path -> Integer.parseInt(path.getFileName().toString().substring(4))));
    }
  }

  /** The last window ends with event time only. */
  @Test
  void aDrainedPipelineWritesAllTablesAndEnds() throws Exception {
    List<String> texts = Examples.feed(25);
    broker.send("feed", texts);
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path conf = Files.createDirectories(folder.resolve("conf"));
    Files.writeString(
        conf.resolve("config.yaml"), "rest.port: " + port + "\nrest.address: localhost\n");
    Process program =
        program(
            "FlinkRunner",
            "--flinkMaster=[local]",
            "--flinkConfDir=" + conf,
            "--checkpointingInterval=1000",
            "--ngramWindowSeconds=10",
            "--ngramTopic=tables");
    broker.read("translations", all -> all.size() >= texts.size());
    HttpClient client = HttpClient.newHttpClient();
    URI jobs = URI.create("http://localhost:" + port + "/jobs");
    String running =
        client.send(HttpRequest.newBuilder(jobs).build(), BodyHandlers.ofString()).body();
    Matcher id = Pattern.compile("[0-9a-f]{32}").matcher(running);
    assertThat(id.find()).as(running).isTrue();
    String stop =
        "{\"drain\": true, \"targetDirectory\": \"" + folder.resolve("savepoint").toUri() + "\"}";
    HttpResponse<String> stopped =
        client.send(
            HttpRequest.newBuilder(URI.create(jobs + "/" + id.group() + "/stop"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(stop))
                .build(),
            BodyHandlers.ofString());
    assertThat(stopped.statusCode()).as(stopped.body()).isEqualTo(202);
    assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(program.exitValue()).as(logs()).isZero();
    Map<Long, Long> sentences = new TreeMap<>();
    for (NgramTable table : tables(3)) {
      sentences.put(table.getStart().getEpochSecond(), table.getSentences());
    }
    assertThat(sentences).isEqualTo(Map.of(0L, 10L, 10L, 10L, 20L, 5L));
  }

  /**
   * When all was read, event time goes on to the present: a sentence of an hour ago is late then,
   * and one of 1970 is later than the two hours that are allowed.
   */
  @Test
  void lateSentencesAreCountedAgainAndThoseThatAreTooLateAreDropped() throws Exception {
    long window = Instant.now().minus(Duration.ofHours(1)).getEpochSecond() / 10 * 10_000;
    for (int partition = 0; partition < 2; partition++) {
      broker.send("feed", partition, window + partition, "Good morning.");
    }
    program(
        "FlinkRunner",
        "--ngramWindowSeconds=10",
        "--ngramLatenessSeconds=7200",
        "--ngramTopic=tables");
    List<NgramTable> first = tables(1);
    broker.send("feed", 0, 7_000, "Too late.");
    broker.send("feed", 0, window + 9_000, "Good evening.");
    // both are counted by one subtask, in this order
    List<NgramTable> all = tables(2);
    assertThat(first.get(0).getSentences()).isEqualTo(2);
    assertThat(all).hasSize(2);
    assertThat(all).extracting(table -> table.getStart().toEpochMilli()).containsOnly(window);
    assertThat(all).extracting(NgramTable::getRevision).containsExactly(0, 1);
    assertThat(all.get(1).getSentences()).isEqualTo(3);
    assertThat(broker.read("translations", found -> found.size() >= 4)).hasSize(4);
  }

  /** The tables in their topic, when there are so many or more; all have one key. */
  private List<NgramTable> tables(int count) throws IOException {
    RecordCodec<NgramTable> codec = RecordCodec.of(NgramTable.class);
    List<NgramTable> tables = new ArrayList<>();
    try {
      for (ConsumerRecord<byte[], byte[]> record :
          broker.read("tables", all -> all.size() >= count)) {
        tables.add(codec.decode(record.value()));
      }
    } catch (AssertionError e) {
      throw new AssertionError(logs(), e);
    }
    return tables;
  }

  @Test
  void tablesOfNgramsAreMadePerWindow() throws Exception {
    List<String> texts = Examples.feed(40);
    broker.send("feed", texts);
    program(
        "FlinkRunner", "--ngramWindowSeconds=10", "--ngramSettings=order=1", "--ngramTopic=tables");
    RecordCodec<NgramTable> codec = RecordCodec.of(NgramTable.class);
    // watermarks stay 5 s behind: the last window and the one before may not have ended
    List<ConsumerRecord<byte[], byte[]>> found =
        broker.read(
            "tables",
            all -> all.stream().mapToLong(ConsumerRecord::timestamp).distinct().count() >= 2);
    Map<Long, NgramTable> tables = new TreeMap<>();
    for (ConsumerRecord<byte[], byte[]> record : found) {
      NgramTable table = codec.decode(record.value());
      tables.put(table.getStart().getEpochSecond(), table);
    }
    assertThat(tables.keySet()).contains(0L, 10L);
    assertThat(tables.get(0L).getSentences()).isEqualTo(10);
    assertThat(tables.get(10L).getSentences()).isEqualTo(10);
    Map<String, Long> words =
        Examples.translations(texts.subList(0, 10)).stream()
            .flatMap(text -> Stream.of(text.split(" ")))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    assertThat(tables.get(0L).getTop())
        .allSatisfy(one -> assertThat(one.getCount()).isEqualTo(words.get(one.getNgram())));
    assertThat(tables.get(0L).getTop()).isNotEmpty();
    assertThat(started.get(0).destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
  }
}
