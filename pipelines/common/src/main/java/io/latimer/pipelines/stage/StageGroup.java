package io.latimer.pipelines.stage;

import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;

/**
 * Adjacent batch stages of a job that work on the same micro-batches; records are passed between
 * them in memory.
 *
 * <p>A stage starts with a batch as soon as the earlier stages that it reads have finished it, so
 * independent stages run concurrently. Their changes are merged in stage order, with the same
 * results as if the stages had run one after the other. Later stages do not see a record that a
 * stage refuses.
 *
 * <p>Several threads may call it at once; each stage then works on at most as many batches as its
 * {@link BatchStage#inFlight} says.
 */
public final class StageGroup implements AutoCloseable {
  private final List<BatchStage> members;
  private final List<List<Integer>> earlier;
  private final FairSemaphore[] semaphores;
  private final List<StageLoad> loads;
  private final ExecutorService branches;
  private boolean ended;

  /**
   * Creates a group. The caller opens the stages; they are closed with the group.
   *
   * @param members in the order of the job file; one or more
   * @param threads creates threads for stages that run concurrently
   */
  public StageGroup(List<BatchStage> members, ThreadFactory threads) {
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a group needs a stage");
    }
    this.members = List.copyOf(members);
    this.earlier = earlier(this.members);
    this.semaphores = new FairSemaphore[members.size()];
    this.loads = members.stream().map(member -> new StageLoad()).toList();
    this.branches = Executors.newCachedThreadPool(threads);
  }

  /**
   * Creates a group of the same stages on other indexes, which shares the threads and is never
   * closed itself.
   *
   * @param members in the same order, open
   * @param semaphores one per member
   */
  StageGroup(StageGroup same, List<BatchStage> members, List<FairSemaphore> semaphores) {
    this.members = List.copyOf(members);
    this.earlier = same.earlier;
    this.semaphores = semaphores.toArray(new FairSemaphore[0]);
    this.loads = same.loads;
    this.branches = same.branches;
  }

  /** The members that each depends on, directly or not, ascending. */
  private static List<List<Integer>> earlier(List<BatchStage> members) {
    List<List<Integer>> all = new ArrayList<>();
    for (BatchStage member : members) {
      TreeSet<Integer> one = new TreeSet<>();
      for (int i = 0; i < all.size(); i++) {
        if (!Collections.disjoint(member.reads(), members.get(i).writes())) {
          one.add(i);
          one.addAll(all.get(i));
        }
      }
      all.add(List.copyOf(one));
    }
    return all;
  }

  /** The stages in the order of the job file. */
  public List<BatchStage> members() {
    return members;
  }

  /** The names of the stages, separated by commas. */
  public String name() {
    return name(members);
  }

  /** The name of a group. */
  public static String name(List<BatchStage> members) {
    return members.stream().map(BatchStage::name).collect(Collectors.joining(", "));
  }

  /**
   * The number of concurrent batches, each in its own thread, that keep all stages busy: while one
   * stage works on a batch, another works on the next. Asked once the stages are open.
   */
  public int inFlight() {
    return members.stream().mapToInt(BatchStage::inFlight).sum();
  }

  /**
   * Creates a call for a batch. The stages must be open.
   *
   * @param batch the records in stream order; those with a failure pass through
   * @param queueNanos how long the batch's first record has waited, in nanoseconds, 0 or more
   */
  public GroupCall call(List<Envelope> batch, long queueNanos) {
    return new GroupCall(this, batch, queueNanos);
  }

  /** The members that a member depends on, directly or not, ascending. */
  List<Integer> earlier(int member) {
    return earlier.get(member);
  }

  /** The loads of the members, in order. */
  public List<StageLoad> loads() {
    return loads;
  }

  /**
   * The semaphore of a member, created when it is open: its number of batches may change as others
   * share the device.
   */
  synchronized FairSemaphore semaphore(int member) {
    if (semaphores[member] == null) {
      semaphores[member] = new FairSemaphore(members.get(member)::inFlight, loads.get(member));
      if (ended) {
        semaphores[member].end();
      }
    }
    return semaphores[member];
  }

  /** Runs work concurrently with the caller. */
  void fork(Runnable work) {
    branches.execute(work);
  }

  /**
   * Ends the group: calls between two stages, or waiting for one, end with a {@link
   * GroupEndedException}.
   */
  public synchronized void end() {
    ended = true;
    for (FairSemaphore one : semaphores) {
      if (one != null) {
        one.end();
      }
    }
  }

  /** Closes all stages. No call may be running. Closing twice is safe. */
  @Override
  public void close() {
    closeAll(members);
  }

  /** Ends the threads, and closes stages. */
  void closeAll(List<BatchStage> stages) {
    branches.shutdown();
    RuntimeException failure = null;
    for (BatchStage member : stages) {
      try {
        member.close();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
