package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.cli.job.LocalCluster;
import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A job in this process with a Kafka of its own, and its live page. */
final class PageOfAJob implements AutoCloseable {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("latimer.root"), "examples").toAbsolutePath();

  private final EmbeddedKafka kafka;
  private final Producer<byte[], byte[]> producer;
  private final LivePage page;
  private final LocalCluster cluster;

  private PageOfAJob(String yaml, Path folder, List<String> first) throws Exception {
    this(yaml, folder, first, Optional.empty(), Optional.empty());
  }

  private PageOfAJob(
      String yaml,
      Path folder,
      List<String> first,
      Optional<SSLContext> tls,
      Optional<String> token)
      throws Exception {
    kafka = EmbeddedKafka.start();
    try (Admin admin =
        Admin.create(
            Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
      admin
          .createTopics(
              List.of("in", "out", "dead", "control", "corrections").stream()
                  .map(name -> new NewTopic(name, 1, (short) 1))
                  .toList())
          .all()
          .get();
    }
    producer =
        new KafkaProducer<>(
            Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    first.forEach(this::send);
    JobConfig config =
        JobConfigReader.read(yaml.replace("KAFKA", kafka.bootstrapServers()), "job.yaml", folder);
    page =
        LivePage.start(
            new WebSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                true,
                Set.of("localhost"),
                tls,
                token));
    Configuration settings = new Configuration();
    page.addTo(settings);
    cluster = LocalCluster.start(settings, 1, OptionalInt.empty());
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    TranslationJob.build(environment, config, page.tap());
    var unused = cluster.submit(environment);
    page.begin(config, () -> {});
  }

  private static void buildIndexes(Path folder) throws Exception {
    String text = EXAMPLES.resolve("corpora/front-desk").toString();
    String arpa = folder.resolve("desk.arpa").toString();
    Run estimated =
        Run.withInput(
            Files.newInputStream(Path.of(text + ".de")),
            "lm",
            "estimate",
            "--order",
            "3",
            "--out",
            arpa);
    assertThat(estimated.exitCode()).as(estimated.err()).isZero();
    run("lm", "import", "--arpa", arpa, "--out", folder.resolve("desk.llm").toString());
    run(
        "phrases",
        "index",
        "--source",
        text + ".en",
        "--target",
        text + ".de",
        "--alignment",
        text + ".en-de.align",
        "--index-version",
        "desk 1",
        "--out",
        folder.resolve("desk.lpx").toString());
    run(
        "grammar",
        "compile",
        EXAMPLES.resolve("grammars/front-desk.lark").toString(),
        "--out",
        folder.resolve("desk.lgx").toString());
  }

  /** A job that translates with all the verdicts that there are, and learns corrections. */
  static PageOfAJob withVerdicts(Path folder) throws Exception {
    buildIndexes(folder);
    return new PageOfAJob(
        """
        name: desk & <b>page</b>
        source: {kafka: {bootstrap-servers: "KAFKA", topics: [in], start: earliest}}
        input: {language: en}
        stages:
          - phrases: {index: desk.lpx}
          - translate: {model: "%s", beam: 1, alignment: true}
          - score: {model: desk.llm, of: translation}
          - grammar-check: {grammar: desk.lgx, of: translation, next-words: 3}
        sinks: [kafka: {bootstrap-servers: "KAFKA", topic: out, delivery: at-least-once}]
        dead-letters: {kafka: {bootstrap-servers: "KAFKA", topic: dead, delivery: at-least-once}}
        control:
          bootstrap-servers: "KAFKA"
          topic: control
          learn: [{stage: phrases, corrections: corrections}]
        checkpoints: {interval: 1s}
        """
            .formatted(EXAMPLES.resolve("models/tatoeba-en-de.lmx")),
        folder,
        List.of());
  }

  /** A job that chooses among alternatives, like everything.yaml; its page has TLS and a token. */
  static PageOfAJob withAlternatives(Path folder) throws Exception {
    buildIndexes(folder);
    PageCertificate.write(folder, "EC");
    Certificate certificate =
        Certificate.read(folder.resolve("certificate.pem"), folder.resolve("key.pem"));
    return new PageOfAJob(
        """
        name: everything
        source: {kafka: {bootstrap-servers: "KAFKA", topics: [in], start: earliest}}
        input: {language: en}
        stages:
          - phrases: {index: desk.lpx, best: 5}
          - translate: {model: "%s", beam: 4, nbest: 4, alignment: true}
          - score: {model: desk.llm, of: alternatives}
          - grammar-check: {grammar: desk.lgx, of: alternatives, next-words: 5}
          - rerank: {language-weight: 0.5, grammar-weight: 0.5, phrase-weight: 0.25}
        sinks: [kafka: {bootstrap-servers: "KAFKA", topic: out, delivery: at-least-once}]
        dead-letters: {kafka: {bootstrap-servers: "KAFKA", topic: dead, delivery: at-least-once}}
        checkpoints: {interval: 1s}
        """
            .formatted(EXAMPLES.resolve("models/tatoeba-en-de.lmx")),
        folder,
        List.of(),
        Optional.of(certificate.context()),
        Optional.of("0123456789abcdef"));
  }

  /** A job that only passes records on, and has many to begin with. */
  static PageOfAJob fast(Path folder, List<String> first) throws Exception {
    return new PageOfAJob(
        """
        name: fast
        source: {kafka: {bootstrap-servers: "KAFKA", topics: [in], start: earliest}}
        stages: [identity]
        sinks: [kafka: {bootstrap-servers: "KAFKA", topic: out, delivery: at-least-once}]
        dead-letters: {kafka: {bootstrap-servers: "KAFKA", topic: dead, delivery: at-least-once}}
        checkpoints: {interval: 1s}
        """,
        folder,
        first);
  }

  private static void run(String... args) {
    Run run = Run.of(args);
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  String url() {
    return page.url();
  }

  void send(String text) {
    var unused = producer.send(new ProducerRecord<>("in", text.getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public void close() {
    page.close();
    cluster.close();
    producer.close();
    kafka.close();
  }
}
