package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Lines of UTF-8 text from a TCP socket to which the job connects as a client; the input ends when
 * the other side closes the connection. Run it with parallelism 1.
 *
 * <p>A socket cannot be read again from a checkpoint: after a failure the job reconnects, and lines
 * that were read but not yet translated and checkpointed are lost. Use Kafka or files if you need
 * them all.
 *
 * @param host name or address to connect to
 * @param port TCP port, 1 to 65535
 */
record SocketSource(String host, int port, SentenceReader reader)
    implements Source<Envelope, SocketSource.NoSplit, Void> {
  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<Envelope, NoSplit> createReader(SourceReaderContext context) {
    return new SocketReader(host, port, reader);
  }

  @Override
  public SplitEnumerator<NoSplit, Void> createEnumerator(SplitEnumeratorContext<NoSplit> context) {
    return new NoEnumerator();
  }

  @Override
  public SplitEnumerator<NoSplit, Void> restoreEnumerator(
      SplitEnumeratorContext<NoSplit> context, Void checkpoint) {
    return new NoEnumerator();
  }

  @Override
  public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
    return new NothingSerializer<>();
  }

  @Override
  public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
    return new NothingSerializer<>();
  }

  /** A socket has no splits; this is never instantiated. */
  static final class NoSplit implements SourceSplit {
    private NoSplit() {}

    @Override
    public String splitId() {
      return "none";
    }
  }

  private static final class NoEnumerator implements SplitEnumerator<NoSplit, Void> {
    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, String host) {}

    @Override
    public void addSplitsBack(List<NoSplit> splits, int subtask) {}

    @Override
    public void addReader(int subtask) {}

    @Override
    public Void snapshotState(long checkpoint) {
      return null;
    }

    @Override
    public void close() {}
  }

  /** Writes nothing and reads null. */
  private static final class NothingSerializer<T> implements SimpleVersionedSerializer<T> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(T nothing) {
      return new byte[0];
    }

    @Override
    public T deserialize(int version, byte[] bytes) throws IOException {
      if (version != 1 || bytes.length != 0) {
        throw new IOException(
            "the state of a socket source must be version 1 and empty, found version "
                + version
                + " and "
                + bytes.length
                + " bytes");
      }
      return null;
    }
  }
}
