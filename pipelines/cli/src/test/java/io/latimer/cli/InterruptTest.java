package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Ctrl-C as a terminal sends it: to the command and to the processes it started, all at once. Each
 * command is a process of its own, with a temporary folder of its own.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
final class InterruptTest extends CommandProcess {
  /** Sends the signal and waits for the end of the command and of all that it started. */
  private void interrupt() throws Exception {
    end("INT", 130);
  }

  private void end(String signal, int exitCode) throws Exception {
    Optional<ProcessHandle> broker = broker();
    signal(signal, "-" + process.pid());
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(exitCode);
    assertThat(broker.filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(Files.readString(err)).doesNotContain("Exception", "gave up", "did not stop");
  }

  /**
   * Flink's shutdown hooks write to the log when they run; where all has ended before the JVM does,
   * they have been taken back.
   */
  private void assertJobEndedBeforeTheProcess() throws IOException {
    assertThat(Files.readString(folder.resolve("log")))
        .containsPattern("switched from state \\w+ to (CANCELED|FINISHED)")
        .contains("Stopped Pekko RPC service")
        .doesNotContain("BlobServer shutdown hook");
  }

  @Test
  void theDemoTakesItsBrokerAndItsFilesAlong() throws Exception {
    start("demo", "--rate", "20", "--beam", "1");
    await(out, "\n");
    assertThat(broker()).isPresent();
    interrupt();
    Matcher counts =
        Pattern.compile("(\\S+) sentences in, (\\S+) translated").matcher(Files.readString(err));
    assertThat(counts.find()).isTrue();
    assertThat(counts.group(2)).as("translated of those sent").isEqualTo(counts.group(1));
    assertThat(Files.readString(out)).endsWith("\n");
    assertThat(files(temporary)).isEmpty();
    assertJobEndedBeforeTheProcess();
  }

  /** As a manager of services does: to the broker, too, which must outlive the job. */
  @Test
  void aPoliteKillIsAsGoodAsCtrlC() throws Exception {
    start("demo", "--rate", "20", "--beam", "1");
    await(out, "\n");
    end("TERM", 143);
    assertThat(files(temporary)).isEmpty();
    assertJobEndedBeforeTheProcess();
  }

  @Test
  void aKeptBrokerServesOthersUntilItIsStopped() throws Exception {
    start("demo", "--rate", "0", "--beam", "1", "--limit", "2", "--keep");
    await(err, "prints a job file to start from.");
    String said = Files.readString(err);
    Matcher kept = Pattern.compile("Kafka stays at (\\S+) for other jobs").matcher(said);
    assertThat(kept.find()).isTrue();
    Map<String, Object> servers = Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kept.group(1));
    try (Admin admin = Admin.create(servers)) {
      assertThat(admin.listTopics().names().get())
          .hasSize(3)
          .allSatisfy(topic -> assertThat(said).contains(topic));
    }
    end("INT", 0); // the work is done, and this is how the broker is stopped
    assertThat(files(temporary)).isEmpty();
  }

  @Test
  void whatIsHalfStartedLeavesNothingBehind() throws Exception {
    start("demo");
    for (int i = 0; i < PATIENCE_SECONDS * 100 && broker().isEmpty(); i++) {
      Thread.sleep(10);
    }
    assertThat(broker()).as("the broker, which has just begun").isPresent();
    interrupt();
    assertThat(Files.readString(out)).isEmpty();
    // what has begun to start is waited for: who saw nothing would send a second signal
    assertThat(Files.readString(err)).isEqualTo("latimer: stopping ...\n");
    assertThat(files(temporary)).isEmpty();
  }

  /** The first asks for an orderly end, which a broker that does not answer puts off. */
  @Test
  void aSecondCtrlCDoesNotWaitForAnOrderlyEnd() throws Exception {
    start("demo", "--rate", "20", "--beam", "1");
    await(out, "\n");
    String broker = Long.toString(broker().orElseThrow().pid());
    signal("STOP", broker);
    signal("INT", "-" + process.pid());
    await(err, "latimer: stopping ..."); // taken
    do { // the first of these may come too soon after the one above, and be the same
      signal("INT", "-" + process.pid());
    } while (!process.waitFor(1, TimeUnit.SECONDS));
    signal("KILL", broker);
    assertThat(process.exitValue()).isEqualTo(130);
    assertThat(Files.readString(err)).contains("latimer: the shutdown was incomplete.");
  }

  private void job(String sink, String more) throws IOException {
    Files.writeString(
        folder.resolve("job.yaml"),
        """
        source:
          files: {path: in, watch: 100ms}
        stages: [identity: {}]
        sinks:
          - files: {path: out-files, name: %s}
          - print: {}
        checkpoints: {interval: 1h%s}
        """
            .formatted(sink, more));
  }

