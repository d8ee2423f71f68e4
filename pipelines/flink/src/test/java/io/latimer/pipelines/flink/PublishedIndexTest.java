package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.pipelines.flink.state.FlinkFiles;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Index files that are published to a file system of Flink's that works as an object store does.
 */
@Timeout(240)
class PublishedIndexTest {
  private static final Path INDEXES =
      Path.of(
          System.getProperty("latimer.root"),
          "pipelines/flink/src/test/resources/savepoints/indexes");
  private static final Path MODEL = INDEXES.resolve("score.llm");

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  @AfterEach
  void goOn() {
    ObjectFiles.stepsLeft = -1;
    ObjectFiles.cutsCopies = false;
  }

  private IndexFiles machine(String name) {
    return new IndexFiles(
        new IndexSettings(folder.resolve(name).toString(), 1 << 30), new FlinkFiles());
  }

  private String bucket() {
    return "objects://" + folder.resolve("bucket");
  }

  private IndexRef publish(String machine) throws IOException {
    return machine(machine)
        .publish(bucket(), ".llm", "writer", sha256 -> false, file -> Files.copy(MODEL, file));
  }

  private List<String> published() throws IOException {
    Path bucket = folder.resolve("bucket");
    if (!Files.exists(bucket)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(bucket)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aPublishedFileIsReadOnThisMachineAndOnOthers() throws IOException {
    IndexRef published = publish("here");
    assertThat(published.uri()).hasToString(bucket() + "/" + published.sha256() + ".llm");
    assertThat(published.sha256()).isEqualTo(IndexRefs.of(MODEL).sha256());
    assertThat(publish("here")).isEqualTo(published);
    assertThat(published()).containsExactly(published.sha256() + ".llm");
    for (String machine : List.of("here", "there")) {
      try (IndexFile file = machine(machine).open(published, sha256 -> false)) {
        assertThat(file.sha256()).isEqualTo(published.sha256());
      }
      assertThat(folder.resolve(machine).resolve(published.sha256())).hasSameBinaryContentAs(MODEL);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aProcessThatIsKilledAtAnyStepLeavesNothingHalfWritten(boolean cutsCopies)
      throws IOException {
    String name = IndexRefs.of(MODEL).sha256() + ".llm";
    ObjectFiles.cutsCopies = cutsCopies;
    int killed = 0;
    while (kills(killed)) {
      if (!cutsCopies && published().contains(name)) {
        assertThat(folder.resolve("bucket").resolve(name)).hasSameBinaryContentAs(MODEL);
      }
      assertThat(published())
          .filteredOn(file -> !file.equals(name))
          .allMatch(f -> f.startsWith("."));
      ObjectFiles.stepsLeft = -1;
      publish("restarted"); // on another machine
      assertThat(published()).containsExactly(name);
      assertThat(folder.resolve("bucket").resolve(name)).hasSameBinaryContentAs(MODEL);
      Files.delete(folder.resolve("bucket").resolve(name));
      killed++;
    }
    assertThat(killed).isGreaterThan(5);
    assertThat(published()).containsExactly(name);
  }

  /** Whether the process ends after so many steps. */
  private boolean kills(int steps) throws IOException {
    ObjectFiles.stepsLeft = steps;
    try {
      publish("killed");
      return false;
    } catch (ObjectFiles.Killed e) {
      return true;
    }
  }

  @Test
  void aFolderThatFlinkCannotReachFailsByName() {
    assertThatThrownBy(
            () ->
                machine("here")
                    .publish(
                        "nowhere://a/b", ".llm", "w", sha256 -> false, f -> Files.copy(MODEL, f)))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("nowhere://a/b: Flink has no file system for nowhere:");
    assertThat(folder.resolve("here")).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void aJobPublishesItsModelsThereAndAnotherOneUsesThem() throws Exception {
    CLUSTER.run(
        job(
            "estimate: {folder: '%s', order: 2, running: true, sinks: [files: {path: models,"
                + " format: text}]}",
            "copies"));
    String[] model = Jobs.lines(folder.resolve("models")).get(0).split("\t", -1);
    assertThat(model[11]).isEqualTo(bucket() + "/" + model[9] + ".llm");
    assertThat(published()).contains(model[9] + ".llm").allMatch(name -> name.endsWith(".llm"));
    CLUSTER.run(job("score: {model: '" + model[11] + "', sha256: " + model[9] + "}", "others"));
    assertThat(folder.resolve("others").resolve(model[9]))
        .hasSameBinaryContentAs(folder.resolve("bucket").resolve(model[9] + ".llm"));
  }

  private JobConfig job(String stage, String copies) {
    return JobConfigReader.read(
        """
        name: news
        source: {list: {lines: [the house is old, the house is new, a car is new]}}
        stages: [{%s}]
        sinks: [{files: {path: out-%s, format: text}}]
        indexes: {directory: %s}
        """
            .formatted(stage.formatted(bucket()), copies, copies),
        "job.yaml",
        folder);
  }

  @Test
  void aSavepointNamesTheContentsThatItNeeds() throws IOException {
    String phrases = IndexRefs.of(INDEXES.resolve("phrases.lpx")).sha256();
    String first = IndexRefs.of(MODEL).sha256();
    String second = IndexRefs.of(INDEXES.resolve("score-2.llm")).sha256();
    String glossary = IndexRefs.of(INDEXES.resolve("glossary-2.ltx")).sha256();
    Set<String> all = Set.of(phrases, first, second, glossary);
    Path saved = INDEXES.resolveSibling("0.1.0");
    assertThat(SavedState.find(saved.toString())).hasSize(11);
    assertThat(SavedState.read(saved.resolve("phrases").toString()).names(all))
        .containsExactly(phrases);
    assertThat(SavedState.read(saved.resolve("control").toString()).names(all))
        .containsExactlyInAnyOrder(first, second);
    assertThat(SavedState.read(saved.resolve("glossary").toString()).names(all))
        .containsExactly(glossary);
    assertThat(SavedState.read(saved.resolve("ngrams").toString()).names(all)).isEmpty();
  }
}
