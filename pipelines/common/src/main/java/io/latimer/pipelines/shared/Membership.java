package io.latimer.pipelines.shared;

import java.util.concurrent.Semaphore;

/**
 * A client's membership in a group: it keeps the group open until the client leaves and its last
 * record is done. A client that has changed its index has several for a while.
 */
final class Membership {
  private final SharedStages register;
  private final SharedStages.Entry entry;
  private final SharedGroup group;
  private final Semaphore room;
  private final ClientMetrics metrics;

  /** Records up to this number should not wait for more; guarded by the group's lock. */
  long flushed;

  private int underWay;
  private boolean left;
  private boolean gone;

  /**
   * Creates a membership.
   *
   * @param entry with an open group; already counts this client
   * @param room the client's limit of records in flight, in all its groups
   */
  Membership(
      SharedStages register, SharedStages.Entry entry, Semaphore room, ClientMetrics metrics) {
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

  /** Called when a record is done. */
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

  /** Leaves even if records are in flight. Leaving twice is safe. */
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
