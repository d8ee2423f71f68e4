package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloserTest {
  private final List<String> closed = new ArrayList<>();
  private final Closer closer = new Closer();

  @Test
  void closesTheLastFirstAndOnce() {
    closer.add(() -> closed.add("first"));
    closer.add(() -> closed.add("second"));
    closer.addBelow(() -> closed.add("below"));
    closer.close();
    closer.close();
    assertThat(closed).containsExactly("second", "first", "below");
  }

  @Test
  void closesAllWhereSomeFail() {
    closer.add(() -> closed.add("first"));
    closer.add(
        () -> {
          throw new IOException("disk");
        });
    closer.add(
        () -> {
          throw new IllegalArgumentException("bus");
        });
    assertThatThrownBy(closer::close)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1))
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasRootCauseMessage("disk"));
    assertThat(closed).containsExactly("first");
  }

  @Test
  void addsItsOwnFailureToTheReason() {
    closer.add(
        () -> {
          throw new IllegalStateException("stuck");
        });
    RuntimeException reason = new RuntimeException("no memory");
    closer.closeAfter(reason);
    assertThat(reason.getSuppressed()).hasSize(1);
    assertThat(reason.getSuppressed()[0]).hasMessage("stuck");
  }
}
