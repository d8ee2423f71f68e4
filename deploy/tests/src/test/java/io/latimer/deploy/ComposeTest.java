package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.ClusterSettings;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files for Docker Compose. */
class ComposeTest {
  /** The keys of a service that we use, from the Compose specification. */
  private static final Set<String> KEYS =
      Set.of(
          "image",
          "build",
          "restart",
          "read_only",
          "cap_drop",
          "security_opt",
          "tmpfs",
          "volumes",
          "environment",
          "ports",
          "healthcheck",
          "depends_on",
          "entrypoint",
          "command",
          "deploy");

  private static Map<String, Object> services(String file) {
    Map<String, Object> all = Deploy.document(Deploy.DOCKER.resolve(file));
    Map<String, Object> services = new HashMap<>();
    Deploy.map(all.get("services"))
        .forEach(
            (name, service) -> {
              // the YAML library leaves merge keys to us
              Map<String, Object> merged = new HashMap<>(Deploy.map(Deploy.at(service, "<<")));
              merged.putAll(Deploy.map(service));
              merged.remove("<<");
              services.put(name, merged);
            });
    return services;
  }

  @ParameterizedTest
  @ValueSource(strings = {"compose.yaml", "compose.gpu.yaml"})
  void mountOnlyFilesThatExist(String file) {
    services(file)
        .forEach(
            (name, service) -> {
              assertThat(KEYS).as(name).containsAll(Deploy.map(service).keySet());
              for (Object volume : Deploy.list(Deploy.at(service, "volumes"))) {
                String source = ((String) volume).split(":", 2)[0];
                if (source.startsWith(".")) {
                  assertThat(Deploy.DOCKER.resolve(source)).as(name).exists();
                  assertThat((String) volume).endsWith(":ro");
                } else {
                  assertThat(
                          Deploy.map(Deploy.document(Deploy.DOCKER.resolve(file)).get("volumes")))
                      .containsKey(source);
                }
              }
            });
  }

  @Test
  void haveAFolderForCopiesOfModels() {
    Map<String, Object> services = services("compose.yaml");
    for (String name : List.of("jobmanager", "taskmanager")) {
      Object service = services.get(name);
      assertThat(Deploy.at(service, "read_only")).isEqualTo(true);
      String cache = (String) Deploy.at(service, "environment", "XDG_CACHE_HOME");
      assertThat(Deploy.list(Deploy.at(service, "tmpfs")))
          .anySatisfy(
              mount -> assertThat(cache).startsWith(((String) mount).split(":", 2)[0] + "/"));
    }
  }

  @Test
  void listenOnTheLoopbackDeviceOnly() {
    services("compose.yaml")
        .forEach(
            (name, service) ->
                assertThat(Deploy.list(Deploy.at(service, "ports")))
                    .as(name)
                    .allSatisfy(port -> assertThat((String) port).startsWith("127.0.0.1:")));
  }

  @Test
  void waitOnlyForServicesThatExist() {
    Map<String, Object> services = services("compose.yaml");
    services.forEach(
        (name, service) -> {
          Object needed = Deploy.at(service, "depends_on");
          assertThat(services.keySet())
              .as(name)
              .containsAll(
                  needed instanceof Map
                      ? new TreeSet<Object>(Deploy.map(needed).keySet())
                          .stream().map(String.class::cast).toList()
                      : Deploy.list(needed).stream().map(String.class::cast).toList());
        });
  }

  @Test
  void arePinnedByDigestAndHaveTheBrokerOfTheTests() {
    Matcher kafka =
        Pattern.compile("<kafka.version>(.*)</kafka.version>")
            .matcher(Deploy.read(Deploy.ROOT.resolve("pom.xml")));
    assertThat(kafka.find()).isTrue();
    Map<String, Object> services = services("compose.yaml");
    assertThat((String) Deploy.at(services, "kafka", "image"))
        .startsWith("apache/kafka:" + kafka.group(1) + "@");
    services.forEach(
        (name, service) ->
            assertThat((String) Deploy.at(service, "image"))
                .matches(
                    "\\$\\{LATIMER_IMAGE:-latimer:[0-9.]+-cpu}"
                        + "|[a-z/]+:v?[0-9][0-9.]+@sha256:[0-9a-f]{64}"));
  }

  private static Map<String, String> settings(String file) {
    Map<String, String> settings = new HashMap<>();
    Deploy.document(Deploy.DOCKER.resolve(file))
        .forEach((key, value) -> settings.put(key, String.valueOf(value)));
    return settings;
  }

  @Test
  void runTheJobWithSettingsThatFlinkKnows() {
    assertThat(FlinkSettings.problems(Configuration.fromMap(settings("compose/conf/config.yaml"))))
        .isEmpty();
  }

  /** Here and in the image. */
  @Test
  void showFlinksPageOnlyToBeLookedAt() {
    for (String file : List.of("compose/conf/config.yaml", "flink/conf/config.yaml")) {
      assertThat(settings(file)).as(file).containsAllEntriesOf(FlinkSettings.OF_THE_PAGE);
    }
  }

  @Test
  void createTheTopicsOfTheJob() throws Exception {
    JobConfig job = job("job.yaml");
    String script =
        (String) Deploy.list(Deploy.at(services("compose.yaml"), "topics", "command")).get(0);
    assertThat(script)
        .contains(" sentences.en:" + 2 * job.parallelism() + " ")
        .contains(" sentences.de:", " sentences.dead-letters:", " latimer.status:")
        .contains(" " + job.control().topic() + ":1 ");
  }

  @Test
  void differOnTheGpuInTheDeviceOnly() throws Exception {
    List<String> cpu = lines("job.yaml");
    List<String> gpu = lines("job.gpu.yaml");
    assertThat(gpu).contains("      device: gpu");
    assertThat(gpu.stream().filter(line -> !line.strip().startsWith("device:")).skip(1))
        .containsExactlyElementsOf(cpu.subList(1, cpu.size()));
    assertThat(job("job.gpu.yaml").parallelism()).isEqualTo(job("job.yaml").parallelism());
  }

  private static List<String> lines(String file) {
    return Deploy.read(Deploy.DOCKER.resolve("compose").resolve(file)).lines().toList();
  }

  private static JobConfig job(String file) throws Exception {
    Path path = Deploy.DOCKER.resolve("compose").resolve(file);
    return ClusterSettings.applied(JobConfigReader.read(path), new Configuration());
  }
}
