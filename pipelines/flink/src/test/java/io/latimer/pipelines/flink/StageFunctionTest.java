package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.Batch;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.flink.streaming.api.functions.async.CollectionSupplier;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.junit.jupiter.api.Test;

class StageFunctionTest {
  @Test
  void aBatchThatTakesTooLongFailsTheTaskAndSaysWhatToDo() {
    Outcome outcome = new Outcome();
    new StageFunction(new TestStage("slow", batch -> {}), 1234)
        .timeout(new Batch(List.of(Envelopes.of("a", 0)), Instant.EPOCH), outcome);
    assertThat(outcome.error)
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("stage slow")
        .hasMessageContaining("a batch of 1 records in 1234 ms")
        .hasMessageContaining("raise the timeout");
  }

  private static final class Outcome implements ResultFuture<Batch> {
    private Throwable error;

    @Override
    public void complete(Collection<Batch> result) {
      throw new AssertionError("a batch that was not worked on must not go on");
    }

    @Override
    public void complete(CollectionSupplier<Batch> supplier) {
      throw new AssertionError("a batch that was not worked on must not go on");
    }

    @Override
    public void completeExceptionally(Throwable reason) {
      error = reason;
    }
  }
}
