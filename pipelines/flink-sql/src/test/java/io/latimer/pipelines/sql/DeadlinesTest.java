package io.latimer.pipelines.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeadlinesTest {
  @Test
  void aCallThatTakesTooLongIsEnded() throws Exception {
    try (Deadlines<CompletableFuture<String>> deadlines =
        new Deadlines<>(Duration.ofMillis(1), call -> call.complete("late"), "test")) {
      CompletableFuture<String> first = new CompletableFuture<>();
      CompletableFuture<String> second = new CompletableFuture<>();
      deadlines.add(first);
      deadlines.add(second);
      assertThat(first.get()).isEqualTo("late");
      assertThat(second.get()).isEqualTo("late");
    }
  }

  @Test
  void anErrorOnEndingACallEndsItTooAndLaterOnes() throws Exception {
    try (Deadlines<CompletableFuture<String>> deadlines =
        new Deadlines<>(
            Duration.ofMillis(1),
            call -> {
              throw new OutOfMemoryError("as the test wants");
            },
            "test")) {
      for (int i = 0; i < 2; i++) {
        CompletableFuture<String> call = new CompletableFuture<>();
        deadlines.add(call);
        assertThatThrownBy(call::get).isInstanceOf(CancellationException.class);
      }
    }
  }

  @Test
  void aCallThatIsDoneIsLeftAlone() throws Exception {
    CompletableFuture<CompletableFuture<String>> ended = new CompletableFuture<>();
    try (Deadlines<CompletableFuture<String>> deadlines =
        new Deadlines<>(Duration.ofMillis(1), ended::complete, "test")) {
      CompletableFuture<String> done = CompletableFuture.completedFuture("done");
      CompletableFuture<String> hangs = new CompletableFuture<>();
      deadlines.add(done);
      deadlines.add(hangs);
      assertThat(ended.get()).isSameAs(hangs);
    }
  }
}
