package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SearchPoolTest {
  private final List<String> released = Collections.synchronizedList(new ArrayList<>());
  private final SearchPool<String> pool =
      new SearchPool<>(List.of("first", "second", "third"), released::add);

  /** The search that a call of a usual sentence gets where there is room for more. */
  private String next() {
    AtomicReference<String> found = new AtomicReference<>();
    pool.share(true, () -> true, found::set);
    return found.get();
  }

  @Test
  void callsAreSpreadOverAllSearches() {
    pool.share(
        true,
        () -> true,
        one ->
            pool.share(
                true,
                () -> true,
                two -> {
                  assertThat(List.of(one, two, next())).containsExactly("first", "second", "third");
                  pool.share(false, () -> true, same -> assertThat(same).isEqualTo("first"));
                }));
    assertThat(next()).isEqualTo("first");
    assertThat(pool.made()).isEqualTo(3);
  }

  @Test
  void searchesAreMadeOnlyWhereThereIsRoom() {
    pool.share(
        true,
        () -> true,
        first -> {
          pool.share(true, () -> false, found -> assertThat(found).isEqualTo("first"));
          assertThat(pool.made()).isEqualTo(1);
          assertThat(next()).isEqualTo("second");
          // it has its memory already
          pool.share(true, () -> false, found -> assertThat(found).isEqualTo("second"));
        });
    assertThat(pool.made()).isEqualTo(2);
  }

  @Test
  void othersFinishAndGiveUpTheirMemoryToACallThatNeedsIt() {
    AtomicReference<CompletableFuture<Void>> needing = new AtomicReference<>();
    pool.share(
        true,
        () -> true,
        first ->
            pool.share(
                true,
                () -> true,
                second -> {
                  assertThat(next()).isEqualTo("third");
                  needing.set(CompletableFuture.runAsync(() -> pool.alone(this::expectAlone)));
                  while (!next().equals("first")) {
                    Thread.onSpinWait(); // the call has not come yet
                  }
                  assertThat(released).isEmpty();
                }));
    needing.get().join();
    assertThat(released).containsExactly("second", "third");
    assertThat(pool.made()).isEqualTo(1);
    callsAreSpreadOverAllSearches();
  }

  private void expectAlone(String search) {
    assertThat(search).isEqualTo("first");
    assertThat(released).containsExactly("second", "third");
    assertThat(next()).isEqualTo("first");
  }

  @Test
  void callsThatFailLeave() {
    IllegalStateException failure = new IllegalStateException("fails");
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(
              () ->
                  pool.alone(
                      search -> {
                        throw failure;
                      }))
          .isSameAs(failure);
      assertThatThrownBy(
              () ->
                  pool.share(
                      true,
                      () -> true,
                      search -> {
                        throw failure;
                      }))
          .isSameAs(failure);
    }
    callsAreSpreadOverAllSearches();
  }
}
