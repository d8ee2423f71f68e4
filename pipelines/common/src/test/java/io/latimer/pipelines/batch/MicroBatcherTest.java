package io.latimer.pipelines.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.batch.MicroBatcher.Closed;
import io.latimer.pipelines.batch.MicroBatcher.Fill;
import io.latimer.pipelines.batch.MicroBatcher.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Batches are compared with those of a trivially correct oracle. */
class MicroBatcherTest {

  /**
   * An event: a record with so many tokens arrives, time passes, or the caller closes the batch.
   */
  private record Event(Kind kind, int amount) {
    enum Kind {
      RECORD,
      WAIT,
      BARRIER
    }
  }

  /** A record: its index and its number of tokens. */
  private record Item(int number, int tokens) {}

  /** An expected batch. */
  private record Batch(List<Item> items, long openedAt, Fill fill) {}

  /** The batcher with a caller that keeps its deadlines to the millisecond. */
  private static List<Batch> batches(Limits limits, List<Event> events) {
    long[] now = {1_000};
    List<Batch> batches = new ArrayList<>();
    MicroBatcher<Item> batcher = new MicroBatcher<>(limits, Item::tokens, () -> now[0]);
    int number = 0;
    for (Event event : events) {
      switch (event.kind()) {
        case RECORD -> {
          for (Closed<Item> closed : batcher.add(new Item(number++, event.amount()))) {
            batches.add(batch(closed));
          }
        }
        case WAIT -> {
          for (int i = 0; i < event.amount(); i++) {
            now[0]++;
            if (!batcher.isEmpty() && batcher.deadline().getAsLong() <= now[0]) {
              batches.add(batch(batcher.close(Fill.TIME)));
            }
          }
        }
        case BARRIER -> {
          if (!batcher.isEmpty()) {
            batches.add(batch(batcher.close(Fill.BARRIER)));
          }
        }
      }
    }
    if (!batcher.isEmpty()) {
      batches.add(batch(batcher.close(Fill.END)));
    }
    assertThat(batcher.isEmpty()).isTrue();
    assertThat(batcher.deadline()).isEmpty();
    return batches;
  }

  private static Batch batch(Closed<Item> closed) {
    int tokens = closed.records().stream().mapToInt(Item::tokens).sum();
    assertThat(closed.tokens()).isEqualTo(tokens);
    return new Batch(closed.records(), closed.openedAt(), closed.fill());
  }

  /** The oracle: checks the whole batch for every record and every millisecond. */
  private static List<Batch> expected(Limits limits, List<Event> events) {
    List<Batch> batches = new ArrayList<>();
    List<Item> open = new ArrayList<>();
    long now = 1_000;
    long openedAt = 0;
    int number = 0;
    for (Event event : events) {
      if (event.kind() == Event.Kind.RECORD) {
        Item item = new Item(number++, event.amount());
        if (!open.isEmpty() && tokens(open) + item.tokens() > limits.tokens()) {
          batches.add(new Batch(List.copyOf(open), openedAt, Fill.TOKENS));
          open.clear();
        }
        openedAt = open.isEmpty() ? now : openedAt;
        open.add(item);
        if (open.size() == limits.records() || tokens(open) >= limits.tokens()) {
          Fill fill = open.size() == limits.records() ? Fill.RECORDS : Fill.TOKENS;
          batches.add(new Batch(List.copyOf(open), openedAt, fill));
          open.clear();
        }
      } else {
        boolean wait = event.kind() == Event.Kind.WAIT;
        for (int i = 0; i < (wait ? event.amount() : 1); i++) {
          now += wait ? 1 : 0;
          if (!open.isEmpty() && (!wait || now - openedAt >= limits.millis())) {
            batches.add(new Batch(List.copyOf(open), openedAt, wait ? Fill.TIME : Fill.BARRIER));
            open.clear();
          }
        }
      }
    }
    if (!open.isEmpty()) {
      batches.add(new Batch(List.copyOf(open), openedAt, Fill.END));
    }
    return batches;
  }

  private static long tokens(List<Item> items) {
    return items.stream().mapToLong(Item::tokens).sum();
  }

  private static void check(Limits limits, List<Event> events) {
    List<Batch> batches = batches(limits, events);
    assertThat(batches).as("%s %s", limits, events).isEqualTo(expected(limits, events));
    // and independent of the oracle: nothing lost, duplicated or reordered, no limit exceeded
    List<Integer> numbers = new ArrayList<>();
    for (Batch batch : batches) {
      batch.items().forEach(item -> numbers.add(item.number()));
      assertThat(batch.items()).hasSizeBetween(1, limits.records());
      assertThat(batch.items().size() == 1 || tokens(batch.items()) <= limits.tokens()).isTrue();
    }
    for (int i = 0; i < numbers.size(); i++) {
      assertThat(numbers.get(i)).isEqualTo(i);
    }
    assertThat(numbers)
        .hasSize((int) events.stream().filter(e -> e.kind() == Event.Kind.RECORD).count());
  }

