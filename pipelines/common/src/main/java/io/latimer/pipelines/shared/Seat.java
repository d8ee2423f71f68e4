package io.latimer.pipelines.shared;

import java.util.concurrent.Semaphore;

/**
 * The place of a client in a group: it keeps the group open until it is left and its last record is
 * done. A client that has changed its index has several for a while.
 */
final class Seat {
  private final SharedStages register;
  private final SharedStages.Entry entry;
  private final SharedGroup group;
  private final Semaphore room;
  private final ClientMetrics metrics;

  /** Records up to this number should not wait for more; guarded by the lock of the group. */
  long flushed;

  private int underWay;
  private boolean left;
  private boolean gone;

  /**
   * Takes a place.
   *
   * @param entry with an open group; it counts this client already
   * @param room of the client, for records in all its groups
   */
  Seat(SharedStages register, SharedStages.Entry entry, Semaphore room, ClientMetrics metrics) {
    this.register = register;
    this.entry = entry;
    this.group = entry.group();
    this.room = room;
    this.metrics = metrics;
  }

  SharedGroup group() {
    return group;
  }

  ClientMetrics metrics() {
    return metrics;
  }

  synchronized void begun() {
    underWay++;
  }

  /** A record is done. */
  void done() {
    room.release();
    boolean last;
    synchronized (this) {
      underWay--;
      last = left && underWay == 0;
    }
    if (last) {
      leaveNow();
    }
  }

  /** Leaves once all records are done. */
  void leave() {
    boolean last;
    synchronized (this) {
      left = true;
      last = underWay == 0;
    }
    if (last) {
      leaveNow();
    }
  }

  /** Leaves, whatever is under way. Leaving twice is safe. */
  void leaveNow() {
    synchronized (this) {
      if (gone) {
        return;
      }
      gone = true;
    }
    register.leave(entry);
  }

  synchronized boolean isGone() {
    return gone;
  }
}
