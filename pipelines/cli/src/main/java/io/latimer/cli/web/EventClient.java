package io.latimer.cli.web;

import io.latimer.cli.web.EventHub.Event;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One open page: a bounded queue of events, and the thread that writes them. */
final class EventClient implements AutoCloseable {
  /** Maximum number of queued events for a slow reader. */
  static final int QUEUE = 64;

  private static final long HEARTBEAT_SECONDS = 10;

  /** Time after which a page that reads nothing is closed. */
  private static final Duration MOST_WRITE = Duration.ofSeconds(20);

  private static final byte[] HEARTBEAT = ": \n\n".getBytes(StandardCharsets.UTF_8);

  private final List<Event> first;
  private final StuckThreads stuck;
  private final Consumer<EventClient> leave;
  private final BlockingQueue<Event> queue = new ArrayBlockingQueue<>(QUEUE);
  private long lost;
  private volatile Event last;

  /**
   * Creates a client.
   *
   * @param first the initial events, of any number
   * @param stuck closes the connection if the page reads nothing
   */
  EventClient(List<Event> first, StuckThreads stuck, Consumer<EventClient> leave) {
    this.first = List.copyOf(first);
    this.stuck = stuck;
    this.leave = leave;
  }

  /** Queues an event; drops a record if the queue is full. */
  synchronized void offer(Event event) {
    if (!queue.offer(event) && event.id() > 0) {
      lost++;
    }
  }

  /** Queues the last event, ahead of all others. */
  void end(Event event) {
    last = event;
    boolean unused = queue.offer(event); // wakes the writer unless the queue is full
  }

  /**
   * Writes events until the last one.
   *
   * @throws IOException if the page was closed or reads nothing
   */
  void writeTo(OutputStream out) throws IOException, InterruptedException {
    for (Event event : first) {
      write(out, event.text().getBytes(StandardCharsets.UTF_8));
    }
    while (last == null) {
      Event event = queue.poll(HEARTBEAT_SECONDS, TimeUnit.SECONDS);
      long missed = takeLost();
      if (missed > 0) {
        String data = "{\"records\":" + missed + "}";
        write(out, new Event("lost", 0, data).text().getBytes(StandardCharsets.UTF_8));
      }
      if (event == null) {
        write(out, HEARTBEAT);
      } else if (!event.equals(last)) {
        write(out, event.text().getBytes(StandardCharsets.UTF_8));
      }
    }
    write(out, last.text().getBytes(StandardCharsets.UTF_8));
  }

  private synchronized long takeLost() {
    long taken = lost;
    lost = 0;
    return taken;
  }

  private void write(OutputStream out, byte[] bytes) throws IOException, InterruptedException {
    stuck.<IOException>watch(
        MOST_WRITE,
        () -> {
          out.write(bytes);
          out.flush();
        });
  }

  @Override
  public void close() {
    leave.accept(this);
  }
}
