package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.record.Records;
import io.latimer.schemas.Envelope;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StageVersionsTest {
  private static final IndexRef FIRST = index("first", "a");
  private static final IndexRef SECOND = index("second", "b");

  /** What was opened and closed, in this order. */
  private final List<String> events = Collections.synchronizedList(new ArrayList<>());

  private static IndexRef index(String name, String digit) {
    return new IndexRef("test", URI.create("file:/" + name), digit.repeat(64), "");
  }

  /** Appends the name of its index to the text. */
  private final class Member implements BatchStage {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final IndexRef index;

    Member(String name, IndexRef index) {
      this.name = name;
      this.index = index;
    }

    String label() {
      return name + (index == null ? "" : index.uri().getPath());
    }

    @Override
    public BatchStage on(IndexRef other) {
      return new Member(name, other);
    }

    @Override
    public List<Result<RecordChange>> apply(StageBatch batch) {
      List<Result<RecordChange>> changes = new ArrayList<>();
      for (int i = 0; i < batch.size(); i++) {
        changes.add(Result.of(draft -> draft.setText(draft.getText() + " " + label())));
      }
      return changes;
    }

    @Override
    public String kind() {
      return "test";
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String device() {
      return "cpu";
    }

    @Override
    public List<IndexRef> indexRefs() {
      return index == null ? List.of() : List.of(index);
    }

    @Override
    public Set<RecordPart> reads() {
      return Set.of(RecordPart.TRANSLATION);
    }

    @Override
    public Set<RecordPart> writes() {
      return Set.of(RecordPart.TRANSLATION);
    }

    @Override
    public void open(Device device, ResidentIndexes indexes) {}

    @Override
    public void close() {
      events.add("close " + label());
    }
  }

  private StageVersions versions() {
    return new StageVersions(
        List.of(new Member("plain", null), new Member("score", FIRST)),
        Thread::new,
        stage -> events.add("open " + ((Member) stage).label()));
  }

  private static String text(StageVersions.Use use) {
    Envelope record = Records.envelope(1, "a");
    return use.group().call(List.of(record), 0).run().get(0).getTranslation().getText();
  }

  @Test
  void aBatchUsesItsOwnIndexesWhateverLaterOnesUse() {
    try (StageVersions versions = versions()) {
      StageVersions.Use old = versions.use(Map.of());
      StageVersions.Use swapped = versions.use(Map.of("score", SECOND));
      assertThat(text(swapped)).endsWith(" plain score/second");
      assertThat(text(old)).endsWith(" plain score/first");
      assertThat(events).containsExactly("open plain", "open score/second", "open score/first");
    }
  }

  @Test
  void aStageIsClosedWithItsLastHoldAndMayBeOpenedAgain() {
    try (StageVersions versions = versions()) {
      StageVersions.Hold held = versions.hold("score", SECOND);
      StageVersions.Use used = versions.use(Map.of("score", SECOND));
      held.open();
      used.group();
      held.close();
      held.close(); // counts once
      assertThat(events).containsExactly("open score/second", "open plain");
      used.close();
      assertThat(events.subList(2, 4))
          .containsExactlyInAnyOrder("close plain", "close score/second");
      versions.hold("score", SECOND).open();
      assertThat(events.subList(4, events.size())).containsExactly("open score/second");
    }
    assertThat(events).endsWith("close score/second").hasSize(6);
  }

  @Test
  void theSameContentElsewhereIsTheSameVersion() {
    try (StageVersions versions = versions()) {
      versions.hold("score", null).open();
      versions.hold("score", index("moved", "a")).open();
      assertThat(events).containsExactly("open score/first");
    }
  }

  @Test
  void whatIsBeingOpenedKeepsOnlyThoseWaitingThatNeedIt() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch loaded = new CountDownLatch(1);
    StageVersions versions =
        new StageVersions(
            List.of(new Member("score", FIRST)),
            Thread::new,
            stage -> {
              if (stage.indexRefs().contains(SECOND)) {
                loading.countDown();
                await(loaded);
              }
              events.add("open " + ((Member) stage).label());
            });
    CompletableFuture<BatchStage> one =
        CompletableFuture.supplyAsync(() -> versions.hold("score", SECOND).open());
    loading.await();
    CompletableFuture<BatchStage> two =
        CompletableFuture.supplyAsync(() -> versions.hold("score", SECOND).open());
    assertThat(text(versions.use(Map.of()))).endsWith(" score/first");
    assertThat(two).isNotDone();
    loaded.countDown();
    assertThat(one.get()).isSameAs(two.get());
    assertThat(events).containsExactly("open score/first", "open score/second");
    versions.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aStageThatCannotBeOpenedIsTriedAgainOnceItIsReleased() {
    try (StageVersions versions =
        new StageVersions(
            List.of(new Member("score", FIRST)),
            Thread::new,
            stage -> {
              events.add("try");
              if (events.size() == 1) {
                throw new OperatorException("too little memory");
              }
            })) {
      StageVersions.Hold failed = versions.hold("score", SECOND);
      assertThatThrownBy(failed::open).hasMessage("too little memory");
      assertThatThrownBy(() -> versions.hold("score", SECOND).open())
          .hasMessage("too little memory");
      assertThat(events).containsExactly("try");
    }
  }

  @Test
  void whatIsOpenedTooLateIsClosedAtOnce() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch loaded = new CountDownLatch(1);
    StageVersions versions =
        new StageVersions(
            List.of(new Member("score", FIRST)),
            Thread::new,
            stage -> {
              loading.countDown();
              await(loaded);
            });
    CompletableFuture<BatchStage> late =
        CompletableFuture.supplyAsync(() -> versions.hold("score", SECOND).open());
    loading.await();
    versions.close();
    assertThat(events).isEmpty();
    loaded.countDown();
    assertThatThrownBy(late::get).hasCauseInstanceOf(GroupEndedException.class);
    assertThat(events).containsExactly("close score/second");
  }
}
