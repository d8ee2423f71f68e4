package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.ContainerFile;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.ArrayResultIterator;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.formats.avro.utils.FSDataInputStreamWrapper;

/**
 * Reads the sentences or translations of an Avro container file, block by block. Records are
 * numbered from 0 in reading order, the same after a restart. A damaged part counts as one record,
 * and becomes a dead letter that names the file and the byte at which its block begins.
 */
final class ContainerReader implements BulkFormat.Reader<Envelope> {
  private static final List<Class<? extends SpecificRecord>> RECORDS =
      List.of(Sentence.class, Translation.class);

  private final String path;
  private final SentenceReader reader;
  private final FSDataInputStream stream;
  private ContainerFile<SpecificRecord> file;
  private RecordFormatException unreadable;
  private long next;

  /** Number of records that a restored job has already read. */
  private final long taken;

  ContainerReader(FileSourceSplit split, SentenceReader reader) throws IOException {
    this.path = split.path().toString();
    this.reader = reader;
    this.taken =
        split.getReaderPosition().map(CheckpointedPosition::getRecordsAfterOffset).orElse(0L);
    this.stream = split.path().getFileSystem().open(split.path());
    try {
      long length = split.path().getFileSystem().getFileStatus(split.path()).getLen();
      file =
          ContainerFile.read(
              new FSDataInputStreamWrapper(stream, length), RECORDS, reader.maxRecordBytes());
    } catch (RecordFormatException e) {
      unreadable = e;
    } catch (IOException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  @Override
  public BulkFormat.RecordIterator<Envelope> readBatch() throws IOException {
    while (true) {
      List<Envelope> envelopes = new ArrayList<>();
      if (unreadable != null) {
        stream.seek(0);
        byte[] start = stream.readNBytes(ContainerFile.MAX_HEADER_BYTES);
        envelopes.add(refuse(ByteBuffer.wrap(start), unreadable));
        unreadable = null;
      } else {
        ContainerFile.Block<SpecificRecord> block = file == null ? null : file.next();
        if (block == null) {
          return null;
        }
        for (SpecificRecord record : block.records()) {
          envelopes.add(reader.read(record, origin()));
        }
        if (block.damage() != null) {
          envelopes.add(refuse(block.rest(), block.damage()));
        }
      }
      long first = next - envelopes.size();
      int skip = (int) Math.min(envelopes.size(), Math.max(0, taken - first));
      if (skip < envelopes.size()) {
        Envelope[] rest = envelopes.subList(skip, envelopes.size()).toArray(new Envelope[0]);
        ArrayResultIterator<Envelope> batch = new ArrayResultIterator<>();
        batch.set(rest, rest.length, CheckpointedPosition.NO_OFFSET, first + skip);
        return batch;
      }
    }
  }

  private SourcePosition origin() {
    return new SourcePosition(path, -1, next++, Instant.now());
  }

  private Envelope refuse(ByteBuffer bytes, RecordFormatException why) {
    ByteBuffer kept = bytes.slice(0, Math.min(bytes.remaining(), reader.maxRecordBytes()));
    String cut =
        kept.remaining() == bytes.remaining()
            ? ""
            : "; this letter contains the first "
                + kept.remaining()
                + " of its "
                + bytes.remaining()
                + " bytes";
    String message = path + ": " + why.getMessage() + cut;
    // a copy: the letter is kept for longer than its block
    byte[] copy = new byte[kept.remaining()];
    kept.get(copy);
    return reader.refuse(ByteBuffer.wrap(copy), origin(), new IOException(message, why));
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
