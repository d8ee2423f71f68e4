package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.Sentence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Event times that must not end windows. */
class PoisonedTimeTest {
  private static final int SENTENCES = 60_000;
  private static final Instant TIME = Instant.parse("2026-11-21T12:00:00Z");

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  private void write(int poisoned, long poison) throws Exception {
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.create(Sentence.getClassSchema(), folder.resolve("in.avro").toFile());
      for (int i = 0; i < SENTENCES; i++) {
        Instant time = i == poisoned ? Instant.ofEpochMilli(poison) : TIME;
        writer.append(new Sentence("id-" + i, "wire", "en", "word", time, List.of(), List.of()));
      }
    }
  }

  /** Runs a job over the file and returns the table of the window and the dead letters. */
  private List<List<String>> run() throws Exception {
    // watermarks as often as possible, so that a wrong one comes before the last sentences
    String yaml =
        """
        name: counted
        source: {files: {path: in.avro}}
        stages:
          - ngrams:
              order: 1
              window: 1h
              running: false
              sinks: [{files: {path: tables}}]
        sinks: []
        dead-letters: {files: {path: dead}}
        checkpoints: {interval: 1h}
        engine: {pipeline.auto-watermark-interval: 1ms}
        """;
    CLUSTER.run(JobConfigReader.read(yaml, "job.yaml", folder));
    return List.of(Jobs.lines(folder.resolve("tables")), Jobs.lines(folder.resolve("dead")));
  }

  private static String table(int sentences) {
    return String.join(
        "\t",
        "window",
        "",
        "2026-11-21T12:00:00Z",
        "2026-11-21T13:00:00Z",
        "0",
        Integer.toString(sentences),
        Integer.toString(sentences),
        "1",
        "0",
        "word",
        Integer.toString(sentences));
  }

  @Test
  void aTimeInTheFarFutureIsADeadLetterAndTheTableHasAllOthers() throws Exception {
    write(100, Long.MAX_VALUE / 2);
    List<List<String>> output = run();
    assertThat(output.get(0)).containsExactly(table(SENTENCES - 1));
    assertThat(output.get(1)).hasSize(1);
    assertThat(output.get(1).get(0)).contains("\"stage\":\"read\"", "event-time.max-ahead");
  }

  @Test
  void anUnreadableRecordDoesNotEndTheWindowsOfAnOldFeed() throws Exception {
    // the time of reading is the only one that a line of a file without a sentence has
    write(-1, 0);
    byte[] file = Files.readAllBytes(folder.resolve("in.avro"));
    int block = file.length / 2; // the damage of one block, in the middle
    Arrays.fill(file, block, block + 8, (byte) 0xFF);
    Files.write(folder.resolve("in.avro"), file);
    List<List<String>> output = run();
    assertThat(output.get(1)).hasSize(1);
    assertThat(output.get(0)).hasSize(1);
    assertThat(Integer.parseInt(output.get(0).get(0).split("\t", -1)[5]))
        .isGreaterThan(SENTENCES - 4_000);
  }

  @Test
  void aTimeInTheFarPastIsADeadLetterOfTheTableAlone() throws Exception {
    write(100, Long.MIN_VALUE);
    List<List<String>> output = run();
    assertThat(output.get(0)).containsExactly(table(SENTENCES - 1));
    assertThat(output.get(1)).hasSize(1);
    assertThat(output.get(1).get(0)).contains("\"stage\":\"ngrams\"", "out of range");
  }
}
