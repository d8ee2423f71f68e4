package io.latimer.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What every {@link BatchOperator} keeps to, on every device. The contract test of an operator
 * extends it, and says in tests of its own what comes out.
 *
 * @param <I> what goes in, one per record
 * @param <O> what comes out, one per record
 */
public abstract class BatchOperatorContract<I, O> {
  private static final int RECORDS = 60;

  /** Opens the operator with memory for any batch of these tests. */
  protected abstract BatchOperator<I, O> openOperator();

  /**
   * Opens the operator with memory for one or a few records at a time; one that has no memory of
   * its own is opened as always.
   */
  protected abstract BatchOperator<I, O> openOperatorWithLittleMemory();

  /**
   * A record that can be processed.
   *
   * @param number 0 or more; records of different numbers differ, and so do most of their results
   */
  protected abstract I record(int number);

  /** Records that cannot be processed, each for another reason; none where any record can be. */
  protected abstract List<I> badRecords();

  /** Fails unless two results are the same, as far as they may be for one record in two batches. */
  protected abstract void assertSameOutput(O expected, O found, String where);

  private List<I> records() {
    return IntStream.range(0, RECORDS).mapToObj(this::record).toList();
  }

  private void assertSameResults(List<Result<O>> expected, List<Result<O>> found) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      assertSameOutput(
          expected.get(i).orElseThrow(), found.get(i).orElseThrow(), "record " + (i + 1));
    }
  }

  /** The results of records that each came in a batch of their own. */
  private List<Result<O>> oneByOne(List<I> records) {
    List<Result<O>> results = new ArrayList<>();
    try (BatchOperator<I, O> operator = openOperator()) {
      for (I record : records) {
        List<Result<O>> alone = operator.apply(List.of(record));
        assertThat(alone).hasSize(1);
        results.add(alone.get(0));
      }
    }
    return results;
  }

  @Test
  void resultsAreInTheOrderOfTheRecords() {
    List<I> batch = new ArrayList<>(records());
    Collections.shuffle(batch, new Random(15));
    List<Result<O>> alone = oneByOne(batch);
    try (BatchOperator<I, O> operator = openOperator()) {
      assertSameResults(alone, operator.apply(batch));
      Collections.reverse(batch);
      Collections.reverse(alone);
      assertSameResults(alone, operator.apply(batch));
    }
  }

  @Test
  void anEmptyBatchHasNoResultsAndChangesNothing() {
    List<I> batch = records();
    try (BatchOperator<I, O> operator = openOperator()) {
      assertThat(operator.apply(List.of())).isEmpty();
      List<Result<O>> before = operator.apply(batch);
      assertThat(operator.apply(List.of())).isEmpty();
      assertSameResults(before, operator.apply(batch));
    }
  }

  @Test
  void aBadRecordFailsAloneBesideGoodOnes() {
    List<I> bad = badRecords();
    List<I> batch = new ArrayList<>(List.of(record(0)));
    List<I> good = new ArrayList<>(batch);
    for (int i = 0; i < bad.size(); i++) {
      batch.add(bad.get(i));
      batch.add(record(i + 1));
      good.add(record(i + 1));
    }
    List<Result<O>> alone = oneByOne(good);
    try (BatchOperator<I, O> operator = openOperator()) {
      for (int round = 0; round < 2; round++) {
        List<Result<O>> results = operator.apply(batch);
        assertThat(results).hasSameSizeAs(batch);
        List<Result<O>> ofGood = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
          if (i % 2 == 0) {
            ofGood.add(results.get(i));
          } else {
            Result<O> failed = results.get(i);
            assertThatThrownBy(failed::orElseThrow)
                .as("bad record " + (i / 2 + 1))
                .isInstanceOf(RecordException.class)
                .hasMessageMatching("(?s).{15,}");
          }
        }
        assertSameResults(alone, ofGood);
      }
      for (I each : bad) {
        assertThat(operator.apply(List.of(each)).get(0)).isInstanceOf(Result.Failure.class);
      }
    }
  }

  @Test
  void aBatchLargerThanItsMemoryIsSplit() {
    List<I> batch = records();
    List<Result<O>> alone = oneByOne(batch);
    try (BatchOperator<I, O> operator = openOperatorWithLittleMemory()) {
      assertSameResults(alone, operator.apply(batch));
      assertSameResults(alone, operator.apply(batch));
    }
  }

  @Test
  void closingTwiceIsSafeWhetherItWasUsedOrNot() {
    BatchOperator<I, O> unused = openOperator();
    unused.close();
    unused.close();
    BatchOperator<I, O> used = openOperator();
    used.apply(records());
    used.close();
    used.close();
  }

  @Test
  void aClosedOperatorSaysSo() {
    BatchOperator<I, O> operator = openOperator();
    operator.apply(List.of(record(0)));
    operator.close();
    for (List<I> batch : List.of(List.<I>of(), List.of(record(0)), records())) {
      assertThatThrownBy(() -> operator.apply(batch))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("closed");
    }
  }
}
