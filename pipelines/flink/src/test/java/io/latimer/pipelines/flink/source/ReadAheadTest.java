package io.latimer.pipelines.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
    assertThat(ahead.hasEnded()).isFalse();
    assertThat(next()).isEqualTo("two");
    assertThat(next()).isNull();
    assertThat(ahead.hasEnded()).isTrue();
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
    assertThat(ahead.hasEnded()).isFalse();
  }

  private String next() throws Exception {
    while (true) {
      ahead.available().get(1, TimeUnit.MINUTES);
      String item = ahead.poll();
      if (item != null || ahead.hasEnded()) {
        return item;
      }
    }
  }
}
