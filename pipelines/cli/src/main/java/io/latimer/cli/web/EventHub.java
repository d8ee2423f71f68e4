package io.latimer.cli.web;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Broadcasts events to the open pages. Publishing never blocks: a page that reads too slowly loses
 * records, and is told how many. Thread-safe.
 */
final class EventHub {
  /** Maximum number of open pages. */
  static final int MOST_CLIENTS = 16;

  /** Number of recent records that a page receives when it is opened. */
  private static final int RECENT_RECORDS = 50;

  /** Number of seconds of statistics that it receives then, for its graphs. */
  private static final int RECENT_STATISTICS = 120;

  private final StuckThreads stuck;
  private final List<EventClient> clients = new ArrayList<>();
  private final Deque<Event> records = new ArrayDeque<>();
  private final Deque<Event> statistics = new ArrayDeque<>();
  private Optional<Event> job = Optional.empty();
  private Optional<Event> end = Optional.empty();
  private long numbered;

  /**
   * A server-sent event.
   *
   * @param id number of a record, from 1; 0 for other events
   * @param data JSON without line ends
   */
  record Event(String type, long id, String data) {
    /** The event in wire format. */
    String text() {
      return "event: " + type + (id == 0 ? "" : "\nid: " + id) + "\ndata: " + data + "\n\n";
    }
  }

  /**
   * Creates a hub.
   *
   * @param stuck closes pages that read nothing
   */
  EventHub(StuckThreads stuck) {
    this.stuck = stuck;
  }

  /** Sets the description of the job, which each page receives first. */
  synchronized void job(String json) {
    Event event = new Event("job", 0, json);
    job = Optional.of(event);
    clients.forEach(client -> client.offer(event));
  }

  synchronized void record(String json) {
    publish(new Event("record", ++numbered, json), records, RECENT_RECORDS);
  }

  synchronized void statistics(String json) {
    publish(new Event("statistics", 0, json), statistics, RECENT_STATISTICS);
  }

  /** Publishes the last event, which pages receive after all others, even if opened later. */
  synchronized void end(String json) {
    Event event = new Event("end", 0, json);
    end = Optional.of(event);
    clients.forEach(client -> client.end(event));
  }

  private void publish(Event event, Deque<Event> recent, int most) {
    recent.addLast(event);
    if (recent.size() > most) {
      recent.removeFirst();
    }
    clients.forEach(client -> client.offer(event));
  }

  /**
   * Opens a page.
   *
   * @param seen number of the last record that it has seen; 0 for none
   * @return empty if too many are open
   */
  synchronized Optional<EventClient> join(long seen) {
    if (clients.size() >= MOST_CLIENTS) {
      return Optional.empty();
    }
    List<Event> first = new ArrayList<>();
    job.ifPresent(first::add);
    first.addAll(statistics);
    // after a restart of this process the numbers start over
    records.stream().filter(one -> one.id() > seen || seen > numbered).forEach(first::add);
    EventClient client = new EventClient(first, stuck, this::leave);
    end.ifPresent(client::end);
    clients.add(client);
    return Optional.of(client);
  }

  private synchronized void leave(EventClient client) {
    clients.remove(client);
  }

  synchronized int clients() {
    return clients.size();
  }
}
