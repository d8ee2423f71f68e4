package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedDecodersTest {
  private final List<DecodeOptions> made = new ArrayList<>();
  private final List<DecodeOptions> closed = new ArrayList<>();
  private final SharedDecoders decoders = new SharedDecoders(this::make);

  private Decode make(DecodeOptions options) {
    made.add(options);
    return new Decode() {
      @Override
      public List<Result<Decoded>> apply(List<DecodeInput> batch) {
        return List.of();
      }

      @Override
      public int inFlight() {
        return options.beamSize();
      }

      @Override
      public void close() {
        closed.add(options);
      }
    };
  }

  @Test
  void equalOptionsShareADecoderUntilTheLastUserCloses() {
    DecodeOptions options = DecodeOptions.beam(4);
    Decode one = decoders.get(options);
    Decode other = decoders.get(DecodeOptions.beam(4));
    assertThat(made).containsExactly(options);
    assertThat(other.inFlight()).isEqualTo(2);
    one.close();
    one.close();
    assertThat(closed).isEmpty();
    assertThat(other.inFlight()).isEqualTo(4);
    other.close();
    assertThat(closed).containsExactly(options);
    decoders.get(options).close();
    assertThat(made).containsExactly(options, options);
    assertThat(closed).containsExactly(options, options);
  }

  @Test
  void usersShareTheCallsButEachHasTwo() {
    List<Decode> users = new ArrayList<>();
    for (int most : new int[] {5, 3, 2, 2, 2}) {
      users.add(decoders.get(DecodeOptions.beam(5)));
      assertThat(users).allMatch(user -> user.inFlight() == most);
    }
    users.forEach(Decode::close);
    try (Decode greedy = decoders.get(DecodeOptions.greedy());
        Decode other = decoders.get(DecodeOptions.greedy())) {
      assertThat(List.of(greedy, other)).allMatch(user -> user.inFlight() == 1);
    }
  }

  /** A decoder whose calls of one sentence hang until the latch is released. */
  private static final class Hanging implements Decode {
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    @Override
    public List<Result<Decoded>> apply(List<DecodeInput> batch) {
      calls.incrementAndGet();
      if (!batch.isEmpty()) {
        entered.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return List.of();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void aDecoderThatHangsIsNotUsedAgain() throws Exception {
    List<Hanging> all = new ArrayList<>();
    SharedDecoders some =
        new SharedDecoders(
            options -> {
              all.add(new Hanging());
              return all.get(all.size() - 1);
            });
    DecodeOptions options = DecodeOptions.beam(4);
    Decode one = some.get(options);
    Decode other = some.get(options);
    CompletableFuture<?> hung =
        CompletableFuture.runAsync(() -> one.decode(List.of(new int[] {2, 0})));
    all.get(0).entered.await();
    other.decode(List.of());
    assertThat(all).hasSize(1);

    one.abandon();
    Decode reopened = some.get(options);
    other.decode(List.of());
    reopened.decode(List.of());
    assertThat(all).hasSize(2);
    assertThat(all.get(0).calls).hasValue(2);
    assertThat(all.get(1).calls).hasValue(2);

    // neither hangs in the new one
    one.abandon();
    other.abandon();
    some.get(options).close();
    assertThat(all).hasSize(2);

    assertThat(all.get(0).closed).hasValue(0);
    all.get(0).goOn.countDown();
    hung.join();
    one.close();
    assertThat(all.get(0).closed).hasValue(1);
    other.close();
    assertThat(all.get(1).closed).hasValue(0);
    reopened.close();
    assertThat(all.get(1).closed).hasValue(1);
    assertThat(all.get(0).closed).hasValue(1);
  }

  @Test
  void otherOptionsHaveADecoderOfTheirOwn() {
    try (Decode four = decoders.get(DecodeOptions.beam(4));
        Decode five = decoders.get(DecodeOptions.beam(5))) {
      assertThat(four.inFlight()).isEqualTo(4);
      assertThat(five.inFlight()).isEqualTo(5);
    }
    assertThat(closed).containsExactly(DecodeOptions.beam(5), DecodeOptions.beam(4));
  }
}
