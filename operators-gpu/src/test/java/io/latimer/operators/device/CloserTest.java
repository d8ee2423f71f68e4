package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldTest {
  private final List<String> closed = new ArrayList<>();
  private final Held held = new Held();

  @Test
  void closesTheLastFirstAndOnce() {
    held.add(() -> closed.add("first"));
    held.add(() -> closed.add("second"));
    held.addBelow(() -> closed.add("below"));
    held.close();
    held.close();
    assertThat(closed).containsExactly("second", "first", "below");
  }

  @Test
  void closesAllWhereSomeFail() {
    held.add(() -> closed.add("first"));
    held.add(
        () -> {
          throw new IOException("disk");
        });
    held.add(
        () -> {
          throw new IllegalArgumentException("bus");
        });
    assertThatThrownBy(held::close)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1))
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasRootCauseMessage("disk"));
    assertThat(closed).containsExactly("first");
  }

  @Test
  void addsItsOwnFailureToTheReason() {
    held.add(
        () -> {
          throw new IllegalStateException("stuck");
        });
    RuntimeException reason = new RuntimeException("no memory");
    held.closeAfter(reason);
    assertThat(reason.getSuppressed()).hasSize(1);
    assertThat(reason.getSuppressed()[0]).hasMessage("stuck");
  }
}
