package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.beam.model.expansion.v1.ExpansionApi;
import org.apache.beam.model.expansion.v1.ExpansionServiceGrpc;
import org.apache.beam.model.pipeline.v1.ExternalTransforms.SchemaTransformPayload;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.SchemaTranslation;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.util.construction.PipelineTranslation;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.vendor.grpc.v1p69p0.com.google.protobuf.ByteString;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.ManagedChannel;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.Server;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.netty.NettyChannelBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service through its own API, as SDKs of other languages use it. */
class ExpansionProgramTest {
  private static final String TRANSLATE = "beam:schematransform:io.latimer:translate:v1";

  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    server = ExpansionProgram.start(0, true);
    channel = NettyChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private ExpansionServiceGrpc.ExpansionServiceBlockingStub service() {
    return ExpansionServiceGrpc.newBlockingStub(channel);
  }

  /** What an SDK sends for a transform on rows of texts: all fields of the discovered schema. */
  private static ExpansionApi.ExpansionRequest request(Map<String, Object> settings)
      throws Exception {
    Schema schema = new RowStageProvider.OfTranslate().configurationSchema();
    Row config =
        Row.withSchema(schema)
            .addValues(
                schema.getFieldNames().stream().map(settings::get).collect(Collectors.toList()))
            .build();
    Pipeline pipeline = Pipeline.create();
    Schema rows = Schema.builder().addStringField("text").build();
    pipeline.apply(
        Create.of(Row.withSchema(rows).addValue("Good morning.").build()).withRowSchema(rows));
    RunnerApi.Pipeline before = PipelineTranslation.toProto(pipeline);
    String input =
        before
            .getComponents()
            .getTransformsOrThrow(before.getRootTransformIds(0))
            .getOutputsMap()
            .values()
            .iterator()
            .next();
    SchemaTransformPayload payload =
        SchemaTransformPayload.newBuilder()
            .setIdentifier(TRANSLATE)
            .setConfigurationSchema(SchemaTranslation.schemaToProto(config.getSchema(), true))
            .setConfigurationRow(
                ByteString.copyFrom(
                    CoderUtils.encodeToByteArray(RowCoder.of(config.getSchema()), config)))
            .build();
    return ExpansionApi.ExpansionRequest.newBuilder()
        .setComponents(before.getComponents())
        .setNamespace("other")
        .setTransform(
            RunnerApi.PTransform.newBuilder()
                .setUniqueName("Translate")
                .putInputs("input", input)
                .setSpec(
                    RunnerApi.FunctionSpec.newBuilder()
                        .setUrn("beam:expansion:payload:schematransform:v1")
                        .setPayload(payload.toByteString())))
        .build();
  }

  @Test
  void allTransformsAreDiscovered() {
    Map<String, ExpansionApi.SchemaTransformConfig> found =
        service()
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
        service().expand(request(Map.of("model", Examples.MODEL.toString(), "beam", 4)));
    assertThat(response.getError()).isEmpty();
    assertThat(response.getTransform().getOutputsMap()).containsOnlyKeys("output");
    // a runner may use workers in the service's own process, rather than a container
    assertThat(environments(response)).contains("beam:env:external:v1");
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
    server = ExpansionProgram.start(0, false);
    channel = NettyChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
    ExpansionApi.ExpansionResponse response =
        service().expand(request(Map.of("model", Examples.MODEL.toString())));
    assertThat(response.getError()).isEmpty();
    assertThat(environments(response)).isNotEmpty().doesNotContain("beam:env:external:v1");
    assertThat(server.getServices())
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
    ExpansionApi.ExpansionResponse response =
        service().expand(request(Map.of("model", "missing.lmx")));
    assertThat(response.getError()).contains("missing.lmx");
  }

  @Test
  void otherMachinesCannotConnect() {
    assertThat(server.getListenSockets())
        .allMatch(
            address -> ((java.net.InetSocketAddress) address).getAddress().isLoopbackAddress());
  }
}
