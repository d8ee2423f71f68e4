package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.transforms.SchemaTransformProvider;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.PCollectionRowTuple;
import org.apache.beam.sdk.values.Row;
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
    assertThat(lines("out-")).containsExactlyInAnyOrderElementsOf(Examples.translations(texts));
    assertThat(lines("bad-")).isEmpty();
  }

  private List<String> lines(String prefix) throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file :
          files.filter(one -> one.getFileName().toString().startsWith(prefix)).toList()) {
        all.addAll(Files.readAllLines(file));
      }
    }
    return all;
  }

  /** Our transforms with the configuration of the YAML; Beam's own steps are done by hand. */
  @Test
  void theYamlExampleTranslatesItsFile() throws Exception {
    Map<?, ?> yaml =
        (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(block("yaml"));
    List<?> steps = (List<?>) ((Map<?, ?>) yaml.get("pipeline")).get("transforms");
    Map<?, ?> provider = (Map<?, ?>) ((List<?>) yaml.get("providers")).get(0);
    assertThat(provider.get("type")).isEqualTo("remote");
    assertThat(steps.stream().map(step -> ((Map<?, ?>) step).get("type")).toList())
        .isEqualTo(List.of("ReadFromText", "LatimerTranslate", "WriteToJson"));
    Map<?, ?> translate = (Map<?, ?>) steps.get(1);
    Object urn = ((Map<?, ?>) provider.get("transforms")).get(translate.get("type"));
    SchemaTransformProvider ours =
        ServiceLoader.load(SchemaTransformProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(one -> one.identifier().equals(urn))
            .findFirst()
            .orElseThrow();

    Pipeline pipeline = Pipeline.create();
    Schema lines = Schema.builder().addStringField("line").build();
    PCollectionRowTuple output =
        PCollectionRowTuple.of(
                "input",
                pipeline.apply(
                    Create.of(
                            texts.stream()
                                .map(text -> Row.withSchema(lines).addValue(text).build())
                                .collect(Collectors.toList()))
                        .withRowSchema(lines)))
            .apply(ours.from(config(ours.configurationSchema(), translate)));
    PAssert.that(
            output
                .get("output")
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(row -> row.getString("line") + "=" + row.getString("target"))))
        .containsInAnyOrder(expected());
    pipeline.run().waitUntilFinish();
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
  private Row config(Schema schema, Map<?, ?> step) {
    Map<?, ?> written = (Map<?, ?>) step.get("config");
    assertThat(schema.getFieldNames())
        .containsAll(written.keySet().stream().map(Object::toString).toList());
    List<Object> values = new ArrayList<>();
    for (String name : schema.getFieldNames()) {
      Object value = written.get(name);
      values.add(name.equals("model") ? folder.resolve(value.toString()).toString() : value);
    }
    return Row.withSchema(schema).addValues(values).build();
  }
}
