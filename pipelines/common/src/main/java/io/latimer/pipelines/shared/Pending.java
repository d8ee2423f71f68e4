package io.latimer.pipelines.shared;

import io.latimer.pipelines.batch.TokenEstimate;
import io.latimer.schemas.Envelope;
import java.util.concurrent.CompletableFuture;

/** A record that a client has handed over, and the promise of its result. */
final class Pending {
  final Seat seat;
  final Envelope envelope;
  final CompletableFuture<Envelope> result = new CompletableFuture<>();
  final int tokens;
  final long arrived = System.nanoTime();

  /** Its place among the records of its group, from 1; guarded by the lock of the group. */
  long number;

  Pending(Seat seat, Envelope envelope) {
    this.seat = seat;
    this.envelope = envelope;
    this.tokens = TokenEstimate.of(envelope);
  }

  /** Ends it, with its place given back first: what depends on it may hand over another record. */
  void complete(Envelope done) {
    seat.done();
    result.complete(done);
  }

  void fail(Throwable reason) {
    seat.done();
    result.completeExceptionally(reason);
  }
}