  private static List<String> send(EmbeddedKafka kafka, int run) throws Exception {
    List<String> sent = new ArrayList<>();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < 200; i++) {
        String text = run + " " + i;
        sent.add(text);
        producer.send(new ProducerRecord<>("in", text.getBytes(StandardCharsets.UTF_8))).get();
        Thread.sleep(10);
      }
    }
    return sent;
  }

  private static long committed(EmbeddedKafka kafka) throws Exception {
    try (Admin admin =
        Admin.create(
            Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
      return admin
          .listConsumerGroupOffsets("news")
          .partitionsToOffsetAndMetadata()
          .get()
          .values()
          .stream()
          .mapToLong(OffsetAndMetadata::offset)
          .sum();
    }
  }

  private static List<String> texts(EmbeddedKafka kafka) throws Exception {
    List<String> texts = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "isolation.level", "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition out = new TopicPartition("out", 0);
      consumer.assign(List.of(out));
      consumer.seekToBeginning(List.of(out));
      long end = consumer.endOffsets(List.of(out)).get(out);
      while (consumer.position(out) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          texts.add(RecordCodec.of(Translation.class).decode(record.value()).getSource().getText());
        }
      }
    }
    return texts;
  }

  private List<String> written() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("out-files"))) {
      List<String> lines = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        if (!file.getFileName().toString().startsWith(".")) { // finished
          lines.addAll(Files.readAllLines(file));
        }
      }
      return lines;
    }
  }

  @Test
  void aJobFinishesItsFiles() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Files.writeString(in.resolve("1"), "one\ntwo\n");
    job("a", "");
    start("run", "--config", "job.yaml");
    await(out, "two");
    interrupt();
    assertThat(Files.readString(err))
        .contains("latimer: stopping ...", "latimer: stopped; all that was read is written.");
    assertThat(written()).containsExactly("one", "two");
    assertThat(files(temporary)).isEmpty();
    assertJobEndedBeforeTheProcess();
  }

  /** The next run goes on from the committed offsets; records come until the end. */
  @Test
  void aStopWithoutAFolderLeavesNothingToWriteAgain() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("in", 2);
      kafka.createTopic("out", 1);
      Files.writeString(
          folder.resolve("job.yaml"),
          """
          name: news
          source: {kafka: {bootstrap-servers: "%1$s", topics: [in]}}
          stages: [identity]
          sinks: [kafka: {bootstrap-servers: "%1$s", topic: out, delivery: exactly-once}]
          checkpoints: {interval: 3min}
          """
              .formatted(kafka.bootstrapServers()));
      List<String> sent = new ArrayList<>();
      for (int run = 0; run < 2; run++) {
        start("run", "--config", "job.yaml");
        await(err, " is running.");
        sent.addAll(send(kafka, run));
        end("TERM", 143);
        assertThat(Files.readString(err))
            .contains("latimer: stopped; all that was read is written");
        assertThat(committed(kafka)).as("offsets").isEqualTo(texts(kafka).size());
      }
      assertThat(texts(kafka)).doesNotHaveDuplicates().isSubsetOf(sent);
      assertThat(files(temporary)).isEmpty();
    }
  }

  @Test
  void aJobGoesOnFromItsSavepointUnlessItIsOfAnother() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Files.writeString(in.resolve("1"), "one\n");
    job("a", ", directory: state");
    start("run", "--config", "job.yaml");
    await(out, "one");
    end("TERM", 143);
    assertThat(Files.readString(err)).contains("latimer: stopped with savepoint file:");

    job("b", ", directory: state");
    start("run", "--config", "job.yaml");
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readString(err))
        .contains(" has state of sink-a", ", which this job does not have: ");

    job("a", ", directory: state");
    Files.writeString(in.resolve("2"), "two\n");
    start("run", "--config", "job.yaml");
    await(out, "two");
    end("TERM", 143);
    assertThat(Files.readString(err)).contains("latimer: resuming from checkpoint ");
    assertThat(written()).containsExactlyInAnyOrder("one", "two");

    start("run", "--config", "job.yaml", "--fresh");
    await(out, "two"); // files are read in any order
    await(out, "one");
    end("TERM", 143);
    assertThat(files(temporary)).isEmpty();
  }

  /** A broker that does not answer holds up the sink, and so the savepoint. */
  @Test
  void aStopWaitsForItsSavepointNoLongerThanItMay() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("out", 1);
      Path in = Files.createDirectory(folder.resolve("in"));
      Files.writeString(
          folder.resolve("job.yaml"),
          """
          source: {files: {path: in, watch: 100ms}}
          stages: [identity]
          sinks:
            - print: {}
            - kafka: {bootstrap-servers: "%s", topic: out, delivery: at-least-once}
          checkpoints: {interval: 1h, directory: state}
          """
              .formatted(kafka.bootstrapServers()));
      start("run", "--config", "job.yaml", "--stop-timeout", "1s");
      await(err, " is running.");
      signal("STOP", Long.toString(kafka.pid()));
      try {
        Files.writeString(in.resolve("1"), "one\n");
        await(out, "one");
        signal("TERM", Long.toString(process.pid()));
        await(
            err,
            "latimer: stopped without a savepoint: not done within 1 s (--stop-timeout); the same"
                + " command ");
      } finally {
        signal("CONT", Long.toString(kafka.pid()));
      }
    }
  }

  @Test
  void translateLeavesWholeLines() throws Exception {
    start("translate", "--beam", "1", "--batch", "1");
    OutputStream input = process.getOutputStream();
    input.write("Good morning!\nI found the key.\n".getBytes(StandardCharsets.UTF_8));
    input.flush();
    await(out, "\n");
    interrupt();
    assertThat(Files.readString(out)).startsWith("Guten Morgen!\n").endsWith("\n");
    assertThat(files(temporary)).isEmpty();
  }
}
