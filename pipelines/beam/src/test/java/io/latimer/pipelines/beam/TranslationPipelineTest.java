package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.beam.runners.flink.FlinkPipelineOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of the program. */
class TranslationPipelineTest {
  @TempDir Path folder;

  private TranslationOptions ordered(String input, String... more) {
    List<String> all = new ArrayList<>();
    all.add("--runner=DirectRunner");
    all.add("--ordered");
    all.add("--input=" + folder.resolve(input));
    all.add("--output=" + folder.resolve("out"));
    all.addAll(List.of(more));
    return TranslationPipeline.options(all.toArray(String[]::new));
  }

  @Test
  void bundlesEndBeforeCheckpointsOnFlink() {
    assertThat(finishesBundles("--runner=FlinkRunner")).isTrue();
    assertThat(finishesBundles("--runner=DirectRunner")).isFalse();
    assertThat(finishesBundles("--runner=FlinkRunner", "--finishBundleBeforeCheckpointing=false"))
        .isFalse();
  }

  private static boolean finishesBundles(String... arguments) {
    return TranslationPipeline.options(arguments)
        .as(FlinkPipelineOptions.class)
        .getFinishBundleBeforeCheckpointing();
  }

  /** Beam splits lists at commas. */
  @Test
  void aValueMayHaveCommas() throws IOException {
    Files.writeString(folder.resolve("in.txt"), "Hi.\n");
    Files.createSymbolicLink(folder.resolve("a,b.lmx"), Examples.MODEL);
    String model = folder.resolve("a,b.lmx").toString();
    String[] settings = {"--model=" + model, "--settings=beam=2,model=" + model};
    TranslationPipeline.build(ordered("in.txt", settings)).run().waitUntilFinish();
    assertThat(folder.resolve("out")).exists();
    assertThatThrownBy(
            () ->
                TranslationPipeline.build(
                    ordered("in.txt", "--model=" + model, "--settings=beam=2,3")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("2,3");
    assertThatThrownBy(
            () ->
                TranslationPipeline.build(
                    ordered("in.txt", "--model=" + model, "--settings=beam,x=2")))
        .hasMessageContaining("--settings: expected KEY=VALUE, found beam");
  }

  @Test
  void anOrderedOutputNeedsOneInputFile() throws IOException {
    assertThatThrownBy(() -> TranslationPipeline.build(ordered("*.txt", "--stage=identity")))
        .hasMessageContaining("*.txt does not exist");
    Files.writeString(folder.resolve("a.txt"), "a\n");
    Files.writeString(folder.resolve("b.txt"), "b\n");
    assertThatThrownBy(() -> TranslationPipeline.build(ordered("*.txt", "--stage=identity")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--ordered needs one input file")
        .hasMessageContaining("matches 2");
    TranslationPipeline.build(ordered("b.*", "--stage=identity")).run().waitUntilFinish();
    assertThat(folder.resolve("out")).hasContent("b");
  }

  @Test
  void partsOfAFailedOutputAreDeleted() throws IOException {
    String output = folder.resolve("out").toString();
    String parts = OrderedLines.parts(output);
    Files.writeString(Path.of(parts), "whole");
    Files.writeString(Path.of(parts + "-7"), "chunk");
    Files.writeString(Path.of(OrderedLines.parts(output) + "-7"), "of another pipeline");
    Files.writeString(Path.of(output), "complete");
    OrderedLines.deleteLocal(parts);
    assertThat(Path.of(output)).exists();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).hasSize(2).noneMatch(path -> path.toString().startsWith(parts));
    }
  }
}
