package io.latimer.pipelines.shared;

import static io.latimer.pipelines.shared.ClientMetrics.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.batch.TokenEstimate;
import io.latimer.pipelines.record.Records;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedStagesTest {
  /** Far longer than a test may take. */
  private static final long NEVER = 1_000_000;

  private final SharedStages register = new SharedStages(new ResidentIndexes(), List::of);
  private final List<StageClient> clients = new ArrayList<>();
  private GatedStage stage;

  @AfterEach
  void nothingStaysOpen() throws Exception {
    if (stage != null) {
      stage.seen().gated = false;
      stage.seen().mayEnd.release(1_000);
      clients.forEach(StageClient::close);
      assertThat(register.size()).isZero();
      while (stage.seen().closed.get() < stage.seen().opened.get()) {
        Thread.sleep(1);
      }
      assertThat(threads()).isEmpty();
    }
  }

  private Set<String> threads() throws InterruptedException {
    for (int tries = 0; ; tries++) {
      Set<String> left =
          Thread.getAllStackTraces().keySet().stream()
              .map(Thread::getName)
              .filter(name -> name.contains("of shared gated"))
              .collect(Collectors.toSet());
      if (left.isEmpty() || tries > 5_000) {
        return left;
      }
      Thread.sleep(1);
    }
  }

  private SharedConfig config(TestInfo test, int inFlight, int records, long millis) {
    stage = GatedStage.of(test.getDisplayName(), inFlight);
    return config(records, millis, 100, Duration.ZERO);
  }

  private SharedConfig config(int records, long millis, int maxPending, Duration timeout) {
    return new SharedConfig(
        "gated: {}",
        List.of(stage),
        BatchPolicy.of(new MicroBatcher.Limits(records, 1_000_000, millis)),
        timeout,
        maxPending);
  }

  private SharedConfig config(BatchPolicy batches) {
    return new SharedConfig("gated: {}", List.of(stage), batches, Duration.ZERO, 100);
  }

  private StageClient open(SharedConfig config) {
    return open(config, ClientMetrics.NONE);
  }

  private StageClient open(SharedConfig config, ClientMetrics metrics) {
    StageClient client = register.open(config, metrics);
    clients.add(client);
    return client;
  }

  private static Envelope record(String text) {
    return Records.envelope(0, text);
  }

  private static List<CompletableFuture<Envelope>> submit(StageClient client, String... texts) {
    List<CompletableFuture<Envelope>> results = new ArrayList<>();
    for (String text : texts) {
      results.add(client.trySubmit(record(text)));
    }
    return results;
  }

  private static String text(CompletableFuture<Envelope> result) throws Exception {
    return result.get(30, TimeUnit.SECONDS).getTranslation().getText();
  }

  @Test
  void recordsOfAllClientsMeetInABatch(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 4, NEVER);
    stage.seen().gated = false;
    StageClient one = open(config);
    StageClient two = open(config);
    assertThat(register.size()).isEqualTo(1);
    assertThat(stage.seen().opened).hasValue(1);

    CompletableFuture<Envelope> a = one.submit(record("a"));
    CompletableFuture<Envelope> b = two.submit(record("b"));
    CompletableFuture<Envelope> c = one.submit(record("c"));
    CompletableFuture<Envelope> d = two.submit(record("d"));

    assertThat(List.of(text(a), text(b), text(c), text(d)))
        .containsExactly("a a", "b a", "c a", "d a");
    assertThat(stage.seen().batches).hasSize(1);
    assertThat(stage.seen().batches.get(0)).containsExactlyInAnyOrder("a", "b", "c", "d");
  }

  @Test
  void otherLimitsAreOtherStages(TestInfo test) {
    StageClient one = open(config(test, 1, 4, NEVER));
    StageClient two = open(config(8, NEVER, 100, Duration.ZERO));
    assertThat(register.size()).isEqualTo(2);
    one.close();
    two.close();
    assertThat(register.size()).isZero();
  }

  @Test
  void aBatchWaitsOnlyForItsTime(TestInfo test) throws Exception {
    StageClient client = open(config(test, 2, 1_000, 1));
    stage.seen().gated = false;
    assertThat(text(client.submit(record("alone")))).isEqualTo("alone a");
  }

  @Test
  void enoughRecordsDoNotWaitForAFullBatch(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    MicroBatcher.Limits limits = new MicroBatcher.Limits(4, 1_000_000, NEVER);
    StageClient client = open(config(new BatchPolicy(limits, 2, List.of())));
    CompletableFuture<Envelope> first = client.submit(record("1"));
    assertThat(stage.seen().begun.availablePermits()).isZero();
    List<CompletableFuture<Envelope>> results = submit(client, "2");
    stage.seen().begun.acquire();
    // the device works: all that come meanwhile meet in the next batch, up to its limit
    results.addAll(submit(client, "3", "4", "5", "6"));
    stage.seen().mayEnd.release(2);
    assertThat(text(first)).isEqualTo("1 a");
    assertThat(text(results.get(4))).isEqualTo("6 a");
    assertThat(stage.seen().batches)
        .containsExactly(List.of("1", "2"), List.of("3", "4", "5", "6"));
  }

  @Test
  void recordsMeetOthersOfTheirLength(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    stage.seen().gated = false;
    MicroBatcher.Limits limits = new MicroBatcher.Limits(2, 1_000_000, NEVER);
    StageClient client = open(config(new BatchPolicy(limits, 2, List.of(2, 5))));
    String middle = "y".repeat(16);
    String longest = "z".repeat(400);
    List<CompletableFuture<Envelope>> results =
        submit(client, longest, "x1", middle, "x2", longest, middle);
    for (CompletableFuture<Envelope> result : results) {
      assertThat(text(result)).endsWith(" a");
    }
    assertThat(stage.seen().batches)
        .containsExactlyInAnyOrder(
            List.of("x1", "x2"), List.of(longest, longest), List.of(middle, middle));

    // what is left in each of them does not wait after a flush
    results = submit(client, longest, "x3", middle);
    client.flush();
    for (CompletableFuture<Envelope> result : results) {
      assertThat(text(result)).endsWith(" a");
    }
  }

  /** Whatever comes in whatever order, each record is in one batch, which is within its limits. */
  @Test
  void noRecordOfAnyLengthIsLostOrWaitsForever(TestInfo test) throws Exception {
    config(test, 3, 1, NEVER);
    stage.seen().gated = false;
    Random random = new Random(7);
    MicroBatcher.Limits limits = new MicroBatcher.Limits(5, 60, 1);
    BatchPolicy policy = new BatchPolicy(limits, 3, List.of(4, 20));
    StageClient one = open(config(policy));
    StageClient two = open(config(policy));
    List<CompletableFuture<Envelope>> results = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      StageClient client = random.nextBoolean() ? one : two;
      results.add(client.submit(record(i + "x".repeat(random.nextInt(120)))));
      if (random.nextInt(50) == 0) {
        client.flush();
      }
    }
    for (CompletableFuture<Envelope> result : results) {
      assertThat(text(result)).endsWith(" a");
    }
    List<List<String>> batches = List.copyOf(stage.seen().batches);
    assertThat(batches.stream().mapToInt(List::size).sum()).isEqualTo(results.size());
    assertThat(batches)
        .allSatisfy(
            batch -> {
              assertThat(batch).hasSizeLessThanOrEqualTo(5);
              assertThat(batch.stream().map(text -> bucket(policy, text)).distinct()).hasSize(1);
            });
  }

  private static int bucket(BatchPolicy policy, String text) {
    return policy.bucket(TokenEstimate.of(record(text)));
  }

  @Test
  void aFlushedBatchDoesNotWait(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1_000, NEVER);
    stage.seen().gated = false;
    StageClient one = open(config);
    StageClient two = open(config);
    CompletableFuture<Envelope> other = two.submit(record("other"));
    CompletableFuture<Envelope> own = one.submit(record("own"));
    one.flush();
    assertThat(text(own)).isEqualTo("own a");
    two.flush(); // if the batch was closed before the other record was in it
    assertThat(text(other)).isEqualTo("other a");
  }

  @Test
  void aCancelledRecordIsLeftOut(TestInfo test) throws Exception {
    StageClient client = open(config(test, 1, 1, NEVER));
    List<CompletableFuture<Envelope>> results = submit(client, "first", "second", "third");
    stage.seen().begun.acquire();
    assertThat(results.get(1).cancel(false)).isTrue();
    stage.seen().mayEnd.release(2);
    assertThat(text(results.get(2))).isEqualTo("third a");
    assertThat(stage.seen().batches).containsExactly(List.of("first"), List.of("third"));
  }

  /** What has been given up takes no place, whether it waits, or its batch has begun. */
  @Test
  void aCancelledRecordGivesItsPlaceBack(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    StageClient client = open(config(1, NEVER, 2, Duration.ZERO));
    CompletableFuture<Envelope> working = client.trySubmit(record("working"));
    stage.seen().begun.acquire();
    for (int i = 0; i < 100; i++) {
      assertThat(client.underWay()).isEqualTo(1);
      CompletableFuture<Envelope> waiting = client.trySubmit(record("waiting"));
      assertThat(client.underWay()).isEqualTo(2);
      assertThat(waiting.cancel(false)).isTrue();
    }
    assertThat(working.cancel(false)).isTrue();
    assertThat(client.underWay()).isZero();
    List<CompletableFuture<Envelope>> results = submit(client, "one", "two");
    stage.seen().mayEnd.release(3);
    assertThat(text(results.get(0))).isEqualTo("one a");
    assertThat(text(results.get(1))).isEqualTo("two a");
    assertThat(client.underWay()).isZero();
    assertThat(stage.seen().batches)
        .containsExactly(List.of("working"), List.of("one"), List.of("two"));
  }

  @Test
  void aRecordThatCannotBeTakenTakesNoPlace(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    stage.seen().gated = false;
    StageClient client = open(config(1, NEVER, 1, Duration.ZERO));
    assertThatThrownBy(() -> client.trySubmit(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> client.submit(null)).isInstanceOf(NullPointerException.class);
    assertThat(text(client.trySubmit(record("x")))).isEqualTo("x a");
  }

  /** What the first result sets off may hand over more, and must not count the others then. */
  @Test
  void aWholeBatchIsOverBeforeItsFirstResult(TestInfo test) throws Exception {
    StageClient client = open(config(test, 1, 3, NEVER));
    stage.seen().gated = false;
    CompletableFuture<Integer> left = new CompletableFuture<>();
    CompletableFuture<Envelope> first = client.trySubmit(record("1"));
    CompletableFuture<Boolean> unused = first.thenApply(done -> left.complete(client.underWay()));
    submit(client, "2", "3");
    assertThat(left.get()).isZero();
  }

  /** A long record closes the batch before it, and is in the open one when that begins. */
  @Test
  void aClosedClientsRecordInTheOpenBatchDoesNotWait(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    Envelope first = record("some words");
    Envelope second = record("far more words than the other one has");
    int tokens = TokenEstimate.of(first) + TokenEstimate.of(second) - 1;
    assertThat(TokenEstimate.of(second)).isLessThan(tokens);
    SharedConfig config =
        new SharedConfig(
            "gated: {}",
            List.of(stage),
            BatchPolicy.of(new MicroBatcher.Limits(1_000, tokens, NEVER)),
            Duration.ZERO,
            100);
    StageClient one = open(config);
    StageClient two = open(config);
    CompletableFuture<Envelope> other = two.submit(first);
    CompletableFuture<Envelope> own = one.submit(second);
    stage.seen().begun.acquire();

    one.close();

    stage.seen().mayEnd.release(2);
    assertThat(text(other)).isEqualTo("some words a");
    assertThat(text(own)).isEqualTo("far more words than the other one has a");
  }

  /** The device may be lost: what is opened anew may work. */
  @Test
  void newClientsDoNotGetStagesThatFailed(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    stage.seen().gated = false;
    for (String text : List.of("broken", "error")) {
      StageClient old = open(config);
      int opened = stage.seen().opened.get();
      assertThatThrownBy(old.submit(record(text))::join).isInstanceOf(CompletionException.class);
      StageClient next = open(config);
      assertThat(stage.seen().opened).hasValue(opened + 1);
      assertThat(text(next.submit(record("x")))).isEqualTo("x a");
      assertThat(text(old.submit(record("y")))).isEqualTo("y a");
      next.close();
      old.close();
    }
  }

  @Test
  void errorsInMetricsDoNotKeepResults(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    stage.seen().gated = false;
    StageClient client =
        open(
            config,
            new ClientMetrics() {
              @Override
              public void ended(Batch batch) {
                throw new NoClassDefFoundError("a class of the client");
              }
            });
    assertThat(text(client.submit(record("x")))).isEqualTo("x a");
    assertThat(text(client.submit(record("y")))).isEqualTo("y a");
  }

  /** Its submitter waits, so that nothing else of it can fill the batch. */
  @Test
  void aBatchOfAFullClientDoesNotWait(TestInfo test) throws Exception {
    config(test, 1, 1_000, NEVER);
    stage.seen().gated = false;
    StageClient client = open(config(1_000, NEVER, 3, Duration.ZERO));
    List<CompletableFuture<Envelope>> results = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      results.add(client.submit(record(String.valueOf(i))));
    }
    assertThat(text(results.get(0))).isEqualTo("0 a");
    client.flush();
    assertThat(text(results.get(9))).isEqualTo("9 a");
  }

  /** While the stage works, one client floods; the record of another is in the next batch. */
  @Test
  void aFloodDoesNotStarveAnotherClient(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 4, NEVER);
    StageClient flood = open(config);
    StageClient other = open(config);
    submit(flood, "1", "2", "3", "4");
    stage.seen().begun.acquire();
    for (int i = 0; i < 90; i++) {
      CompletableFuture<Envelope> unused = flood.submit(record("flood " + i));
    }
    CompletableFuture<Envelope> few = other.submit(record("few"));

    stage.seen().mayEnd.release();
    stage.seen().begun.acquire();

    assertThat(stage.seen().batches.get(1)).contains("few");
    stage.seen().mayEnd.release();
    assertThat(text(few)).isEqualTo("few a");
    stage.seen().gated = false;
    stage.seen().mayEnd.release(100);
    flood.flush();
  }

  @Test
  void aRefusedRecordHasItsFailure(TestInfo test) throws Exception {
    StageClient client = open(config(test, 1, 2, NEVER));
    stage.seen().gated = false;
    List<CompletableFuture<Envelope>> results = submit(client, "good", "bad");
    assertThat(text(results.get(0))).isEqualTo("good a");
    Envelope bad = results.get(1).get();
    assertThat(bad.getFailure().getErrorMessage()).isEqualTo("it is bad");
    assertThat(bad.getFailure().getStage()).isEqualTo("gated");
  }

  @Test
  void aFailedBatchFailsOnlyItsOwnRecords(TestInfo test) throws Exception {
    StageClient client = open(config(test, 1, 2, NEVER));
    stage.seen().gated = false;
    List<CompletableFuture<Envelope>> results = submit(client, "broken", "with it", "c", "d");
    for (CompletableFuture<Envelope> failed : results.subList(0, 2)) {
      assertThatThrownBy(failed::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(OperatorException.class)
          .hasMessage("stage gated: the device was lost");
    }
    assertThat(text(results.get(2))).isEqualTo("c a");
    assertThat(text(results.get(3))).isEqualTo("d a");
  }

  @Test
  void aClientWithTooManyRecordsWaitsOrIsTold(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    StageClient client = open(config(1, NEVER, 2, Duration.ZERO));
    CompletableFuture<Envelope> first = client.trySubmit(record("1"));
    stage.seen().begun.acquire();
    CompletableFuture<Envelope> second = client.trySubmit(record("2"));
    assertThatThrownBy(client.trySubmit(record("3"))::join)
        .cause()
        .isInstanceOf(QueueFullException.class)
        .hasMessageContaining("2 records")
        .hasMessageContaining("batch.max-pending");

    CompletableFuture<String> third = new CompletableFuture<>();
    Thread submitting =
        new Thread(
            () -> {
              try {
                third.complete(text(client.submit(record("3"))));
              } catch (Exception e) {
                third.completeExceptionally(e);
              }
            });
    submitting.start();
    while (submitting.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    stage.seen().gated = false;
    stage.seen().mayEnd.release();
    assertThat(text(first)).isEqualTo("1 a");
    assertThat(text(second)).isEqualTo("2 a");
    assertThat(third.get()).isEqualTo("3 a");
  }

  @Test
  void aClosedClientFailsOnlyItsWaitingRecords(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    StageClient one = open(config);
    StageClient two = open(config);
    CompletableFuture<Envelope> working = one.submit(record("working"));
    stage.seen().begun.acquire();
    CompletableFuture<Envelope> own = one.submit(record("own"));
    CompletableFuture<Envelope> other = two.submit(record("other"));

    one.close();

    assertThatThrownBy(own::join).cause().hasMessage("the client was closed");
    assertThatThrownBy(() -> one.submit(record("late"))).isInstanceOf(IllegalStateException.class);
    assertThat(stage.seen().closed).hasValue(0);
    stage.seen().mayEnd.release(2);
    assertThat(text(working)).isEqualTo("working a");
    assertThat(text(other)).isEqualTo("other a");
    two.close();
    assertThat(stage.seen().closed).hasValue(1);
  }

  @Test
  void theNextClientOpensClosedStagesAgain(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    stage.seen().gated = false;
    for (int i = 1; i <= 3; i++) {
      StageClient client = open(config);
      assertThat(text(client.submit(record("x")))).isEqualTo("x a");
      client.close();
      client.close();
      assertThat(stage.seen().opened).hasValue(i);
      assertThat(stage.seen().closed).hasValue(i);
    }
  }

  @Test
  void stagesThatCannotBeOpenedLeaveNothing(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    stage.seen().opening = new OperatorException("the model is damaged");
    assertThatThrownBy(() -> open(config))
        .isInstanceOf(OperatorException.class)
        .hasMessage("the model is damaged");
    assertThat(register.size()).isZero();
    assertThat(threads()).isEmpty();
    stage.seen().opening = null;
    stage.seen().gated = false;
    assertThat(text(open(config).submit(record("x")))).isEqualTo("x a");
    stage.seen().closed.set(0); // of the failed one
  }

  /** A job that is cancelled while its stages are opened does not end another. */
  @Test
  void anInterruptedClientDoesNotFailOthers(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    stage.seen().gated = false;
    stage.seen().mayOpen = new CountDownLatch(1);
    CompletableFuture<Throwable> interrupted = new CompletableFuture<>();
    Thread first =
        new Thread(() -> interrupted.complete(catchThrowable(() -> register.open(config, NONE))));
    first.start();
    while (!stage.seen().isOpening) {
      Thread.sleep(1);
    }
    CompletableFuture<StageClient> other = CompletableFuture.supplyAsync(() -> open(config));

    first.interrupt();

    assertThat(interrupted.get())
        .isInstanceOf(OperatorException.class)
        .hasMessage("interrupted while the stages were opened");
    stage.seen().mayOpen.countDown();
    assertThat(text(other.get().submit(record("x")))).isEqualTo("x a");
  }

  @Test
  void stagesOfWhichAllClientsWereInterruptedAreClosed(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    stage.seen().mayOpen = new CountDownLatch(1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> open(config)).hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    while (!stage.seen().isOpening) {
      Thread.sleep(1);
    }
    stage.seen().mayOpen.countDown();
    while (stage.seen().closed.get() == 0) {
      Thread.sleep(1);
    }
    assertThat(register.size()).isZero();
  }

  /** Threads that a stage starts live on in the process, such as those of native libraries. */
  @Test
  void stagesAreOpenedWithTheirOwnContext(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    Thread.currentThread().setContextClassLoader(new OneClassLoader(FromElsewhere.class));
    open(config);
    assertThat(stage.seen().context).isSameAs(SharedGroup.class.getClassLoader());
  }

  @Test
  void laterRecordsUseTheNewIndex(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 1, NEVER);
    StageClient one = open(config);
    StageClient two = open(config);
    CompletableFuture<Envelope> before = one.submit(record("before"));
    stage.seen().begun.acquire();
    CompletableFuture<Envelope> waiting = one.submit(record("waiting"));

    one.use("gated", GatedStage.index("b"));
    one.use("gated", GatedStage.index("b"));
    CompletableFuture<Envelope> after = one.submit(record("after"));
    CompletableFuture<Envelope> other = two.submit(record("other"));

    assertThat(one.indexRefs()).containsExactly(GatedStage.index("b"));
    assertThat(two.indexRefs()).containsExactly(GatedStage.index("a"));
    assertThat(register.size()).isEqualTo(2);
    stage.seen().mayEnd.release(4);
    assertThat(text(before)).isEqualTo("before a");
    assertThat(text(waiting)).isEqualTo("waiting a");
    assertThat(text(after)).isEqualTo("after b");
    assertThat(text(other)).isEqualTo("other a");

    two.use("gated", GatedStage.index("b"));
    while (register.size() > 1) {
      Thread.sleep(1);
    }
    assertThat(stage.seen().opened).hasValue(2);
  }

  @Test
  void anIndexThatCannotBeUsedChangesNothing(TestInfo test) throws Exception {
    StageClient client = open(config(test, 1, 1, NEVER));
    stage.seen().gated = false;
    IndexRef wrong = new IndexRef("other", URI.create("file:/x"), "c".repeat(64), "");
    assertThatThrownBy(() -> client.use("gated", wrong))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("found other");
    assertThatThrownBy(() -> client.use("none", GatedStage.index("b")))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("no stage \"none\"");
    stage.seen().opening = new OperatorException("the model is damaged");
    assertThatThrownBy(() -> client.use("gated", GatedStage.index("b")))
        .hasMessage("the model is damaged");
    stage.seen().opening = null;
    assertThat(text(client.submit(record("x")))).isEqualTo("x a");
    stage.seen().closed.set(0);
  }

  @Test
  void aBatchThatHangsIsGivenUp(TestInfo test) throws Exception {
    config(test, 1, 1, NEVER);
    SharedConfig config = config(1, NEVER, 10, Duration.ofMillis(1));
    StageClient client = open(config);
    List<CompletableFuture<Envelope>> results = submit(client, "hangs", "waits");
    for (CompletableFuture<Envelope> failed : results) {
      assertThatThrownBy(failed::join)
          .cause()
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("stage gated did not finish a batch in 1 ms");
    }
    assertThat(stage.seen().abandoned).hasValue(1);
    assertThat(register.size()).isZero();
    assertThatThrownBy(client.submit(record("late"))::join)
        .cause()
        .hasMessageContaining("did not finish");
    assertThat(stage.seen().closed).as("nothing is closed under a call").hasValue(0);
    stage.seen().gated = false;
    stage.seen().mayEnd.release();
  }

  @Test
  void metricsSeeTheBatches(TestInfo test) throws Exception {
    SharedConfig config = config(test, 1, 3, NEVER);
    stage.seen().gated = false;
    List<ClientMetrics.Batch> batches = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch opened = new CountDownLatch(1);
    StageClient measured =
        open(
            config,
            new ClientMetrics() {
              @Override
              public void opened(long nanos) {
                opened.countDown();
              }

              @Override
              public void ended(Batch batch) {
                batches.add(batch);
              }
            });
    StageClient other = open(config);
    opened.await();
    List<CompletableFuture<Envelope>> results = new ArrayList<>();
    results.addAll(submit(measured, "good", "bad"));
    results.addAll(submit(other, "third"));
    for (CompletableFuture<Envelope> result : results) {
      result.get();
    }
    assertThat(batches).hasSize(1);
    assertThat(batches.get(0).records()).isEqualTo(3);
    assertThat(batches.get(0).own()).isEqualTo(2);
    assertThat(batches.get(0).failures()).isEqualTo(1);
  }

  /** What a job's own class loader has loaded, and its class loader, can be unloaded. */
  @Test
  void openStagesKeepNothingOfAClientThatIsGone(TestInfo test) throws Exception {
    SharedConfig config = config(test, 2, 1, NEVER);
    stage.seen().gated = false;
    WeakReference<ClassLoader> loader = openAndClose(config);
    while (loader.get() != null) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(register.size()).isEqualTo(1);
  }

  /** Opens the stages from a class of another class loader, and leaves one client of this one. */
  private WeakReference<ClassLoader> openAndClose(SharedConfig config) throws Exception {
    ClassLoader other = new OneClassLoader(FromElsewhere.class);
    Callable<?> caller =
        (Callable<?>)
            other
                .loadClass(FromElsewhere.class.getName())
                .getConstructor(SharedStages.class, SharedConfig.class)
                .newInstance(register, config);
    assertThat(caller.getClass().getClassLoader()).isSameAs(other);
    StageClient first = (StageClient) caller.call();
    open(config);
    assertThat(text(first.submit(record("x")))).isEqualTo("x a");
    first.close();
    return new WeakReference<>(other);
  }

  /** Opens a client, with metrics that its class loader has loaded. */
  public static final class FromElsewhere implements Callable<StageClient>, ClientMetrics {
    private final SharedStages register;
    private final SharedConfig config;

    public FromElsewhere(SharedStages register, SharedConfig config) {
      this.register = register;
      this.config = config;
    }

    @Override
    public StageClient call() {
      return register.open(config, this);
    }
  }

  /** Loads one class itself. */
  private static final class OneClassLoader extends ClassLoader {
    private final Class<?> own;

    OneClassLoader(Class<?> own) {
      super(own.getClassLoader());
      this.own = own;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(own.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in =
          own.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** Clients come, hand over records, change their index and go; every future ends. */
  @Test
  void everyRecordIsAnsweredOnce(TestInfo test) throws Exception {
    config(test, 3, 7, 1);
    stage.seen().gated = false;
    SharedConfig config = config(7, 1, 20, Duration.ofMinutes(1));
    List<Thread> callers = new ArrayList<>();
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    for (int caller = 0; caller < 6; caller++) {
      Random random = new Random(caller);
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (int round = 0; round < 5; round++) {
                    call(config, random);
                  }
                } catch (Throwable e) {
                  failures.add(e);
                }
              });
      callers.add(thread);
      thread.start();
    }
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(failures).isEmpty();
    assertThat(register.size()).isZero();
  }

  private void call(SharedConfig config, Random random) throws Exception {
    try (StageClient client = register.open(config, ClientMetrics.NONE)) {
      List<CompletableFuture<Envelope>> results = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      String index = "a";
      for (int i = 0; i < 200; i++) {
        if (random.nextInt(50) == 0) {
          index = random.nextBoolean() ? "a" : "b";
          client.use("gated", GatedStage.index(index));
        }
        results.add(client.submit(record("text " + i)));
        expected.add("text " + i + " " + index);
      }
      for (int i = 0; i < results.size(); i++) {
        assertThat(text(results.get(i))).isEqualTo(expected.get(i));
      }
    }
  }
}