  @Test
  void allShortSequencesOfEventsAreBatchedAsTheOracleDoes() {
    List<Event> alphabet =
        List.of(
            new Event(Event.Kind.RECORD, 0),
            new Event(Event.Kind.RECORD, 1),
            new Event(Event.Kind.RECORD, 2),
            new Event(Event.Kind.RECORD, 9),
            new Event(Event.Kind.WAIT, 1),
            new Event(Event.Kind.BARRIER, 0));
    int length = 5;
    int sequences = (int) Math.pow(alphabet.size(), length);
    for (int records = 1; records <= 3; records++) {
      for (int tokens = 1; tokens <= 4; tokens++) {
        for (int millis = 0; millis <= 2; millis++) {
          Limits limits = new Limits(records, tokens, millis);
          for (int sequence = 0; sequence < sequences; sequence++) {
            List<Event> events = new ArrayList<>(length);
            for (int rest = sequence, i = 0; i < length; i++, rest /= alphabet.size()) {
              events.add(alphabet.get(rest % alphabet.size()));
            }
            List<Batch> batches = batches(limits, events);
            if (!batches.equals(expected(limits, events))) {
              check(limits, events); // says what differs
            }
          }
        }
      }
    }
  }

  @Test
  void longRandomSequencesAreBatchedAsTheOracleDoes() {
    Random random = new Random(7);
    for (int round = 0; round < 300; round++) {
      Limits limits =
          new Limits(1 + random.nextInt(20), 1 + random.nextInt(60), random.nextInt(10));
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        int kind = random.nextInt(10);
        events.add(
            kind < 7
                ? new Event(Event.Kind.RECORD, random.nextInt(random.nextInt(70) + 1))
                : kind < 9
                    ? new Event(Event.Kind.WAIT, random.nextInt(5))
                    : new Event(Event.Kind.BARRIER, 0));
      }
      check(limits, events);
    }
  }

  @Test
  void aRecordWithMoreTokensThanABatchMayHaveIsABatchOfItsOwn() {
    MicroBatcher<Item> batcher = new MicroBatcher<>(new Limits(10, 100, 5), Item::tokens, () -> 0L);
    assertThat(batcher.add(new Item(0, 60))).isEmpty();
    assertThat(batcher.add(new Item(1, Integer.MAX_VALUE)))
        .containsExactly(
            new Closed<>(List.of(new Item(0, 60)), 60, 0, Fill.TOKENS),
            new Closed<>(
                List.of(new Item(1, Integer.MAX_VALUE)), Integer.MAX_VALUE, 0, Fill.TOKENS));
    assertThat(batcher.isEmpty()).isTrue();
  }

  @Test
  void theDeadlineIsThatOfTheFirstRecord() {
    long[] now = {50};
    MicroBatcher<Item> batcher =
        new MicroBatcher<>(new Limits(10, 100, 20), Item::tokens, () -> now[0]);
    assertThat(batcher.deadline()).isEmpty();
    batcher.add(new Item(0, 1));
    now[0] = 60;
    batcher.add(new Item(1, 1));
    assertThat(batcher.deadline()).hasValue(70);
  }

  @Test
  void aClosedBatchIsNotChangedByWhatComesLater() {
    MicroBatcher<Item> batcher = new MicroBatcher<>(new Limits(2, 100, 20), Item::tokens, () -> 0L);
    batcher.add(new Item(0, 1));
    Closed<Item> first = batcher.add(new Item(1, 1)).get(0);
    batcher.add(new Item(2, 1));
    assertThat(first.records()).extracting(Item::number).containsExactly(0, 1);
  }

  @Test
  void limitsThatNoBatchCouldKeepAreRefused() {
    assertThatThrownBy(() -> new Limits(0, 1, 0)).hasMessageContaining("at least 1 record");
    assertThatThrownBy(() -> new Limits(1, 0, 0)).hasMessageContaining("found 1, 0 and 0");
    assertThatThrownBy(() -> new Limits(1, 1, -1)).isInstanceOf(IllegalArgumentException.class);
    MicroBatcher<Item> empty = new MicroBatcher<>(new Limits(1, 1, 1), Item::tokens, () -> 0L);
    assertThatThrownBy(() -> empty.close(Fill.END)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void otherLimitsAreForTheNextBatch() {
    MicroBatcher<Item> batcher = new MicroBatcher<>(new Limits(2, 100, 50), Item::tokens, () -> 7);
    Limits next = new Limits(3, 10, 5);
    assertThat(batcher.add(new Item(0, 1))).isEmpty();
    assertThatThrownBy(() -> batcher.setLimits(next)).isInstanceOf(IllegalStateException.class);
    assertThat(batcher.close(Fill.SET).fill()).isEqualTo(Fill.SET);
    batcher.setLimits(next);
    assertThat(batcher.add(new Item(1, 1))).isEmpty();
    assertThat(batcher.deadline()).hasValue(12);
    assertThat(batcher.add(new Item(2, 1))).isEmpty();
    assertThat(batcher.add(new Item(3, 8)))
        .singleElement()
        .satisfies(closed -> assertThat(closed.records()).hasSize(3));
  }
}
