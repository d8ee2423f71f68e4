package io.latimer.operators.nmt.gpu;

import io.latimer.operators.util.Monitors;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Spreads calls over a few searches. The first search serves any call; the others are made where
 * there is room, and give up their memory to a call that needs it. Thread-safe.
 *
 * @param <S> a search that concurrent calls may share
 */
final class SearchPool<S> {
  private final List<Member<S>> members;
  private final Consumer<S> release;

  /** Calls that need, or wait for, the memory of the other searches; guarded by this. */
  private int alone;

  /** A search and its state, which the pool guards. */
  private static final class Member<S> {
    private final S search;
    private int calls;
    private boolean isMade; // whether it may have memory

    Member(S search) {
      this.search = search;
    }
  }

  /**
   * Makes a pool.
   *
   * @param searches one or more, without memory
   * @param release releases the memory of a search without calls; a later call takes it again
   */
  SearchPool(List<S> searches, Consumer<S> release) {
    this.members = searches.stream().map(Member::new).toList();
    this.release = release;
  }

  /** The first search, which any call may use. */
  S first() {
    return members.get(0).search;
  }

  /** Searches that may have memory. */
  synchronized int made() {
    return (int) members.stream().filter(member -> member.isMade).count();
  }

  /**
   * Runs a call in the search that the fewest calls share.
   *
   * @param any whether a search other than the first may be used
   * @param roomForMore whether one more search may be made
   */
  void share(boolean any, BooleanSupplier roomForMore, Consumer<S> call) {
    Member<S> member = join(any, roomForMore);
    try {
      call.accept(member.search);
    } finally {
      leave(member);
    }
  }

  /**
   * Runs a call in the first search while no other has memory. Waits for the calls in the others;
   * new ones go to the first meanwhile.
   */
  void alone(Consumer<S> call) {
    try {
      releaseOthers();
      share(false, () -> false, call);
    } finally {
      admitAgain();
    }
  }

  private synchronized Member<S> join(boolean any, BooleanSupplier roomForMore) {
    Member<S> least = members.get(0);
    if (any && alone == 0) {
      for (Member<S> member : others()) {
        if (member.calls < least.calls && (member.isMade || roomForMore.getAsBoolean())) {
          least = member;
        }
      }
    }
    least.calls++;
    least.isMade = true;
    return least;
  }

  private synchronized void leave(Member<S> member) {
    member.calls--;
    notifyAll();
  }

  private synchronized void releaseOthers() {
    alone++;
    Monitors.awaitUninterruptibly(
        this, () -> others().stream().allMatch(member -> member.calls == 0));
    for (Member<S> member : others()) {
      if (member.isMade) {
        release.accept(member.search);
        member.isMade = false;
      }
    }
  }

  private synchronized void admitAgain() {
    alone--;
  }

  private List<Member<S>> others() {
    return members.subList(1, members.size());
  }
}
