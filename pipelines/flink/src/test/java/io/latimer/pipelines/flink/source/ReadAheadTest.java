package io.latimer.pipelines.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {
  private final ReadAhead<String> ahead = new ReadAhead<>(String::length);

  @Test
  void itemsComeInOrderAndThenTheEnd() throws Exception {
    Iterator<String> items = List.of("one", "two").iterator();
    ahead.start("test", () -> items.hasNext() ? items.next() : null);
    assertThat(next()).isEqualTo("one");
    assertThat(next()).isEqualTo("two");
    assertThat(next()).isNull();
  }

  @Test
  void whateverEndsTheThreadReachesTheCaller() throws Exception {
    Error error = new OutOfMemoryError("as the test wants");
    ahead.start(
        "test",
        () -> {
          throw error;
        });
    assertThatThrownBy(this::next).isSameAs(error);
  }

  @Test
  void itDoesSoBehindTheItemsBeforeIt() throws Exception {
    Iterator<String> items = List.of("one").iterator();
    Callable<String> failing = items::next;
    ahead.start("test", failing);
    assertThat(next()).isEqualTo("one");
    assertThatThrownBy(this::next)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("NoSuchElementException");
  }

  /** The next item; null at the end. */
  private String next() throws Exception {
    List<String> taken = new ArrayList<>();
    InputStatus status;
    do {
      ahead.available().get(1, TimeUnit.MINUTES);
      status = ahead.poll(taken::add);
    } while (status == InputStatus.NOTHING_AVAILABLE);
    assertThat(taken).hasSize(status == InputStatus.MORE_AVAILABLE ? 1 : 0);
    return taken.isEmpty() ? null : taken.get(0);
  }
}
