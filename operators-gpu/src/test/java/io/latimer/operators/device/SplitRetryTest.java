package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SplitRetryTest {
  private final List<List<Integer>> attempts = new ArrayList<>();
  private int recoveries;

  /** Doubles numbers, as long as those of a part are not more than 10 together. */
  private List<Result<Integer>> twice(List<Integer> part) {
    attempts.add(List.copyOf(part));
    if (part.stream().mapToInt(Integer::intValue).sum() > 10) {
      throw new DeviceMemoryException("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY", "no room");
    }
    return part.stream().map(i -> Result.of(2 * i)).toList();
  }

  private List<Result<Integer>> apply(List<Integer> batch) {
    return SplitRetry.apply(
        batch,
        this::twice,
        () -> recoveries++,
        (i, e) -> new RecordException("too large: " + i, e));
  }

  @Test
  void aBatchThatFitsIsOneAttempt() {
    assertThat(apply(List.of(1, 2, 3))).containsExactly(Result.of(2), Result.of(4), Result.of(6));
    assertThat(attempts).containsExactly(List.of(1, 2, 3));
    assertThat(recoveries).isZero();
  }

  @Test
  void anEmptyBatchIsNotTried() {
    assertThat(apply(List.of())).isEmpty();
    assertThat(attempts).isEmpty();
  }

  @Test
  void whatDoesNotFitIsHalvedInOrder() {
    assertThat(apply(List.of(4, 5, 6, 1)))
        .containsExactly(Result.of(8), Result.of(10), Result.of(12), Result.of(2));
    assertThat(attempts).containsExactly(List.of(4, 5, 6, 1), List.of(4, 5), List.of(6, 1));
    assertThat(recoveries).isEqualTo(1);
  }

  @Test
  void aRecordThatDoesNotFitFailsAlone() {
    List<Integer> batch = new ArrayList<>(IntStream.rangeClosed(1, 9).boxed().toList());
    batch.set(4, 11);
    List<Result<Integer>> results = apply(batch);
    assertThat(results).hasSize(9);
    for (int i = 0; i < 9; i++) {
      if (i == 4) {
        assertThatThrownBy(results.get(4)::orElseThrow)
            .isInstanceOf(RecordException.class)
            .hasMessage("too large: 11")
            .hasCauseInstanceOf(DeviceMemoryException.class);
      } else {
        assertThat(results.get(i).orElseThrow()).isEqualTo(2 * batch.get(i));
      }
    }
  }

  /** Java's own memory, really: no array is longer than a JVM allows. */
  @Test
  void javasMemoryCountsToo() {
    List<Result<Integer>> results =
        SplitRetry.apply(
            List.of(10, Integer.MAX_VALUE, 20),
            part ->
                part.stream()
                    .map(length -> Result.of(new long[part.size() == 1 ? length : 1 << 30].length))
                    .toList(),
            () -> recoveries++,
            (length, e) -> new RecordException("too long: " + length, e));
    assertThat(results.get(0).orElseThrow()).isEqualTo(10);
    assertThatThrownBy(results.get(1)::orElseThrow)
        .hasMessage("too long: " + Integer.MAX_VALUE)
        .hasCauseInstanceOf(OutOfMemoryError.class);
    assertThat(results.get(2).orElseThrow()).isEqualTo(20);
    assertThat(recoveries).isEqualTo(3);
  }

  @Test
  void anythingElsePassesThrough() {
    DeviceLostException lost = new DeviceLostException("cuMemcpy", "CUDA_ERROR_X", "lost");
    assertThatThrownBy(
            () ->
                SplitRetry.apply(
                    List.of(1, 2),
                    part -> {
                      throw lost;
                    },
                    () -> recoveries++,
                    (i, e) -> new RecordException("not reached", e)))
        .isSameAs(lost);
    assertThat(recoveries).isZero();
    assertThatThrownBy(
            () ->
                SplitRetry.apply(
                    List.of(1, 2),
                    part -> List.<Result<Integer>>of(),
                    () -> recoveries++,
                    (i, e) -> new RecordException("not reached", e)))
        .hasMessage("0 results for 2 records");
  }
}
