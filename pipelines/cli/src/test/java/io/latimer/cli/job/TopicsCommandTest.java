package io.latimer.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.kafka.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TopicsCommandTest {
  private static final String JOB =
      """
      source: {kafka: {bootstrap-servers: "%1$s", topics: [in, more]}}
      stages:
        - phrases: {index: none.lpx}
        - score: {model: none.llm}
        - ngrams: {window: 1h, sinks: [{kafka: {bootstrap-servers: "%1$s", topic: tables}}]}
      sinks: [{kafka: {bootstrap-servers: "%1$s", topic: out}}]
      dead-letters: {kafka: {bootstrap-servers: "%1$s", topic: dead}}
      control:
        bootstrap-servers: "%1$s"
        topic: commands
        follow: [{stage: score, topic: models}]
        status: [{kafka: {bootstrap-servers: "%1$s", topic: status}}]
        learn: [{stage: phrases, corrections: corrections}]
      """;

  @TempDir Path folder;

  private Run topics(String job, String servers, String... more) throws Exception {
    Path file = Files.writeString(folder.resolve("job.yaml"), job.formatted(servers));
    List<String> args = new ArrayList<>(List.of("topics", "--config", file.toString()));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  private static Admin admin(EmbeddedKafka kafka) {
    return Admin.create(
        Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()));
  }

  /** The numbers of partitions of all topics. */
  private static Map<String, Integer> partitions(Admin admin) throws Exception {
    Map<String, Integer> partitions = new TreeMap<>();
    admin
        .describeTopics(admin.listTopics().names().get())
        .allTopicNames()
        .get()
        .forEach((name, topic) -> partitions.put(name, topic.partitions().size()));
    return partitions;
  }

  @Test
  void theTopicsThatAreMissingAreCreated() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start();
        Admin admin = admin(kafka)) {
      kafka.createTopic("out", 2);
      Run first = topics(JOB, kafka.bootstrapServers(), "--partitions=3");
      assertThat(first.exitCode()).as(first.err()).isZero();
      assertThat(first.out().lines())
          .containsExactly(
              "created in, 3 partitions",
              "created more, 3 partitions",
              "created commands, 1 partition",
              "created models, 3 partitions",
              "created corrections, 3 partitions",
              "out exists, 2 partitions",
              "created tables, 3 partitions",
              "created dead, 3 partitions",
              "created status, 3 partitions");
      assertThat(first.err()).isEmpty();
      Map<String, Integer> there =
          Map.of(
              "in",
              3,
              "more",
              3,
              "commands",
              1,
              "models",
              3,
              "corrections",
              3,
              "out",
              2,
              "tables",
              3,
              "dead",
              3,
              "status",
              3);
      assertThat(partitions(admin)).isEqualTo(there);

      Run second = topics(JOB, kafka.bootstrapServers(), "--replication-factor=1");
      assertThat(second.exitCode()).isZero();
      assertThat(second.out().lines())
          .hasSize(9)
          .allMatch(line -> line.matches("\\w+ exists, \\d partitions?"));
      assertThat(partitions(admin)).isEqualTo(there);
    }
  }

  @Test
  void whatTheBrokersRefuseIsNamed() throws Exception {
    String job =
        """
        source: {kafka: {bootstrap-servers: "%1$s", topic-pattern: "news\\\\..*"}}
        stages: [identity]
        sinks: [{kafka: {bootstrap-servers: "%1$s", topic: out}}]
        control: {bootstrap-servers: "%1$s", topic: commands}
        """;
    try (EmbeddedKafka kafka =
            EmbeddedKafka.start(
                Map.of(
                    "authorizer.class.name",
                    "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                    "allow.everyone.if.no.acl.found",
                    "true"));
        Admin admin = admin(kafka)) {
      kafka.createTopic("commands", 2);
      Run many = topics(job, kafka.bootstrapServers(), "--replication-factor=2");
      assertThat(many.exitCode()).isEqualTo(1);
      assertThat(many.out())
          .isEqualTo(
              "commands exists, 2 partitions; commands keep their order in a single one only:"
                  + " delete the topic, and run this again\n");
      assertThat(many.err().lines())
          .satisfiesExactly(
              line ->
                  assertThat(line)
                      .isEqualTo(
                          "latimer: source: topic-pattern news\\..* names no topic; create the"
                              + " topics that it is to match yourself."),
              line ->
                  assertThat(line)
                      .startsWith(
                          "latimer: sink kafka, topic out: Kafka at "
                              + kafka.bootstrapServers()
                              + ": InvalidReplicationFactorException: ")
                      .endsWith("; set --replication-factor to at most the number of brokers."));

      denyCreation(admin);
      Run denied = topics(job, kafka.bootstrapServers());
      assertThat(denied.exitCode()).isEqualTo(1);
      assertThat(denied.err())
          .contains(
              "latimer: sink kafka, topic out: Kafka at "
                  + kafka.bootstrapServers()
                  + ": TopicAuthorizationException: ")
          .endsWith("needs Describe on the topic, and Create to create it.\n");
      assertThat(partitions(admin)).isEqualTo(Map.of("commands", 2));
    }
  }

  /** Everybody may do anything but create topics. */
  private static void denyCreation(Admin admin) throws Exception {
    List<ResourcePattern> resources =
        List.of(
            new ResourcePattern(ResourceType.CLUSTER, Resource.CLUSTER_NAME, PatternType.LITERAL),
            new ResourcePattern(
                ResourceType.TOPIC, ResourcePattern.WILDCARD_RESOURCE, PatternType.LITERAL));
    for (ResourcePattern resource : resources) {
      admin
          .createAcls(
              List.of(
                  new AclBinding(resource, entry(AclOperation.ALL, AclPermissionType.ALLOW)),
                  new AclBinding(resource, entry(AclOperation.CREATE, AclPermissionType.DENY))))
          .all()
          .get();
    }
  }

  private static AccessControlEntry entry(AclOperation operation, AclPermissionType permission) {
    return new AccessControlEntry("User:*", "*", operation, permission);
  }

  /** It is asked once, and not for every topic. */
  @Test
  void aBrokerThatDoesNotAnswerIsNamed() throws Exception {
    Run run = topics(JOB, "127.0.0.1:1");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "latimer: source, topic in: no Kafka answers at 127.0.0.1:1 within 6 s; check that it"
                + " runs, and bootstrap-servers.\n");
  }

  @Test
  void aJobWithoutKafkaHasNoTopics() throws Exception {
    Run run = topics("source: {list: {lines: [one]}}\nstages: [identity]\n", "");
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEqualTo("latimer: job latimer has no Kafka topics.\n");
  }

  @Test
  void numbersThatNoTopicCanHaveAreWrongUsage() throws Exception {
    assertThat(topics(JOB, "127.0.0.1:1", "--partitions=0").exitCode()).isEqualTo(2);
    assertThat(topics(JOB, "127.0.0.1:1", "--replication-factor=40000").err())
        .contains("--replication-factor must be from 1 to 32767, found 40000.");
  }
}
