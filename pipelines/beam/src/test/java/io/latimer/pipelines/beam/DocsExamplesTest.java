package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.apache.beam.model.expansion.v1.ExpansionApi;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.util.construction.ParDoTranslation;
import org.apache.beam.sdk.util.construction.RehydratedComponents;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The examples of docs/beam.md do what it says, as they are written there. */
class DocsExamplesTest {
  @TempDir Path folder;
  private List<String> texts;

  @BeforeEach
  void prepareFiles() throws IOException {
    texts = Examples.feed(8);
    Files.write(folder.resolve("feed.txt"), texts);
    Files.createSymbolicLink(folder.resolve("tatoeba-en-de.lmx"), Examples.MODEL);
  }

  /** The only block of a language. */
  private static String block(String language) throws IOException {
    String page =
        Files.readString(Path.of(System.getProperty("latimer.root")).resolve("docs/beam.md"));
    Matcher blocks = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(blocks.find()).isTrue();
    return blocks.group(1);
  }

  @Test
  void theJavaExampleTranslatesItsFile() throws Exception {
    Path source = Files.writeString(folder.resolve("FeedTranslation.java"), block("java"));
    String classPath = System.getProperty("java.class.path");
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", folder.toString(), "-cp", classPath, source.toString());
    assertThat(compiled).isZero();
    Path log = folder.resolve("log");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                folder + ":" + classPath,
                "FeedTranslation")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(program.waitFor()).as(Files.readString(log)).isZero();
    assertThat(Examples.lines(folder.resolve("out-")))
        .containsExactlyInAnyOrderElementsOf(Examples.translations(texts));
    assertThat(Examples.lines(folder.resolve("bad-"))).isEmpty();
  }

  /**
   * The configuration of the YAML goes to an expansion service, and what comes back is run; Beam's
   * own steps are done by hand.
   */
  @Test
  void theYamlExampleTranslatesItsFile() throws Exception {
    Map<?, ?> yaml =
        (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(block("yaml"));
    List<?> steps = (List<?>) ((Map<?, ?>) yaml.get("pipeline")).get("transforms");
    Map<?, ?> provider = (Map<?, ?>) ((List<?>) yaml.get("providers")).get(0);
    assertThat(provider.get("type")).isEqualTo("remote");
    assertThat(((Map<?, ?>) provider.get("config")).get("address")).isEqualTo("localhost:8097");
    assertThat(steps.stream().map(step -> ((Map<?, ?>) step).get("type")).toList())
        .isEqualTo(List.of("ReadFromText", "LatimerTranslate", "WriteToJson"));
    Map<?, ?> translate = (Map<?, ?>) steps.get(1);
    String urn = ((Map<?, ?>) provider.get("transforms")).get(translate.get("type")).toString();
    ExpansionApi.ExpansionResponse expanded;
    try (ExpansionClient client = ExpansionClient.start(false)) {
      Row config = config(client.configuration(urn), (Map<?, ?>) translate.get("config"));
      expanded = client.expand(urn, config, "line");
    }
    assertThat(expanded.getError()).isEmpty();

    Pipeline pipeline = Pipeline.create();
    Schema lines = Schema.builder().addStringField("line").build();
    List<Row> rows = new ArrayList<>();
    texts.forEach(text -> rows.add(Row.withSchema(lines).addValue(text).build()));
    PCollection<Row> input = pipeline.apply(Create.of(rows).withRowSchema(lines));
    PAssert.that(
            process(expanded, input)
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(row -> row.getString("line") + "=" + row.getString("target"))))
        .containsInAnyOrder(expected());
    pipeline.run().waitUntilFinish();
  }

  /** Applies the step of an expanded transform as a runner does. */
  @SuppressWarnings("unchecked") // a step on rows
  private static PCollection<Row> process(
      ExpansionApi.ExpansionResponse expanded, PCollection<Row> input) throws Exception {
    RunnerApi.Components components = expanded.getComponents();
    RunnerApi.PTransform step =
        components.getTransformsMap().values().stream()
            .filter(one -> one.getUniqueName().endsWith("Process"))
            .findFirst()
            .orElseThrow();
    while (step.getSubtransformsCount() > 0) {
      step = components.getTransformsOrThrow(step.getSubtransforms(0));
    }
    RunnerApi.ParDoPayload payload = RunnerApi.ParDoPayload.parseFrom(step.getSpec().getPayload());
    TupleTag<Row> main = (TupleTag<Row>) ParDoTranslation.getMainOutputTag(payload);
    TupleTagList others = TupleTagList.empty();
    for (String tag : step.getOutputsMap().keySet()) {
      if (!tag.equals(main.getId())) {
        others = others.and(new TupleTag<Row>(tag));
      }
    }
    RehydratedComponents rehydrated = RehydratedComponents.forComponents(components);
    Map<String, String> outputs = step.getOutputsMap();
    PCollectionTuple results =
        input.apply(
            ParDo.of((DoFn<Row, Row>) ParDoTranslation.getDoFn(payload))
                .withOutputTags(main, others));
    results
        .getAll()
        .forEach(
            (tag, output) -> {
              String id = components.getPcollectionsOrThrow(outputs.get(tag.getId())).getCoderId();
              try {
                ((PCollection<Row>) output).setCoder((Coder<Row>) rehydrated.getCoder(id));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    return results.get(main);
  }

  private List<String> expected() throws IOException {
    List<String> translations = Examples.translations(texts, Examples.search(4));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      expected.add(texts.get(i) + "=" + translations.get(i));
    }
    return expected;
  }

  /** As an SDK makes it: a value for each field of the schema. The file is that of the folder. */
  private Row config(Schema schema, Map<?, ?> written) {
    assertThat(schema.getFieldNames())
        .containsAll(written.keySet().stream().map(Object::toString).toList());
    Map<Object, Object> values = new HashMap<>(written);
    values.computeIfPresent("model", (key, file) -> folder.resolve(file.toString()).toString());
    return ExpansionClient.config(schema, schema.getFieldNames(), values);
  }
}
