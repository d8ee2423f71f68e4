package io.latimer.pipelines.shared;

import io.latimer.pipelines.batch.TokenEstimate;
import io.latimer.schemas.Envelope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A record that a client submits, and the future of its result. */
final class Pending {
  final Envelope envelope;
  final CompletableFuture<Envelope> result = new CompletableFuture<>();
  final int tokens;

  /** Its client's membership; null until it is submitted. */
  Membership membership;

  /** The time at which it was submitted. */
  long arrived;

  /** Its sequence number in its group, from 1; guarded by the group's lock. */
  long number;

  private final AtomicBoolean over = new AtomicBoolean();

  Pending(Envelope envelope) {
    this.envelope = envelope;
    this.tokens = TokenEstimate.of(envelope);
  }

  /** Assigns it to the client's membership. Call this once, before the group has the record. */
  void begin(Membership of) {
    membership = of;
    arrived = System.nanoTime();
    membership.begun();
    CompletableFuture<Envelope> unused =
        result.whenComplete(
            (done, failure) -> {
              if (end()) { // the caller has cancelled it
                membership.group().remove(this);
              }
            });
  }

  /** Releases its membership, before {@link #complete} or {@link #fail}; false if it has none. */
  boolean end() {
    boolean first = over.compareAndSet(false, true);
    if (first) {
      membership.done();
    }
    return first;
  }

  /** Whether it is done, so that it needs no result. */
  boolean isOver() {
    return over.get() || result.isDone();
  }

  void complete(Envelope done) {
    result.complete(done);
  }

  /** Completes it with a failure, unless it is done. */
  void fail(Throwable reason) {
    boolean unused = end();
    result.completeExceptionally(reason);
  }
}
