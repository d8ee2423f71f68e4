package io.latimer.operators.nmt;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Decoders of a model that translators with the same options share, so that the sentences of all
 * subtasks of a job meet in the same searches. Thread-safe.
 */
final class SharedDecoders {
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

  /** A decoder with options; the last user's {@code close} closes it. */
  synchronized Decode get(DecodeOptions options) {
    Shared found = shared.computeIfAbsent(options, o -> new Shared(make.apply(o)));
    found.users++;
    return new Use(options, found);
  }

  private void leave(DecodeOptions options, Shared left) {
    synchronized (this) {
      left.users--;
      if (left.users > 0) {
        return;
      }
      shared.remove(options);
    }
    left.decode.close();
  }

  private final class Use implements Decode {
    private final DecodeOptions options;
    private final Shared of;
    private final AtomicBoolean closed = new AtomicBoolean();

    Use(DecodeOptions options, Shared of) {
      this.options = options;
      this.of = of;
    }

    @Override
    public List<Result<Decoded>> apply(List<int[]> batch) {
      return of.decode.apply(batch);
    }

    @Override
    public int inFlight() {
      return of.decode.inFlight();
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        leave(options, of);
      }
    }
  }
}
