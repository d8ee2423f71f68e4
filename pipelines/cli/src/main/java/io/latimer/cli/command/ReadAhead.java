package io.latimer.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Reads lines ahead in a separate thread and returns them in chunks: full ones if the input is
 * fast, partial ones if it is typed. The lines read ahead and those of a chunk are bounded in
 * number and in characters.
 */
public final class ReadAhead {
  private static final int MAX_CHARACTERS = 4 << 20;

  /** Maximum time that a chunk waits for its next line, and for all of them. */
  private static final int PATIENCE_MILLIS = 20;

  private static final int CHUNK_MILLIS = 100;

  private final int chunkLines;
  private final BlockingQueue<Entry> queue;
  private final Semaphore characters = new Semaphore(MAX_CHARACTERS);
  private boolean ended;

  /** A line, the end of the input (both null), or a read error. */
  private record Entry(InputLine line, Throwable error) {
    int weight() {
      return line == null ? 0 : Math.min(MAX_CHARACTERS, line.text().length());
    }
  }

  public ReadAhead(InputStream in, int chunkLines) {
    this.chunkLines = chunkLines;
    this.queue = new ArrayBlockingQueue<>(chunkLines);
    Thread reader = new Thread(() -> read(new LineReader(in)), "read-ahead");
    reader.setDaemon(true); // a daemon, because it may block forever in a read
    reader.start();
  }

  /** Whether {@link #next} returns without blocking, possibly at the end. */
  public boolean isReady() {
    return ended || !queue.isEmpty();
  }

  /** The next lines in order, at least one; empty at the end of the input. */
  public List<InputLine> next() throws IOException, InterruptedException {
    List<InputLine> chunk = new ArrayList<>();
    int taken = 0;
    long began = 0;
    while (!ended && chunk.size() < chunkLines && taken < MAX_CHARACTERS) {
      Entry entry;
      if (chunk.isEmpty()) {
        entry = queue.take();
        began = System.nanoTime();
      } else {
        long left = CHUNK_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        entry = queue.poll(Math.min(PATIENCE_MILLIS, left), TimeUnit.MILLISECONDS);
      }
      if (entry == null) {
        break;
      }
      if (entry.error() != null) {
        ended = true;
        throw failure(entry.error());
      }
      ended = entry.line() == null;
      if (!ended) {
        chunk.add(entry.line());
        taken += entry.weight();
        characters.release(entry.weight());
      }
    }
    return chunk;
  }

  /** Rethrows everything other than an {@link IOException} unchanged. */
  private static IOException failure(Throwable error) {
    if (error instanceof IOException e) {
      return e;
    }
    if (error instanceof RuntimeException e) {
      throw e;
    }
    throw (Error) error; // reading cannot throw anything else
  }

  private void read(LineReader lines) {
    try {
      InputLine line;
      do {
        Entry entry;
        try {
          line = lines.next();
          entry = new Entry(line, null);
        } catch (IOException | RuntimeException | Error e) { // or next() would wait forever
          line = null;
          entry = new Entry(null, e);
        }
        characters.acquire(entry.weight());
        queue.put(entry);
      } while (line != null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // only interrupted when the process ends
    }
  }
}
