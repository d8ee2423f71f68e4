package io.latimer.pipelines.beam;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

/** An expansion service and its own API, as SDKs of other languages use it. */
final class ExpansionClient implements AutoCloseable {
  private final Server server;
  private final ManagedChannel channel;

  private ExpansionClient(Server server) {
    this.server = server;
    this.channel =
        NettyChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
  }

  static ExpansionClient start(boolean hasWorker) throws IOException {
    return new ExpansionClient(ExpansionProgram.start(0, hasWorker));
  }

  Server server() {
    return server;
  }

  ExpansionServiceGrpc.ExpansionServiceBlockingStub service() {
    return ExpansionServiceGrpc.newBlockingStub(channel);
  }

  /** The configuration of a transform that the service says it has. */
  Schema configuration(String urn) {
    return SchemaTranslation.schemaFromProto(
        service()
            .discoverSchemaTransform(
                ExpansionApi.DiscoverSchemaTransformRequest.getDefaultInstance())
            .getSchemaTransformConfigsMap()
            .get(urn)
            .getConfigSchema());
  }

  /**
   * Expands a transform.
   *
   * @param config its configuration, whose fields are sent as they are
   * @param field of the rows that it shall process, which have no other
   */
  ExpansionApi.ExpansionResponse expand(String urn, Row config, String field) throws Exception {
    Pipeline pipeline = Pipeline.create();
    Schema rows = Schema.builder().addStringField(field).build();
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
            .setIdentifier(urn)
            .setConfigurationSchema(SchemaTranslation.schemaToProto(config.getSchema(), true))
            .setConfigurationRow(
                ByteString.copyFrom(
                    CoderUtils.encodeToByteArray(RowCoder.of(config.getSchema()), config)))
            .build();
    return service()
        .expand(
            ExpansionApi.ExpansionRequest.newBuilder()
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
                .build());
  }

  /** A configuration with a value for each of some fields of a schema; null if none is given. */
  static Row config(Schema schema, List<String> fields, Map<?, ?> values) {
    Schema.Builder chosen = Schema.builder();
    List<Object> row = new ArrayList<>();
    for (String field : fields) {
      chosen.addField(schema.getField(field));
      row.add(values.get(field));
    }
    return Row.withSchema(chosen.build()).addValues(row).build();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
