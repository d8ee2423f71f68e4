package io.latimer.pipelines.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.PendingSplitsCheckpoint;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;

/** What a watched folder takes for each file that was in it once, as docs/flink.md says. */
class WatchedFolderTest {
  private static final int PER_FILE = 4;
  private static final int REST = 100;

  @Test
  void aCheckpointHasThePathOfEachFileAndFourBytes() throws Exception {
    FileSource<Envelope> source =
        FileSource.forBulkFileFormat(
                new SentenceFileFormat(
                    new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1))),
                new Path("file:/data/in"))
            .monitorContinuously(Duration.ofSeconds(1))
            .build();
    SimpleVersionedSerializer<PendingSplitsCheckpoint<FileSourceSplit>> serializer =
        source.getEnumeratorCheckpointSerializer();
    List<Path> seen =
        IntStream.range(0, 10_000).mapToObj(i -> new Path("file:/data/in/feed-" + i)).toList();
    int paths = seen.stream().mapToInt(path -> path.toString().length()).sum();

    byte[] bytes =
        serializer.serialize(PendingSplitsCheckpoint.fromCollectionSnapshot(List.of(), seen));

    assertThat(bytes.length - paths - PER_FILE * seen.size()).isBetween(0, REST);
    assertThat(serializer.deserialize(serializer.getVersion(), bytes).getAlreadyProcessedPaths())
        .containsExactlyInAnyOrderElementsOf(seen);
  }
}
