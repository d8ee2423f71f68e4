package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.ContainerFile;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.SourcePosition;
import java.io.IOException;
import java.time.Instant;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.impl.StreamFormatAdapter;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.RecordAndPosition;
import org.apache.flink.core.fs.FSDataInputStream;

/**
 * Reads text files with one sentence per line, and Avro container files of sentences. Flink's own
 * text format provides neither path nor line number, and its decoding loses bytes that a dead
 * letter must keep.
 */
final class SentenceFileFormat implements BulkFormat<Envelope, FileSourceSplit> {
  private static final long serialVersionUID = 1L;

  private final StreamFormatAdapter<byte[]> lines;
  private final SentenceReader reader;

  SentenceFileFormat(SentenceReader reader) {
    this.lines = new StreamFormatAdapter<>(new LineFormat(reader.keptLineBytes()));
    this.reader = reader;
  }

  @Override
  public Reader<Envelope> createReader(Configuration config, FileSourceSplit split)
      throws IOException {
    return isContainer(split)
        ? new ContainerReader(split, reader)
        : new EnvelopeReader(lines.createReader(config, split), split.path().toString());
  }

  @Override
  public Reader<Envelope> restoreReader(Configuration config, FileSourceSplit split)
      throws IOException {
    return isContainer(split)
        ? new ContainerReader(split, reader)
        : new EnvelopeReader(lines.restoreReader(config, split), split.path().toString());
  }

  private boolean isContainer(FileSourceSplit split) throws IOException {
    if (!reader.readsContainers()) {
      return false;
    }
    try (FSDataInputStream file = split.path().getFileSystem().open(split.path())) {
      return ContainerFile.isContainer(file.readNBytes(ContainerFile.MAGIC_BYTES));
    }
  }

  @Override
  public boolean isSplittable() {
    // line numbers are only known from the start of a file
    return false;
  }

  @Override
  public TypeInformation<Envelope> getProducedType() {
    return Records.ENVELOPE;
  }

  private final class EnvelopeReader implements Reader<Envelope> {
    private final Reader<byte[]> lines;
    private final String path;

    EnvelopeReader(Reader<byte[]> lines, String path) {
      this.lines = lines;
      this.path = path;
    }

    @Override
    public RecordIterator<Envelope> readBatch() throws IOException {
      RecordIterator<byte[]> batch = lines.readBatch();
      return batch == null ? null : new EnvelopeIterator(batch, path);
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }

  private final class EnvelopeIterator implements RecordIterator<Envelope> {
    private final RecordIterator<byte[]> lines;
    private final String path;

    EnvelopeIterator(RecordIterator<byte[]> lines, String path) {
      this.lines = lines;
      this.path = path;
    }

    @Override
    public RecordAndPosition<Envelope> next() {
      RecordAndPosition<byte[]> line = lines.next();
      if (line == null) {
        return null;
      }
      // the position after the record: the number of lines to skip from the file's start
      long number = line.getRecordSkipCount() - 1;
      SourcePosition origin = new SourcePosition(path, -1, number, Instant.now());
      return new RecordAndPosition<>(
          reader.readLine(line.getRecord(), origin), line.getOffset(), line.getRecordSkipCount());
    }

    @Override
    public void releaseBatch() {
      lines.releaseBatch();
    }
  }
}
