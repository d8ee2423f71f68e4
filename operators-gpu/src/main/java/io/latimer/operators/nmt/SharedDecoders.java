package io.latimer.operators.nmt;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Decoders of a model that translators with the same options share, so that the sentences of all
 * subtasks of a job meet in the same searches. Thread-safe.
 */
final class SharedDecoders {
  /** Minimum calls of each user: one is decoded while the next is prepared. */
  private static final int LEAST = 2;

  private final Function<DecodeOptions, Decode> make;

  // guarded by this
  private final Map<DecodeOptions, Shared> shared = new HashMap<>();

  /** Guarded by the object around it. */
  private static final class Shared {
    private final Decode decode;
    private int users;

    Shared(Decode decode) {
      this.decode = decode;
    }
  }

  /**
   * Makes no decoder yet.
   *
   * @param make makes a thread-safe decoder
   */
  SharedDecoders(Function<DecodeOptions, Decode> make) {
    this.make = make;
  }

  /**
   * A decoder with options; the last user's {@code close} closes it. Once one of its calls is
   * abandoned, see {@link Decode#abandon}, it gets no more calls, and all users share a new one.
   */
  Decode get(DecodeOptions options) {
    return new Use(options);
  }

  private synchronized Shared join(DecodeOptions options) {
    Shared found = shared.computeIfAbsent(options, o -> new Shared(make.apply(o)));
    found.users++;
    return found;
  }

  private void leave(DecodeOptions options, Shared left) {
    synchronized (this) {
      left.users--;
      if (left.users > 0) {
        return;
      }
      shared.remove(options, left);
    }
    left.decode.close();
  }

  /** A user's calls of one decoder; guarded by the object around it. */
  private static final class Calls {
    private final Shared of;
    private int active;

    Calls(Shared of) {
      this.of = of;
    }
  }

  private final class Use implements Decode {
    private final DecodeOptions options;

    // guarded by the object around it
    private final List<Calls> used = new ArrayList<>(); // all but the last were abandoned
    private boolean closed;

    Use(DecodeOptions options) {
      this.options = options;
      used.add(new Calls(join(options)));
    }

    @Override
    public List<Result<Decoded>> apply(List<DecodeInput> batch) {
      Calls calls = begin();
      try {
        return calls.of.decode.apply(batch);
      } finally {
        end(calls).forEach(left -> leave(options, left.of));
      }
    }

    private Calls begin() {
      synchronized (SharedDecoders.this) {
        if (!closed && shared.get(options) != last().of) {
          used.add(new Calls(join(options)));
        }
        last().active++;
        return last();
      }
    }

    /** Ends a call; returns the abandoned decoders that no longer have any. */
    private List<Calls> end(Calls calls) {
      synchronized (SharedDecoders.this) {
        calls.active--;
        if (closed) {
          return List.of();
        }
        List<Calls> left = used.stream().filter(one -> one.active == 0 && one != last()).toList();
        used.removeAll(left);
        return left;
      }
    }

    private Calls last() {
      return used.get(used.size() - 1);
    }

    /** Abandons its oldest decoder with calls: one that it joined later hangs later. */
    @Override
    public void abandon() {
      synchronized (SharedDecoders.this) {
        used.stream()
            .filter(one -> one.active > 0)
            .findFirst()
            .ifPresent(one -> shared.remove(options, one.of));
      }
    }

    /** Its share of the calls that keep the decoder busy; at least two, so that none waits idle. */
    @Override
    public int inFlight() {
      synchronized (SharedDecoders.this) {
        Shared of = last().of;
        int most = of.decode.inFlight();
        return Math.max(Math.min(most, LEAST), (most + of.users - 1) / of.users);
      }
    }

    @Override
    public void close() {
      synchronized (SharedDecoders.this) {
        if (closed) {
          return;
        }
        closed = true;
      }
      used.forEach(one -> leave(options, one.of)); // no longer changes
    }
  }
}
