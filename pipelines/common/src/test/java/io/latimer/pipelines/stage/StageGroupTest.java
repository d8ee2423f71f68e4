package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.GroupCall.MemberCall;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StageGroupTest {
  private static final Set<RecordPart> SOURCE = Set.of(RecordPart.SOURCE);
  private static final Set<RecordPart> TRANSLATION = Set.of(RecordPart.TRANSLATION);
  private static final Set<RecordPart> SCORES = Set.of(RecordPart.LANGUAGE_SCORES);
  private static final Set<RecordPart> TABLES = Set.of(RecordPart.PHRASE_TABLES);

  /** Work of a stage in the middle of a call. */
  private interface Work {
    void on(StageBatch batch) throws Exception;
  }

  /**
   * Appends its name, and what it sees of the translation, to the text if it writes translations,
   * and to the model's version otherwise. Refuses records whose source contains its name.
   */
  private static class Member implements BatchStage {
    private static final long serialVersionUID = 1L;

    final transient List<String> seen = Collections.synchronizedList(new ArrayList<>());
    private final String name;
    private final Set<RecordPart> reads;
    private final Set<RecordPart> writes;
    private final transient Work work;
    private int closed;
    private int abandoned;

    Member(String name, Set<RecordPart> reads, Set<RecordPart> writes, Work work) {
      this.name = name;
      this.reads = reads;
      this.writes = writes;
      this.work = work;
    }

    Member(String name, Set<RecordPart> reads, Set<RecordPart> writes) {
      this(name, reads, writes, batch -> {});
    }

    @Override
    public List<Result<RecordChange>> apply(StageBatch batch) {
      try {
        work.on(batch);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      return IntStream.range(0, batch.size()).mapToObj(i -> result(batch, i)).toList();
    }

    private Result<RecordChange> result(StageBatch batch, int record) {
      Translation translation = batch.translation(record);
      seen.add(translation == null ? "nothing" : translation.getText());
      if (batch.source(record).getText().contains("no-" + name)) {
        return Result.failure(new RecordException(name + " refuses it"));
      }
      return Result.of(
          draft -> {
            if (writes.contains(RecordPart.TRANSLATION)) {
              draft.setText(draft.getText() + "+" + name);
            } else {
              draft.setModelVersion(draft.getModelVersion() + name);
            }
          });
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String kind() {
      return "kind of " + name;
    }

    @Override
    public String device() {
      return "cpu";
    }

    @Override
    public Set<RecordPart> reads() {
      return reads;
    }

    @Override
    public Set<RecordPart> writes() {
      return writes;
    }

    @Override
    public void open(Device device, ResidentIndexes indexes) {}

    @Override
    public void abandon() {
      abandoned++;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static StageGroup group(BatchStage... members) {
    return new StageGroup(List.of(members), Thread::new);
  }

  private static List<Envelope> batch(String... texts) {
    List<Envelope> batch = new ArrayList<>();
    for (String text : texts) {
      batch.add(
          text.equals("refused")
              ? Records.refused(batch.size())
              : Records.envelope(batch.size(), text));
    }
    return batch;
  }

  private static List<String> texts(List<Envelope> done) {
    return done.stream()
        .map(
            record ->
                record.getFailure() != null
                    ? "failed in " + record.getFailure().getStage()
                    : record.getTranslation().getText())
        .toList();
  }

  private static CompletableFuture<List<Envelope>> start(GroupCall call) {
    Executor thread = work -> new Thread(work, "caller").start();
    return CompletableFuture.supplyAsync(call::run, thread);
  }

  @Test
  void aStageSeesWhatTheOnesBeforeItWroteAndRecordsAreNotChanged() {
    Member first = new Member("a", SOURCE, TRANSLATION);
    Member second = new Member("b", TRANSLATION, TRANSLATION);
    Member third = new Member("c", TRANSLATION, SCORES);
    List<Envelope> batch = batch("x", "refused", "y");
    List<Envelope> before = batch.stream().map(e -> Envelope.newBuilder(e).build()).toList();
    try (StageGroup group = group(first, second, third)) {
      assertThat(group.name()).isEqualTo("a, b, c");
      assertThat(group.inFlight()).isEqualTo(3);
      List<Envelope> done = group.call(batch, 7).run();
      assertThat(texts(done)).containsExactly("x+a+b", "failed in earlier", "y+a+b");
      assertThat(done.get(1)).isSameAs(batch.get(1));
      assertThat(first.seen).containsExactly("nothing", "nothing");
      assertThat(second.seen).containsExactly("x+a", "y+a");
      assertThat(third.seen).containsExactly("x+a+b", "y+a+b");
      Translation translation = done.get(0).getTranslation();
      assertThat(translation.getModelId()).isEqualTo("kind of a");
      assertThat(translation.getModelVersion()).isEqualTo("c");
      assertThat(translation.getTimings())
          .extracting(StageTiming::getStage)
          .containsExactly("a", "b", "c");
      assertThat(translation.getTimings())
          .extracting(StageTiming::getQueueNanos)
          .containsExactly(7L, 0L, 0L);
    }
    assertThat(batch).isEqualTo(before);
  }

  @Test
  void aStageSeesOnlyWhatItReads() {
    Member translate = new Member("a", SOURCE, TRANSLATION);
    Member phrases = new Member("b", SOURCE, TABLES);
    Member score = new Member("c", TABLES, SCORES);
    try (StageGroup group = group(translate, phrases, score)) {
      Envelope done = group.call(batch("x"), 0).run().get(0);
      assertThat(phrases.seen).containsExactly("x");
      assertThat(score.seen).containsExactly("x");
      assertThat(done.getTranslation().getText()).isEqualTo("x+a");
      assertThat(done.getTranslation().getModelVersion()).isEqualTo("bc");
    }
  }

  @Test
  void aRefusedRecordLeavesTheBatchAloneAndKeepsWhatWasDone() {
    Member first = new Member("a", SOURCE, TRANSLATION);
    Member second = new Member("b", TRANSLATION, TRANSLATION);
    Member third = new Member("c", TRANSLATION, SCORES);
    try (StageGroup group = group(first, second, third)) {
      GroupCall call = group.call(batch("x", "no-b", "y", "no-a"), 0);
      List<Envelope> done = call.run();
      assertThat(texts(done)).containsExactly("x+a+b", "failed in b", "y+a+b", "failed in a");
      assertThat(third.seen).containsExactly("x+a+b", "y+a+b");
      assertThat(done.get(1).getTranslation().getText()).isEqualTo("no-b+a");
      assertThat(done.get(1).getFailure().getErrorMessage()).isEqualTo("b refuses it");
      assertThat(done.get(3).getTranslation()).isNull();
      assertThat(call.memberCalls()).extracting(MemberCall::records).containsExactly(4, 3, 2);
      assertThat(call.memberCalls()).extracting(MemberCall::refused).containsExactly(1, 1, 0);
    }
  }

  /** Whichever of two independent stages refuses it first in time, the first in order counts. */
  @Test
  void aRecordThatSeveralStagesRefuseIsTheFirstOnes() {
    CountDownLatch secondEnded = new CountDownLatch(1);
    Member first = new Member("a", SOURCE, TRANSLATION, batch -> secondEnded.await());
    Member second =
        new Member("b", SOURCE, TABLES) {
          private static final long serialVersionUID = 1L;

          @Override
          public List<Result<RecordChange>> apply(StageBatch batch) {
            try {
              return super.apply(batch);
            } finally {
              secondEnded.countDown();
            }
          }
        };
    try (StageGroup group = group(first, second)) {
      GroupCall call = group.call(batch("no-a no-b", "no-b", "x", "no-a no-b", "refused"), 0);
      assertThat(texts(call.run()))
          .containsExactly("failed in a", "failed in b", "x+a", "failed in a", "failed in earlier");
      assertThat(call.memberCalls()).extracting(MemberCall::refused).containsExactly(2, 1);
    }
  }

  @Test
  void aBatchWithoutRecordsLeftIsNotGivenToAStage() {
    Member first = new Member("a", SOURCE, TRANSLATION);
    Member second = new Member("b", TRANSLATION, SCORES);
    try (StageGroup group = group(first, second)) {
      assertThat(texts(group.call(batch("no-a", "refused"), 0).run()))
          .containsExactly("failed in a", "failed in earlier");
      assertThat(second.seen).isEmpty();
    }
  }

  @Test
  void independentStagesWorkAtTheSameTime() {
    CyclicBarrier all = new CyclicBarrier(3);
    Member a = new Member("a", SOURCE, TRANSLATION, batch -> all.await());
    Member b = new Member("b", SOURCE, SCORES, batch -> all.await());
    Member c = new Member("c", SOURCE, TABLES, batch -> all.await());
    Member last = new Member("d", EnumSet.allOf(RecordPart.class), TRANSLATION);
    try (StageGroup group = group(a, b, c, last)) {
      Envelope done = group.call(batch("x"), 0).run().get(0);
      assertThat(last.seen).containsExactly("x+a");
      assertThat(done.getTranslation().getText()).isEqualTo("x+a+d");
      assertThat(done.getTranslation().getModelVersion()).isEqualTo("bc");
    }
  }

  @Test
  void theSecondStageWorksOnABatchWhileTheFirstOneWorksOnTheNext() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CyclicBarrier both = new CyclicBarrier(2);
    Member first =
        new Member(
            "a",
            SOURCE,
            TRANSLATION,
            batch -> {
              begun.countDown();
              if (batch.source(0).getText().equals("second")) {
                both.await();
              }
            });
    Member second =
        new Member(
            "b",
            TRANSLATION,
            SCORES,
            batch -> {
              if (batch.source(0).getText().equals("first")) {
                both.await();
              }
            });
    try (StageGroup group = group(first, second)) {
      CompletableFuture<List<Envelope>> one = start(group.call(batch("first"), 0));
      begun.await();
      CompletableFuture<List<Envelope>> two = start(group.call(batch("second"), 0));
      assertThat(texts(one.join())).containsExactly("first+a");
      assertThat(texts(two.join())).containsExactly("second+a");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aStageWorksOnAsManyBatchesAtOnceAsItTakes(int most) throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger largest = new AtomicInteger();
    CyclicBarrier full = new CyclicBarrier(most);
    Member wide =
        new Member(
            "a",
            SOURCE,
            TRANSLATION,
            batch -> {
              largest.accumulateAndGet(now.incrementAndGet(), Math::max);
              full.await();
              now.decrementAndGet();
            }) {
          private static final long serialVersionUID = 1L;

          @Override
          public int inFlight() {
            return most;
          }
        };
    try (StageGroup group = group(wide, new Member("b", TRANSLATION, SCORES))) {
      assertThat(group.inFlight()).isEqualTo(most + 1);
      List<CompletableFuture<List<Envelope>>> calls = new ArrayList<>();
      for (int i = 0; i < 4 * most; i++) {
        calls.add(start(group.call(batch("x"), 0)));
      }
      calls.forEach(call -> assertThat(texts(call.join())).containsExactly("x+a"));
    }
    assertThat(largest).hasValue(most);
  }

  @Test
  void aStageThatFailsIsNamedAndOtherStagesMayFinish() {
    CountDownLatch failed = new CountDownLatch(1);
    AtomicInteger finished = new AtomicInteger();
    Member failing =
        new Member(
            "a",
            SOURCE,
            SCORES,
            batch -> {
              failed.countDown();
              throw new OperatorException("the device is lost");
            });
    Member other =
        new Member(
            "b",
            SOURCE,
            TRANSLATION,
            batch -> {
              failed.await();
              finished.incrementAndGet();
            });
    Member later = new Member("c", TRANSLATION, TABLES, batch -> finished.incrementAndGet());
    try (StageGroup group = group(failing, other, later)) {
      for (int i = 1; i <= 100; i++) {
        GroupCall call = group.call(batch("x"), 0);
        assertThatThrownBy(call::run)
            .isInstanceOf(OperatorException.class)
            .hasMessage("stage a: the device is lost");
        assertThat(finished).hasValueGreaterThanOrEqualTo(i);
      }
    }
  }

  @Test
  void errorsKeepTheirTypeAndWrongResultsAreErrorsOfTheStage() {
    Member failing =
        new Member(
            "a",
            SOURCE,
            SCORES,
            batch -> {
              throw new OutOfMemoryError("no room");
            });
    try (StageGroup group = group(failing)) {
      assertThatThrownBy(() -> group.call(batch("x"), 0).run())
          .isInstanceOf(OutOfMemoryError.class)
          .hasMessage("no room")
          .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("in stage a"));
    }
    Member wrong =
        new Member("w", SOURCE, SCORES) {
          private static final long serialVersionUID = 1L;

          @Override
          public List<Result<RecordChange>> apply(StageBatch batch) {
            return List.of();
          }
        };
    try (StageGroup group = group(wrong)) {
      assertThatThrownBy(() -> group.call(batch("x"), 0).run())
          .hasMessageContaining("stage w")
          .hasMessageContaining("0 results of 1 records");
    }
  }

  @Test
  void waitingForOtherBatchesIsNoWorkAndEndsWithTheGroup() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Member stage =
        new Member(
            "a",
            SOURCE,
            TRANSLATION,
            batch -> {
              entered.countDown();
              goOn.await();
            });
    Member next = new Member("b", TRANSLATION, SCORES);
    try (StageGroup group = group(stage, next)) {
      GroupCall working = group.call(batch("x"), 0);
      CompletableFuture<List<Envelope>> first = start(working);
      entered.await();
      GroupCall waiting = group.call(batch("y"), 0);
      CompletableFuture<List<Envelope>> second = start(waiting);
      while (working.workedNanos() < 1_000_000) {
        Thread.onSpinWait();
      }
      assertThat(working.workingStage()).isEqualTo("a");
      assertThat(waiting.workedNanos()).isZero();
      group.end();
      assertThatThrownBy(second::join).hasCauseInstanceOf(GroupEndedException.class);
      // what works goes on until its stage has ended
      assertThat(first).isNotDone();
      goOn.countDown();
      assertThatThrownBy(first::join).hasCauseInstanceOf(GroupEndedException.class);
      assertThat(next.seen).isEmpty();
      assertThat(working.workedNanos()).isEqualTo(working.workedNanos());
      assertThatThrownBy(() -> group.call(batch("z"), 0).run())
          .isInstanceOf(GroupEndedException.class);
    }
  }

  @Test
  void theStageThatHangsIsTheOneThatWorks() throws Exception {
    CountDownLatch secondEntered = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    // "b" begins before "c", so "c" is named only once "b" has ended
    Member first = new Member("a", SOURCE, TRANSLATION, batch -> secondEntered.await());
    Member second = new Member("b", SOURCE, TABLES, batch -> secondEntered.countDown());
    Member hanging =
        new Member(
            "c",
            TRANSLATION,
            SCORES,
            batch -> {
              entered.countDown();
              goOn.await();
            });
    try (StageGroup group = group(first, second, hanging)) {
      GroupCall call = group.call(batch("x"), 0);
      CompletableFuture<List<Envelope>> done = start(call);
      entered.await();
      while (!call.workingStage().equals("c")) {
        Thread.onSpinWait();
      }
      call.abandon();
      assertThat(List.of(first.abandoned, second.abandoned, hanging.abandoned))
          .containsExactly(0, 0, 1);
      goOn.countDown();
      done.join();
    }
  }

  /** The one that hangs began before it, though it comes later in the job file. */
  @Test
  void theStageThatHangsIsNotTheOneThatHasJustBegun() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Member first = new Member("a", SOURCE, TRANSLATION, batch -> hangs.await());
    Member slow =
        new Member(
            "b",
            TRANSLATION,
            SCORES,
            batch -> {
              entered.countDown();
              goOn.await();
            });
    Member hanging =
        new Member(
            "c",
            SOURCE,
            TABLES,
            batch -> {
              hangs.countDown();
              goOn.await();
            });
    try (StageGroup group = group(first, slow, hanging)) {
      GroupCall call = group.call(batch("x"), 0);
      CompletableFuture<List<Envelope>> done = start(call);
      entered.await();
      assertThat(call.workingStage()).isEqualTo("c");
      goOn.countDown();
      done.join();
    }
  }

  @Test
  void allStagesAreClosedEvenIfOneFails() {
    Member broken =
        new Member("a", SOURCE, SCORES) {
          private static final long serialVersionUID = 1L;

          @Override
          public void close() {
            throw new OperatorException("does not close");
          }
        };
    Member other = new Member("b", SOURCE, SCORES);
    StageGroup group = group(broken, other);
    assertThatThrownBy(group::close).hasMessage("does not close");
    assertThat(other.closed).isOne();
  }

  @Test
  void valuesOfABatchAreMadeOnceAndThoseOfRecordsAreHandedOn() {
    AtomicInteger made = new AtomicInteger();
    BatchKey<List<Integer>> lengths =
        new BatchKey<>(
            "lengths",
            texts -> {
              made.incrementAndGet();
              return texts.stream().map(String::length).toList();
            });
    RecordKey<String> words = new RecordKey<>("words", String.class, RecordPart.TRANSLATION);
    ConcurrentLinkedQueue<String> found = new ConcurrentLinkedQueue<>();
    Work share =
        batch -> {
          for (int i = 0; i < batch.size(); i++) {
            assertThat(batch.shared(lengths).get(batch.place(i)))
                .isEqualTo(batch.source(i).getText().length());
          }
        };
    Member writes =
        new Member(
            "a",
            SOURCE,
            TRANSLATION,
            batch -> {
              share.on(batch);
              for (int i = 0; i < batch.size(); i++) {
                batch.handOn(words, i, "words of " + batch.source(i).getText());
              }
            });
    Member alsoShares =
        new Member(
            "b",
            SOURCE,
            SCORES,
            batch -> {
              share.on(batch);
              assertThatThrownBy(() -> batch.handedOn(words, 0))
                  .hasMessage(
                      "stage b does not say that it reads TRANSLATION, to which \"words\" belongs");
              assertThatThrownBy(() -> batch.handOn(words, 0, "x"))
                  .hasMessageContaining("stage b does not say that it writes TRANSLATION");
            });
    Member reads =
        new Member(
            "c",
            TRANSLATION,
            TABLES,
            batch -> {
              share.on(batch);
              for (int i = 0; i < batch.size(); i++) {
                found.add(batch.handedOn(words, i).orElse("none"));
              }
            });
    try (StageGroup group = group(writes, alsoShares, reads)) {
      group.call(batch("one", "refused", "no-a", "three"), 0).run();
      assertThat(found).containsExactly("words of one", "words of three");
      assertThat(made).hasValue(1);
    }
    try (StageGroup group = group(reads)) {
      group.call(batch("one"), 0).run();
      assertThat(found).hasSize(3).endsWith("none");
    }
  }

  /** Random stages and records, several batches at once: as one stage after the other. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void resultsDoNotDependOnTiming(long seed) {
    Random random = new Random(seed);
    List<BatchStage> members = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Set<RecordPart> reads = some(random);
      Set<RecordPart> writes = some(random);
      if (writes.contains(RecordPart.TRANSLATION)) {
        reads.add(RecordPart.TRANSLATION); // it appends to the text
      }
      writes.remove(RecordPart.SOURCE);
      int nanos = random.nextInt(300_000);
      Work work = batch -> Thread.sleep(0, nanos);
      members.add(
          new Member("m" + i, reads, writes, work) {
            private static final long serialVersionUID = 1L;

            @Override
            public int inFlight() {
              return 2;
            }
          });
    }
    List<List<Envelope>> batches = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String[] texts =
          IntStream.range(0, 5)
              .mapToObj(j -> random.nextInt(3) > 0 ? "text" : "no-m" + random.nextInt(8))
              .toArray(String[]::new);
      batches.add(batch(texts));
    }
    try (StageGroup group = new StageGroup(members, Thread::new)) {
      List<CompletableFuture<List<Envelope>>> calls =
          batches.stream().map(batch -> start(group.call(batch, 0))).toList();
      for (int i = 0; i < batches.size(); i++) {
        List<Envelope> expected = batches.get(i);
        for (BatchStage member : members) {
          try (StageGroup alone = group(member)) {
            expected = alone.call(expected, 0).run();
          }
        }
        assertThat(results(calls.get(i).join())).isEqualTo(results(expected));
      }
    }
  }

  private static Set<RecordPart> some(Random random) {
    Set<RecordPart> parts = EnumSet.noneOf(RecordPart.class);
    for (RecordPart part : RecordPart.values()) {
      if (random.nextInt(3) == 0) {
        parts.add(part);
      }
    }
    return parts;
  }

  private static List<String> results(List<Envelope> done) {
    return done.stream()
        .map(
            record ->
                (record.getFailure() == null
                        ? ""
                        : record.getFailure().getStage()
                            + ": "
                            + record.getFailure().getErrorMessage())
                    + (record.getTranslation() == null
                        ? "none"
                        : record.getTranslation().getText()
                            + record.getTranslation().getModelId()
                            + record.getTranslation().getModelVersion()
                            + record.getTranslation().getTimings().stream()
                                .map(StageTiming::getStage)
                                .toList()))
        .toList();
  }
}
