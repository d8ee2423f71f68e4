package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
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

  /** Appends the name of its index, and the number of its learned pairs, to the text. */
  private class Member implements LearningStage {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final IndexRef index;
    private final transient LearnedPairs learned;

    Member(String name, IndexRef index) {
      this(name, index, LearnedPairs.none());
    }

    Member(String name, IndexRef index, LearnedPairs learned) {
      this.name = name;
      this.index = index;
      this.learned = learned;
    }

    String label() {
      String pairs = learned.isEmpty() ? "" : "+" + learned.size();
      return name + (index == null ? "" : index.uri().getPath()) + pairs;
    }

    @Override
    public LearningStage on(IndexRef other, LearnedPairs pairs) {
      return new Member(name, other, pairs);
    }

    @Override
    public LearnedPair align(LearnedPair pair) {
      throw new AssertionError("versions do not learn");
    }

    @Override
    public IndexRef compact(String folder, String writer, BuildProgress progress) {
      throw new AssertionError("versions do not learn");
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

  private static StageVersions.Hold hold(StageVersions versions, IndexVersion version) {
    return versions.hold("score", Map.of("score", version));
  }

  private static String text(StageVersions.Use use) {
    Envelope record = Records.envelope(1, "a");
    return use.group().call(List.of(record), 0).run().get(0).getTranslation().getText();
  }

  @Test
  void aBatchUsesItsOwnIndexesWhateverLaterOnesUse() {
    try (StageVersions versions = versions()) {
      StageVersions.Use old = versions.use(Map.of());
      StageVersions.Use swapped = versions.use(Map.of("score", IndexVersion.of(SECOND)));
      assertThat(text(swapped)).endsWith(" plain score/second");
      assertThat(text(old)).endsWith(" plain score/first");
      assertThat(events).containsExactly("open plain", "open score/second", "open score/first");
    }
  }

  @Test
  void aStageIsClosedWithItsLastHoldAndMayBeOpenedAgain() {
    try (StageVersions versions = versions()) {
      StageVersions.Hold held = hold(versions, IndexVersion.of(SECOND));
      StageVersions.Use used = versions.use(Map.of("score", IndexVersion.of(SECOND)));
      held.open();
      used.group();
      held.close();
      held.close(); // counts once
      assertThat(events).containsExactly("open score/second", "open plain");
      used.close();
      assertThat(events.subList(2, 4))
          .containsExactlyInAnyOrder("close plain", "close score/second");
      hold(versions, IndexVersion.of(SECOND)).open();
      assertThat(events.subList(4, events.size())).containsExactly("open score/second");
    }
    assertThat(events).endsWith("close score/second").hasSize(6);
  }

  @Test
  void theSameContentElsewhereIsTheSameVersion() {
    try (StageVersions versions = versions()) {
      versions.hold("score", Map.of()).open();
      hold(versions, IndexVersion.of(index("moved", "a"))).open();
      assertThat(events).containsExactly("open score/first");
    }
  }

  /** A member with a glossary, whose name and learned terms it appends, too. */
  private final class WithGlossary extends Member {
    private static final long serialVersionUID = 1L;

    private final IndexVersion glossary;

    WithGlossary(IndexRef index, IndexVersion glossary) {
      super("score", index);
      this.glossary = glossary;
    }

    @Override
    String label() {
      return super.label()
          + glossary.index().uri().getPath()
          + (glossary.learned().isEmpty() ? "" : "+" + glossary.learned().size());
    }

    @Override
    public Map<String, IndexRef> indexes() {
      return Map.of("score", index().orElseThrow(), "score.glossary", glossary.index());
    }

    @Override
    public BatchStage on(String name, IndexVersion version) {
      return name.equals("score.glossary")
          ? new WithGlossary(index().orElseThrow(), version)
          : new WithGlossary(version.index(), glossary);
    }
  }

  @Test
  void theVersionOfAStageIsThatOfAllItsIndexes() {
    IndexVersion terms = IndexVersion.of(index("terms", "c"));
    IndexVersion more = new IndexVersion(terms.index(), learned(0, "x").learned());
    try (StageVersions versions =
        new StageVersions(
            List.of(new WithGlossary(FIRST, IndexVersion.of(SECOND))),
            Thread::new,
            stage -> events.add("open " + ((Member) stage).label()))) {
      StageVersions.Use before = versions.use(Map.of());
      StageVersions.Use swapped = versions.use(Map.of("score.glossary", terms));
      StageVersions.Use both =
          versions.use(
              Map.of("score", IndexVersion.of(SECOND), "score.glossary", more, "other", terms));
      assertThat(text(swapped)).endsWith(" score/first/terms");
      assertThat(text(both)).endsWith(" score/second/terms+1");
      assertThat(text(before)).endsWith(" score/first/second");
      swapped.close();
      assertThat(events).endsWith("close score/first/terms").hasSize(4);
    }
  }

  @Test
  void namesOfIndexesAreThoseOfTheirStagesAndKeys() {
    assertThat(IndexName.parse("score")).isEqualTo(new IndexName("score", "")).hasToString("score");
    assertThat(IndexName.parse("score.glossary"))
        .isEqualTo(new IndexName("score", "glossary"))
        .hasToString("score.glossary");
    assertThat(IndexName.parse("score.glossary").isMain()).isFalse();
  }

  private static IndexVersion learned(long from, String... sources) {
    List<LearnedPair> pairs = new ArrayList<>();
    for (String source : sources) {
      pairs.add(new LearnedPair(source, 0, source, "target", "0-0"));
    }
    return new IndexVersion(FIRST, LearnedPairs.none(from).with(pairs));
  }

  @Test
  void learnedPairsMakeVersionsOfTheirOwn() {
    try (StageVersions versions = versions()) {
      StageVersions.Use before = versions.use(Map.of("score", learned(0)));
      StageVersions.Use one = versions.use(Map.of("score", learned(0, "x")));
      StageVersions.Use two = versions.use(Map.of("score", learned(0, "x", "y")));
      StageVersions.Use again = versions.use(Map.of("score", learned(0, "x")));
      assertThat(text(one)).endsWith(" plain score/first+1");
      assertThat(text(two)).endsWith(" plain score/first+2");
      assertThat(text(before)).endsWith(" plain score/first");
      assertThat(text(again)).endsWith(" plain score/first+1");
      assertThat(events).filteredOn(event -> event.equals("open score/first+1")).hasSize(1);
      one.close();
      assertThat(events).doesNotContain("close score/first+1");
      again.close();
      assertThat(events).endsWith("close score/first+1");
    }
  }

  /** A compacted index has the pairs in it. */
  @Test
  void anIndexWithoutLearnedPairsIsTheSameWhateverItHasLearned() {
    try (StageVersions versions = versions()) {
      hold(versions, learned(0)).open();
      hold(versions, learned(7)).open();
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
        CompletableFuture.supplyAsync(() -> hold(versions, IndexVersion.of(SECOND)).open());
    loading.await();
    CompletableFuture<BatchStage> two =
        CompletableFuture.supplyAsync(() -> hold(versions, IndexVersion.of(SECOND)).open());
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
      StageVersions.Hold failed = hold(versions, IndexVersion.of(SECOND));
      assertThatThrownBy(failed::open).hasMessage("too little memory");
      assertThatThrownBy(() -> hold(versions, IndexVersion.of(SECOND)).open())
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
        CompletableFuture.supplyAsync(() -> hold(versions, IndexVersion.of(SECOND)).open());
    loading.await();
    versions.close();
    assertThat(events).isEmpty();
    loaded.countDown();
    assertThatThrownBy(late::get).hasCauseInstanceOf(GroupEndedException.class);
    assertThat(events).containsExactly("close score/second");
  }

  @Test
  void nothingIsOpenedOnceAllAreClosed() {
    List<BatchStage> opened = new ArrayList<>();
    StageVersions versions =
        new StageVersions(List.of(new Member("score", FIRST)), Thread::new, opened::add);
    versions.close();
    assertThatThrownBy(hold(versions, IndexVersion.of(SECOND))::open)
        .isInstanceOf(GroupEndedException.class);
    assertThat(opened).isEmpty();
  }
}
