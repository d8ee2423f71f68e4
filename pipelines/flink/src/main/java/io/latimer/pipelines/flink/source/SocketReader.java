package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.feed.text.ByteLines;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.SourcePosition;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/** Reads lines from a socket in its own thread; see {@link SocketSource}. */
final class SocketReader implements SourceReader<Envelope, SocketSource.NoSplit> {
  private static final int CONNECT_MILLIS = 10_000;

  private final String host;
  private final int port;
  private final SentenceReader reader;
  private final Socket socket = new Socket();
  private final ReadAhead<byte[]> ahead = new ReadAhead<>(line -> line.length);

  /** Used only by the reading thread. */
  private ByteLines lines;

  private long number;

  SocketReader(String host, int port, SentenceReader reader) {
    this.host = host;
    this.port = port;
    this.reader = reader;
  }

  @Override
  public void start() {
    ahead.start("socket-source " + host + ":" + port, this::nextLine);
  }

  /** Called in the reading thread; TCP throttles the sender while it is not called. */
  private byte[] nextLine() throws IOException {
    if (lines == null) {
      socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
      lines = new ByteLines(socket.getInputStream(), reader.keptLineBytes());
    }
    return lines.read();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<Envelope> output) throws IOException {
    try {
      return ahead.poll(
          line -> {
            SourcePosition origin = new SourcePosition("socket", -1, number++, Instant.now());
            output.collect(reader.readLine(line, origin));
          });
    } catch (IOException e) {
      throw new IOException("cannot read from " + host + ":" + port + ": " + e.getMessage(), e);
    }
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return ahead.available();
  }

  @Override
  public List<SocketSource.NoSplit> snapshotState(long checkpoint) {
    return List.of();
  }

  @Override
  public void addSplits(List<SocketSource.NoSplit> splits) {}

  @Override
  public void notifyNoMoreSplits() {}

  @Override
  public void close() throws IOException {
    ahead.end();
    // only closing unblocks a read
    socket.close();
  }
}
