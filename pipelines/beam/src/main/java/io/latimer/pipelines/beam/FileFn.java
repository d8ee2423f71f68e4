package io.latimer.pipelines.beam;

import io.latimer.pipelines.feed.text.ByteLines;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.ContainerFile;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.apache.avro.file.SeekableInput;
import org.apache.avro.specific.SpecificRecord;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.transforms.DoFn;
import org.joda.time.Duration;

/** Reads the records of a text file or an Avro container file. */
final class FileFn extends DoFn<FileIO.ReadableFile, Envelope> {
  private static final long serialVersionUID = 1L;
  private static final List<Class<? extends SpecificRecord>> RECORDS =
      List.of(Sentence.class, Translation.class);

  private final SentenceReader reader;

  FileFn(SentenceReader reader) {
    this.reader = reader;
  }

  /**
   * Allows any skew: files found in a running pipeline have the current time as their timestamp.
   */
  @Override
  @SuppressWarnings("deprecation") // windows treat older sentences as late, which they are
  public Duration getAllowedTimestampSkew() {
    return Duration.millis(Long.MAX_VALUE);
  }

  /** Reads a file to its end. */
  @ProcessElement
  public void process(@Element FileIO.ReadableFile file, OutputReceiver<Envelope> out)
      throws IOException {
    String path = file.getMetadata().resourceId().toString();
    if (reader.readsContainers() && isContainer(file)) {
      readContainer(file, path, out);
      return;
    }
    try (ByteLines lines =
        new ByteLines(Channels.newInputStream(file.open()), reader.keptLineBytes())) {
      long number = 0;
      for (byte[] line = lines.read(); line != null; line = lines.read()) {
        put(reader.readLine(line, origin(path, number++)), out);
      }
    }
  }

  private static boolean isContainer(FileIO.ReadableFile file) throws IOException {
    try (InputStream in = Channels.newInputStream(file.open())) {
      return ContainerFile.isContainer(in.readNBytes(ContainerFile.MAGIC_BYTES));
    }
  }

  private void readContainer(FileIO.ReadableFile file, String path, OutputReceiver<Envelope> out)
      throws IOException {
    try (SeekableByteChannel channel = file.openSeekable()) {
      ContainerFile<SpecificRecord> container;
      try {
        container = ContainerFile.read(new ChannelInput(channel), RECORDS, reader.maxRecordBytes());
      } catch (RecordFormatException e) {
        channel.position(0);
        byte[] start = Channels.newInputStream(channel).readNBytes(reader.maxRecordBytes());
        put(refuse(ByteBuffer.wrap(start), e, origin(path, 0)), out);
        return;
      }
      long number = 0;
      for (var block = container.next(); block != null; block = container.next()) {
        for (SpecificRecord record : block.records()) {
          put(reader.read(record, origin(path, number++)), out);
        }
        if (block.damage() != null) {
          put(refuse(block.rest(), block.damage(), origin(path, number++)), out);
        }
      }
    }
  }

  /** The dead letter of unreadable bytes, or of their beginning. */
  private Envelope refuse(ByteBuffer bytes, RecordFormatException why, SourcePosition origin) {
    byte[] kept = new byte[Math.min(bytes.remaining(), reader.maxRecordBytes())];
    bytes.duplicate().get(kept);
    String cut =
        kept.length == bytes.remaining()
            ? ""
            : "; this letter contains the first "
                + kept.length
                + " of "
                + bytes.remaining()
                + " bytes";
    String message = origin.getSource() + ": " + why.getMessage() + cut;
    return reader.refuse(ByteBuffer.wrap(kept), origin, new IOException(message, why));
  }

  private static SourcePosition origin(String path, long number) {
    return new SourcePosition(path, -1, number, Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  private static void put(Envelope record, OutputReceiver<Envelope> out) {
    out.outputWithTimestamp(record, EventTimes.of(record));
  }

  /** Adapts a channel to Avro; the owner closes it. */
  private record ChannelInput(SeekableByteChannel channel) implements SeekableInput {
    @Override
    public void seek(long position) throws IOException {
      channel.position(position);
    }

    @Override
    public long tell() throws IOException {
      return channel.position();
    }

    @Override
    public long length() throws IOException {
      return channel.size();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return channel.read(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public void close() {}
  }
}
