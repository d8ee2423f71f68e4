package io.latimer.pipelines.flink;

import io.latimer.pipelines.feed.ByteLines;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Origin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.core.io.InputStatus;

/** Reads lines from a socket in its own thread; see {@link SocketSource}. */
final class SocketReader implements SourceReader<Envelope, SocketSource.NoSplit> {
  private static final int CONNECT_MILLIS = 10_000;

  /** Maximum lines and bytes read ahead; beyond that, TCP slows the sender. */
  private static final int READ_AHEAD = 1_000;

  private static final int READ_AHEAD_BYTES = 4 << 20;

  private static final int THREAD = 0;

  /** The thread's output: a line, the error that ended it, or neither at the end. */
  private static final class Read {
    private static final Read END = new Read(null, null);

    private final byte[] line;
    private final IOException error;

    Read(byte[] line, IOException error) {
      this.line = line;
      this.error = error;
    }

    /** A line that exceeds the limit waits alone. */
    int weight() {
      return line == null ? 0 : Math.min(READ_AHEAD_BYTES, line.length);
    }
  }

  private final String host;
  private final int port;
  private final SentenceReader reader;
  private final FutureCompletingBlockingQueue<Read> queue =
      new FutureCompletingBlockingQueue<>(READ_AHEAD);
  private final Semaphore bytes = new Semaphore(READ_AHEAD_BYTES);
  private final Socket socket = new Socket();
  private final Thread thread;
  private volatile boolean closed;
  private long number;

  SocketReader(String host, int port, SentenceReader reader) {
    this.host = host;
    this.port = port;
    this.reader = reader;
    this.thread = new Thread(this::readLines, "socket-source " + host + ":" + port);
    thread.setDaemon(true);
  }

  @Override
  public void start() {
    thread.start();
  }

  private void readLines() {
    try {
      try {
        socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
        ByteLines lines = new ByteLines(socket.getInputStream(), reader.keptLineBytes());
        for (byte[] line = lines.read(); line != null; line = lines.read()) {
          Read read = new Read(line, null);
          bytes.acquire(read.weight());
          queue.put(THREAD, read);
        }
        queue.put(THREAD, Read.END);
      } catch (IOException e) {
        if (!closed) {
          queue.put(THREAD, new Read(null, e));
        }
      }
    } catch (InterruptedException e) {
      // the reader is being closed and needs no more lines
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public InputStatus pollNext(ReaderOutput<Envelope> output) throws IOException {
    Read read = queue.poll();
    if (read == null) {
      return InputStatus.NOTHING_AVAILABLE;
    }
    if (read.error != null) {
      throw new IOException(
          "cannot read from " + host + ":" + port + ": " + read.error.getMessage(), read.error);
    }
    if (read.line == null) {
      return InputStatus.END_OF_INPUT;
    }
    bytes.release(read.weight());
    Origin origin = new Origin("socket", -1, number++, Instant.now());
    output.collect(reader.readLine(read.line, origin));
    return InputStatus.MORE_AVAILABLE;
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return queue.getAvailabilityFuture();
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
    closed = true;
    thread.interrupt();
    // closing is the only way to end a blocked read
    socket.close();
  }
}
