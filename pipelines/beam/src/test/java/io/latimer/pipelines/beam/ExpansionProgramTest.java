package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.beam.model.expansion.v1.ExpansionApi;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.sdk.schemas.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service through its own API, as SDKs of other languages use it. */
class ExpansionProgramTest {
  private static final String TRANSLATE = "beam:schematransform:io.latimer:translate:v1";

  private ExpansionClient client;

  @BeforeEach
  void start() throws Exception {
    client = ExpansionClient.start(true);
  }

  @AfterEach
  void stop() {
    client.close();
  }

  /** Sends what an SDK sends: all fields of the configuration that the service says it has. */
  private ExpansionApi.ExpansionResponse expand(Map<String, Object> settings) throws Exception {
    Schema schema = client.configuration(TRANSLATE);
    return expand(schema, schema.getFieldNames(), settings);
  }

  private ExpansionApi.ExpansionResponse expand(
      Schema schema, List<String> fields, Map<String, Object> settings) throws Exception {
    return client.expand(TRANSLATE, ExpansionClient.config(schema, fields, settings), "text");
  }

  @Test
  void allTransformsAreDiscovered() {
    Map<String, ExpansionApi.SchemaTransformConfig> found =
        client
            .service()
            .discoverSchemaTransform(
                ExpansionApi.DiscoverSchemaTransformRequest.getDefaultInstance())
            .getSchemaTransformConfigsMap();
    for (String kind : new String[] {"translate", "score", "grammar_check", "phrases", "ngrams"}) {
      assertThat(found).containsKey("beam:schematransform:io.latimer:" + kind + ":v1");
    }
    assertThat(found.get(TRANSLATE).getOutputPcollectionNamesList()).containsExactly("output");
    assertThat(found.get(TRANSLATE).getConfigSchema().getFieldsList())
        .anyMatch(field -> field.getName().equals("model"));
  }

  @Test
  void aTransformIsExpanded() throws Exception {
    ExpansionApi.ExpansionResponse response =
        expand(Map.of("model", Examples.MODEL.toString(), "beam", 4));
    assertThat(response.getError()).isEmpty();
    assertThat(response.getTransform().getOutputsMap()).containsOnlyKeys("output");
    // a runner may use workers in the service's own process, rather than a container
    assertThat(environments(response)).contains("beam:env:external:v1");
  }

  /** What {@code rearrange_based_on_discovery} is for: Python sends named values otherwise. */
  @Test
  void fieldsMayHaveAnotherOrderButMustAllBeThere() throws Exception {
    Map<String, Object> settings = Map.of("model", Examples.MODEL.toString(), "beam", 4);
    Schema schema = client.configuration(TRANSLATE);
    List<String> reversed = new ArrayList<>(schema.getFieldNames());
    Collections.reverse(reversed);
    assertThat(expand(schema, reversed, settings).getError()).isEmpty();
    assertThat(expand(schema, List.of("model", "beam"), settings).getError())
        .contains("model", "beam");
  }

  /** What the pipeline may run in. */
  private static List<String> environments(ExpansionApi.ExpansionResponse response)
      throws Exception {
    List<String> urns = new ArrayList<>();
    for (RunnerApi.Environment one : response.getComponents().getEnvironmentsMap().values()) {
      urns.add(one.getUrn());
      if (one.getUrn().equals("beam:env:anyof:v1")) {
        RunnerApi.AnyOfEnvironmentPayload.parseFrom(one.getPayload())
            .getEnvironmentsList()
            .forEach(choice -> urns.add(choice.getUrn()));
      }
    }
    return urns;
  }

  /** Workers run what they are sent. */
  @Test
  void withoutWorkersThereAreNone() throws Exception {
    stop();
    client = ExpansionClient.start(false);
    ExpansionApi.ExpansionResponse response = expand(Map.of("model", Examples.MODEL.toString()));
    assertThat(response.getError()).isEmpty();
    assertThat(environments(response)).isNotEmpty().doesNotContain("beam:env:external:v1");
    assertThat(client.server().getServices())
        .noneMatch(one -> one.getServiceDescriptor().getName().contains("ExternalWorker"));
  }

  @Test
  void theProgramEndsWithItsParent() throws Exception {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-D" + ParentWatch.PROPERTY + "=true",
                "-cp",
                System.getProperty("java.class.path"),
                ExpansionProgram.class.getName(),
                "0")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = program.inputReader()) {
      String line = out.readLine();
      while (line != null && !line.contains("serving")) {
        line = out.readLine();
      }
      assertThat(line).isNotNull();
      assertThat(program.isAlive()).isTrue();
      program.getOutputStream().close(); // as when this process dies
      assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(program.exitValue()).isEqualTo(1);
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void aWrongConfigurationIsAnErrorOfTheRequest() throws Exception {
    ExpansionApi.ExpansionResponse response = expand(Map.of("model", "missing.lmx"));
    assertThat(response.getError()).contains("missing.lmx");
  }

  @Test
  void otherMachinesCannotConnect() {
    assertThat(client.server().getListenSockets())
        .allMatch(
            address -> ((java.net.InetSocketAddress) address).getAddress().isLoopbackAddress());
  }
}
