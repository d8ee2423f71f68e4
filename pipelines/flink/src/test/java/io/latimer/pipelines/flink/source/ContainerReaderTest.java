package io.latimer.pipelines.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.EarlierText;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a restored job continues in a container file; the damaged block counts as one record. */
class ContainerReaderTest {
  private static final int RECORDS = 30;
  private static final int READABLE = 20;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = folder.resolve("in.avro");
    long second = 0;
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.create(Sentence.getClassSchema(), file.toFile());
      for (int i = 0; i < RECORDS; i++) {
        if (i % 10 == 0) {
          long start = writer.sync();
          second = i == 10 ? start : second;
        }
        writer.append(new Sentence("id-" + i, "", "", "text", Instant.EPOCH, List.of(), List.of()));
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) second] = -1;
    bytes[(int) second + 1] = -1;
    Files.write(file, bytes);
  }

  private FileSourceSplit split(long taken) throws IOException {
    return new FileSourceSplit(
        "split",
        new org.apache.flink.core.fs.Path(file.toUri()),
        0,
        Files.size(file),
        0,
        Files.size(file),
        new String[0],
        taken == 0 ? null : new CheckpointedPosition(CheckpointedPosition.NO_OFFSET, taken));
  }

  /** The offsets of all records and the positions after them. */
  private List<List<Long>> read(long taken) throws IOException {
    FileSourceSplit split = split(taken);
    List<List<Long>> read = new ArrayList<>();
    ContainerReader reader =
        new ContainerReader(split, new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1)));
    try {
      for (var batch = reader.readBatch(); batch != null; batch = reader.readBatch()) {
        for (var next = batch.next(); next != null; next = batch.next()) {
          read.add(List.of(next.getRecord().getOrigin().getOffset(), next.getRecordSkipCount()));
        }
      }
    } finally {
      reader.close();
    }
    return read;
  }

  @Test
  void theTranslationsOfAnotherJobAreSentences() throws IOException {
    Sentence source =
        new Sentence("7", "wire", "en", "Hello.", Instant.EPOCH, List.of(), List.of());
    try (DataFileWriter<Translation> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Translation.class))) {
      writer.create(Translation.getClassSchema(), file.toFile());
      writer.append(
          Translation.newBuilder()
              .setSource(source)
              .setTargetLanguage("de")
              .setText("Hallo.")
              .setModelId("model")
              .build());
    }
    List<Envelope> read = new ArrayList<>();
    ContainerReader reader =
        new ContainerReader(split(0), new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1)));
    try {
      var batch = reader.readBatch();
      read.add(batch.next().getRecord());
      assertThat(batch.next()).isNull();
      assertThat(reader.readBatch()).isNull();
    } finally {
      reader.close();
    }
    assertThat(read.get(0).getFailure()).isNull();
    Sentence sentence = read.get(0).getSentence();
    assertThat(sentence.getId()).isEqualTo("7");
    assertThat(sentence.getText()).isEqualTo("Hallo.");
    assertThat(sentence.getTranslatedFrom())
        .containsExactly(new EarlierText("en", "Hello.", "model", ""));
  }

  @Test
  void itGoesOnBehindWhatWasTaken() throws IOException {
    for (long taken = 0; taken <= READABLE + 1; taken++) {
      assertThat(read(taken))
          .containsExactlyElementsOf(
              LongStream.range(taken, READABLE + 1).mapToObj(i -> List.of(i, i + 1)).toList());
    }
  }
}
