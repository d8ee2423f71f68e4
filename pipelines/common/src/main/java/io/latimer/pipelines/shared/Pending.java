package io.latimer.pipelines.shared;

import io.latimer.pipelines.batch.TokenEstimate;
import io.latimer.schemas.Envelope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A record that a client hands over, and the promise of its result. */
final class Pending {
  final Envelope envelope;
  final CompletableFuture<Envelope> result = new CompletableFuture<>();
  final int tokens;

  /** Its client's place; null until it is handed over. */
  Seat seat;

  /** When it was handed over. */
  long arrived;

  /** Its place among the records of its group, from 1; guarded by the lock of the group. */
  long number;

  private final AtomicBoolean over = new AtomicBoolean();

  Pending(Envelope envelope) {
    this.envelope = envelope;
    this.tokens = TokenEstimate.of(envelope);
  }

  /** Takes the client's place for it; to be called once, before the group has it. */
  void begin(Seat of) {
    seat = of;
    arrived = System.nanoTime();
    seat.begun();
    CompletableFuture<Envelope> unused =
        result.whenComplete(
            (done, failure) -> {
              if (end()) { // the caller has given it up
                seat.group().remove(this);
              }
            });
  }

  /** Gives its place back, before {@link #complete} or {@link #fail}; false if it has none. */
  boolean end() {
    boolean first = over.compareAndSet(false, true);
    if (first) {
      seat.done();
    }
    return first;
  }

  /** Whether it needs no result. */
  boolean isOver() {
    return over.get() || result.isDone();
  }

  void complete(Envelope done) {
    result.complete(done);
  }

  /** Ends it without a result, unless it is over. */
  void fail(Throwable reason) {
    boolean unused = end();
    result.completeExceptionally(reason);
  }
}
