package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stages that share batches do to each record what they do with batches of their own. */
@Timeout(240)
class GroupedJobTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("latimer.root"), "examples").toAbsolutePath();
  private static final Path INDEXES =
      Path.of("src/test/resources/savepoints/indexes").toAbsolutePath();

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  /** The records that a stage in the middle refuses are in the feed, too. */
  private static List<String> feed() throws Exception {
    List<String> feed =
        new ArrayList<>(Files.readAllLines(EXAMPLES.resolve("feeds/everyday.en.txt")));
    feed = new ArrayList<>(feed.subList(0, Math.min(60, feed.size())));
    feed.add(7, "");
    feed.add(13, "x".repeat(200_000)); // too long for translate
    feed.add(21, "word ".repeat(30)); // too long for source-check
    return feed;
  }

  private JobConfig job(String between, boolean group) {
    String yaml =
        """
        name: grouped
        source: {files: {path: in}}
        batch: {max-records: 16, group: %s}
        stages:
          - phrases: {index: '%s'}
          - grammar-check: {grammar: '%s', name: source-check, max-words: 25}
          - score: {model: '%s', name: source-score}
          - translate: {model: '%s', beam: 2, nbest: 2, alignment: true}
        %s
          - score: {model: '%s', of: translation}
          - grammar-check: {grammar: '%s', of: translation}
        sinks: [{files: {path: out-%s, format: json}}]
        dead-letters: {files: {path: dead-%s, format: json}}
        """
            .formatted(
                group,
                INDEXES.resolve("phrases.lpx"),
                INDEXES.resolve("grammar.lgx"),
                INDEXES.resolve("score.llm"),
                EXAMPLES.resolve("models/tatoeba-en-de.lmx"),
                between,
                INDEXES.resolve("score.llm"),
                INDEXES.resolve("grammar.lgx"),
                group,
                group);
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }

  /** Without the times, which differ, and without the order of files. */
  private List<String> records(String folderName) {
    return Jobs.lines(folder.resolve(folderName)).stream()
        .map(
            line ->
                line.replaceAll("\"(nanos|queueNanos|batchSize)\":\\d+", "")
                    .replaceAll("\"(time|eventTime|timestamp)\":[^,}]+", ""))
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  - ngrams: {order: 2, sinks: [{files: {path: tables}}]}",
        "  - identity: {}"
      })
  void recordsAreTheSameAsWithoutAGroup(String between) throws Exception {
    Files.write(folder.resolve("in"), feed());
    CLUSTER.run(job(between, true));
    CLUSTER.run(job(between, false));
    assertThat(records("out-true")).hasSize(feed().size() - 2).isEqualTo(records("out-false"));
    assertThat(records("out-true"))
        .allSatisfy(
            record ->
                assertThat(record)
                    .contains("\"phraseTables\":[{")
                    .contains("\"stage\":\"source-score\"")
                    .contains("\"stage\":\"source-check\"")
                    .contains("\"targetLanguage\":\"de\""));
    assertThat(records("dead-true")).hasSize(2).isEqualTo(records("dead-false"));
    assertThat(String.join("", records("dead-true")))
        .contains("\"stage\":\"translate\"")
        .contains("\"stage\":\"source-check\"");
  }
}
