package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import io.latimer.pipelines.client.JaasText;
import io.latimer.pipelines.flink.JaasEnvConfigProvider;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose source, sinks, dead letters and commands are on a Kafka that wants TLS and a
 * password. The job file only refers to the password, and nobody prints it.
 */
@Timeout(240)
class SecuredKafkaTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String VARIABLE = "LATIMER_TEST_PASSWORD";
  private static final List<String> TOPICS = List.of("in", "out", "dead", "control", "status");

  @TempDir static Path folder;
  private static SecuredBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = new SecuredBroker(folder);
    Properties secrets = new Properties();
    secrets.setProperty("kafka.password", JaasText.quoted(SecuredBroker.PASSWORD));
    try (Writer out = Files.newBufferedWriter(folder.resolve("secrets.properties"))) {
      secrets.store(out, null);
    }
    Jvm.Ended topics =
        Jvm.run(folder, latimer(SecuredBroker.PASSWORD, "topics", "--config", job().toString()));
    assertThat(topics.out().lines())
        .as(topics.err())
        .containsExactlyInAnyOrderElementsOf(
            TOPICS.stream().map(topic -> "created " + topic + ", 1 partition").toList());
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  /**
   * Three ways to refer to a password: a variable that we resolve, one that Kafka's clients resolve
   * with our provider, and a file, as Kafka does.
   */
  private static Path job() throws Exception {
    String login =
        "org.apache.kafka.common.security.scram.ScramLoginModule required"
            + " username=\"latimer\" password=\"%s\";";
    String properties =
        """
        {security.protocol: SASL_SSL, sasl.mechanism: SCRAM-SHA-512, ssl.truststore.type: PEM,
                  ssl.truststore.location: "%s", sasl.jaas.config: '%s'%s}\
        """
            .formatted(broker.certificate(), login, "%s");
    String variable = properties.formatted("${ENV:" + VARIABLE + "}", "");
    String file =
        properties.formatted(
            "${file:" + folder.resolve("secrets.properties") + ":kafka.password}",
            ", config.providers: file, config.providers.file.class:"
                + " org.apache.kafka.common.config.provider.FileConfigProvider");
    String provided =
        properties.formatted(
            "${env:" + VARIABLE + "}",
            ", config.providers: env, config.providers.env.class: "
                + JaasEnvConfigProvider.class.getName());
    return Files.writeString(
        folder.resolve("job.yaml"),
        """
        name: secured
        source:
          kafka:
            bootstrap-servers: "SERVERS"
            topics: [in]
            start: earliest
            properties: FILE
        stages: [identity]
        sinks:
          - kafka:
              bootstrap-servers: "SERVERS"
              topic: out
              delivery: exactly-once
              properties: VARIABLE
        dead-letters:
          kafka:
            bootstrap-servers: "SERVERS"
            topic: dead
            properties: PROVIDED
        control:
          bootstrap-servers: "SERVERS"
          topic: control
          properties: FILE
          status:
            - kafka:
                bootstrap-servers: "SERVERS"
                topic: status
                delivery: at-least-once
                properties: PROVIDED
        checkpoints: {interval: 500ms}
        """
            .replace("SERVERS", broker.servers())
            .replace("VARIABLE", variable)
            .replace("PROVIDED", provided)
            .replace("FILE", file));
  }

  /** The command line, in a process with a password in its environment. */
  private static ProcessBuilder latimer(String password, String... arguments) {
    ProcessBuilder program =
        Jvm.program(System.getProperty("java.class.path"), Latimer.class.getName(), arguments);
    program.environment().put(VARIABLE, password);
    return program;
  }

  @Test
  void theJobReadsWritesAndTakesCommands() throws Exception {
    String job = job().toString();
    send("Good morning!".getBytes(StandardCharsets.UTF_8));
    send(new byte[] {(byte) 0xff});
    Path err = folder.resolve("run.err");
    Process running =
        latimer(SecuredBroker.PASSWORD, "run", "--config", job, "--web=0", "--web-write")
            .redirectOutput(folder.resolve("run.out").toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertThat(sources(await("out", 1, running, err))).containsExactly("Good morning!");
      DeadLetter refused =
          RecordCodec.of(DeadLetter.class).decode(await("dead", 1, running, err).get(0));
      assertThat(refused.getOriginal().array()).containsExactly(0xff);

      Jvm.Ended set =
          Jvm.run(
              folder,
              latimer(
                  SecuredBroker.PASSWORD,
                  "control",
                  "--config",
                  job,
                  "set",
                  "batch.max-records=7"));
      assertThat(set.err()).isEmpty();
      assertThat(set.out()).startsWith("job secured: batches have batch.max-records=7");

      Matcher page =
          Pattern.compile("its records are shown at (\\S+)/").matcher(Files.readString(err));
      assertThat(page.find()).as(Files.readString(err)).isTrue();
      String address = page.group(1);
      assertThat(answer(HttpRequest.newBuilder(URI.create(address + "/api/statistics"))))
          .contains("\"translated\":1,")
          .doesNotContain(SecuredBroker.PASSWORD);
      String sent =
          answer(
              HttpRequest.newBuilder(URI.create(address + "/api/sentences"))
                  .header("Origin", address)
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"text\": \"How are you?\"}")));
      assertThat(sent).startsWith("{\"id\":");
      assertThat(sources(await("out", 2, running, err)))
          .containsExactly("Good morning!", "How are you?");
    } finally {
      running.destroy();
      running.waitFor();
    }
    for (String printed : List.of("run.out", "run.err")) {
      assertThat(Files.readString(folder.resolve(printed))).doesNotContain(SecuredBroker.PASSWORD);
    }
  }

  @Test
  void theCheckAnswersAndKeepsThePasswordToItself() throws Exception {
    String job = job().toString();
    Jvm.Ended right =
        Jvm.run(folder, latimer(SecuredBroker.PASSWORD, "run", "--config", job, "--check"));
    assertThat(right.exitCode()).as(right.err()).isZero();
    assertThat(right.out())
        .contains("password=\"${ENV:" + VARIABLE + "}\"", "secrets.properties:kafka.password}\"");

    String other = "another-password-91c4";
    Jvm.Ended wrong = Jvm.run(folder, latimer(other, "run", "--config", job, "--check"));
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err())
        .doesNotContain("source")
        .contains("latimer: sink kafka: Kafka at " + broker.servers() + ": ")
        .contains("Authentication failed", "; check the properties that begin with sasl.")
        .contains("latimer: dead-letters: Kafka at " + broker.servers() + ": ");
    for (Jvm.Ended ended : List.of(right, wrong)) {
      assertThat(ended.out() + ended.err()).doesNotContain(SecuredBroker.PASSWORD, other);
    }

    Path untrusting =
        Files.writeString(
            folder.resolve("untrusting.yaml"),
            Files.readString(Path.of(job)).replaceAll("ssl.truststore.[a-z]+: [^,]+,", ""));
    Jvm.Ended untrusted =
        Jvm.run(
            folder,
            latimer(SecuredBroker.PASSWORD, "run", "--config", untrusting.toString(), "--check"));
    assertThat(untrusted.exitCode()).isEqualTo(1);
    assertThat(untrusted.err())
        .contains("latimer: source: Kafka at " + broker.servers() + ": ")
        .contains("unable to find valid certification path")
        .contains("; check the properties that begin with ssl.");

    ProcessBuilder without = latimer("", "run", "--config", job, "--check");
    without.environment().remove(VARIABLE);
    Jvm.Ended unset = Jvm.run(folder, without);
    assertThat(unset.exitCode()).isEqualTo(1);
    assertThat(unset.err())
        .contains("sasl.jaas.config refers to the environment variable " + VARIABLE)
        .contains("which is not set");
  }

  private static void send(byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.kafka().bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>("in", value)).get();
    }
  }

  private static String answer(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 202);
    return answer.body();
  }

  private static List<String> sources(List<byte[]> translations) throws Exception {
    List<String> sources = new ArrayList<>();
    for (byte[] one : translations) {
      sources.add(RecordCodec.of(Translation.class).decode(one).getSource().getText());
    }
    return sources;
  }

  /** The committed records of a topic, once there are so many. */
  private static List<byte[]> await(String topic, int count, Process running, Path err)
      throws Exception {
    List<byte[]> values = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                broker.kafka().bootstrapServers(),
                "isolation.level",
                "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (values.size() < count) {
        assertThat(running.isAlive() && System.nanoTime() < end)
            .as("%d records in %s: %s", count, topic, Files.readString(err))
            .isTrue();
        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
      }
    }
    assertThat(values).hasSize(count);
    return values;
  }
}
