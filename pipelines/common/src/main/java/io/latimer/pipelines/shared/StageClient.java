package io.latimer.pipelines.shared;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * A caller of shared stages, such as a subtask. It submits single records; batches contain records
 * of all clients of the same stages, in round-robin order.
 *
 * <p>A record that the stages refuse is returned with a failure in it. A future fails if its batch
 * did, with an {@link OperatorException} if the stages can no longer work. The threads of the
 * batches complete the futures, so actions attached to them must be quick.
 *
 * <p>Thread-safe.
 */
public final class StageClient implements AutoCloseable {
  /** Maximum time to wait for stages to close; after it, their threads are abandoned. */
  private static final Duration CLOSE = Duration.ofSeconds(30);

  private final SharedStages register;
  private final ClientMetrics metrics;
  private final Semaphore room;
  private final int maxPending;

  /** Serializes changes of indexes; records can be submitted meanwhile. */
  private final Object changes = new Object();

  /** Current memberships, and left ones with records in flight; the one in use is the last. */
  private final List<Membership> memberships = new ArrayList<>();

  private volatile Membership membership;
  private volatile SharedConfig config;
  private volatile boolean closed;

  StageClient(SharedStages register, SharedConfig config, ClientMetrics metrics) {
    this.register = register;
    this.config = config;
    this.metrics = metrics;
    this.maxPending = config.maxPending();
    this.room = new Semaphore(maxPending);
    this.membership = open(config);
    memberships.add(membership);
  }

  private Membership open(SharedConfig next) {
    long start = System.nanoTime();
    Membership opened = new Membership(register, register.join(next), room, metrics);
    metrics.opened(System.nanoTime() - start);
    return opened;
  }

  /**
   * Submits a record. Blocks while the client has {@link SharedConfig#maxPending} records in
   * flight, and then makes these not wait for more.
   *
   * @param record is not changed
   * @return completed with the processed record. Cancelling it takes the record out of flight; it
   *     is not processed unless its batch has begun
   * @throws IllegalStateException if the client is closed
   */
  public CompletableFuture<Envelope> submit(Envelope record) throws InterruptedException {
    Pending pending = new Pending(record);
    if (!room.tryAcquire()) {
      flush();
      room.acquire();
    }
    return add(pending);
  }

  /**
   * Submits a record without blocking.
   *
   * @return as for {@link #submit}; fails with a {@link QueueFullException} if the client has
   *     {@link SharedConfig#maxPending} records in flight
   * @throws IllegalStateException if the client is closed
   */
  public CompletableFuture<Envelope> trySubmit(Envelope record) {
    Pending pending = new Pending(record);
    return room.tryAcquire()
        ? add(pending)
        : CompletableFuture.failedFuture(new QueueFullException(maxPending));
  }

  /** Adds a record for which room was acquired. */
  private CompletableFuture<Envelope> add(Pending pending) {
    synchronized (this) { // a change of the index must not leave the group before the record is in
      if (closed) {
        room.release();
        throw new IllegalStateException("the client is closed");
      }
      pending.begin(membership);
    }
    pending.membership.group().add(pending);
    return pending.result;
  }

  /**
   * Signals that no more records follow for now: batches with records of this client no longer wait
   * to be filled. Cheap enough to call after every record.
   */
  public void flush() {
    List<Membership> all;
    synchronized (this) {
      all = List.copyOf(memberships);
    }
    all.forEach(one -> one.group().flush(one));
  }

  /**
   * The number of records in flight. A batch's records no longer count once any of their results is
   * known.
   */
  public int underWay() {
    return maxPending - room.availablePermits();
  }

  /** The indexes that later records use, in the order of the stages. */
  public List<IndexRef> indexRefs() {
    return config.stages().stream().flatMap(stage -> stage.indexRefs().stream()).toList();
  }

  /**
   * Switches later records of this client to another index. Waits until it is open, beside the one
   * in use; earlier records use the old one, which is closed when no client needs it. Does nothing
   * if the content is the same.
   *
   * @param stage its name
   * @throws OperatorException if the index cannot be used, or the caller is interrupted; the old
   *     one stays in use
   * @throws IllegalStateException if the client is closed
   */
  public void use(String stage, IndexRef index) {
    synchronized (changes) {
      SharedConfig next = config.on(stage, index);
      if (next.contents().equals(config.contents())) {
        return;
      }
      Membership opened = open(next);
      Membership old;
      synchronized (this) {
        old = closed ? opened : membership;
        if (!closed) {
          memberships.removeIf(Membership::isGone);
          memberships.add(opened);
          membership = opened;
          config = next;
        }
      }
      old.leave();
      if (old == opened) {
        throw new IllegalStateException("the client is closed");
      }
    }
  }

  /**
   * Fails the records of this client that wait for a batch, and leaves the stages. Those in a batch
   * are completed without waiting for more, unless this was the last client of the stages: it
   * closes them, and waits up to 30 seconds for their current work to end. Closing twice is safe.
   */
  @Override
  public void close() {
    List<Membership> all;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      all = List.copyOf(memberships);
    }
    for (Membership one : all) {
      one.group().drop(one);
      one.group().flush(one);
    }
    for (Membership one : all) {
      one.leaveNow();
    }
    for (Membership one : all) {
      one.group().awaitClosed(CLOSE);
    }
  }
}
