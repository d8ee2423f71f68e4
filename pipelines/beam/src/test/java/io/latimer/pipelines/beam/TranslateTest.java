package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.shared.SharedStages;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.metrics.DistributionResult;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.Reify;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.util.construction.PipelineTranslation;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TranslateTest {
  private static final Translate TRANSLATE = Translate.withModel(Examples.MODEL.toString());

  private static List<Envelope> sentences(List<String> texts) {
    return IntStream.range(0, texts.size())
        .mapToObj(
            i ->
                Sentences.record(
                    Sentence.newBuilder()
                        .setId(Integer.toString(i))
                        .setFeed("test")
                        .setLanguage("en")
                        .setText(texts.get(i))
                        .setEventTime(java.time.Instant.ofEpochMilli(1000L * i))
                        .build()))
        .toList();
  }

  private static String idAndText(Envelope record) {
    return record.getSentence().getId() + " " + record.getTranslation().getText();
  }

  @Test
  void translatesAsTheOperatorAndCountsIt() throws Exception {
    List<String> texts = Examples.feed(60);
    List<String> translations = Examples.translations(texts);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      expected.add(i + " " + translations.get(i));
    }
    Pipeline pipeline = Pipeline.create();
    PCollectionTuple results =
        pipeline.apply(Create.of(sentences(texts))).apply(TRANSLATE.with("batch.max-records", 16));
    PCollection<String> lines =
        results
            .get(Translate.SUCCESSES)
            .apply(MapElements.into(TypeDescriptors.strings()).via(TranslateTest::idAndText));
    PAssert.that(lines).containsInAnyOrder(expected);
    PAssert.that(results.get(Translate.FAILURES)).empty();
    pipeline.run().waitUntilFinish();
    assertThat(SharedStages.process().size()).isZero();
  }

  @Test
  void itsWorkIsMeasured() throws Exception {
    List<String> texts = new ArrayList<>(Examples.feed(60));
    texts.add("x".repeat(150_000)); // too long to be translated
    Pipeline pipeline = Pipeline.create();
    PCollectionTuple results =
        pipeline
            .apply(Create.of(sentences(texts)))
            .apply(TRANSLATE.with("batch.max-records", 16).with("beam", 1));
    PAssert.that(
            results
                .get(Translate.FAILURES)
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via((DeadLetter letter) -> letter.getStage())))
        .containsInAnyOrder("translate");
    PipelineResult result = pipeline.run();
    result.waitUntilFinish();
    StageMetrics found = new StageMetrics(result);
    assertThat(found.counter(BundleMetrics.INFERENCES)).isEqualTo(60);
    assertThat(found.counter(BundleMetrics.FAILED)).isEqualTo(1);
    DistributionResult sizes = found.distribution(BundleMetrics.BATCH_SIZE);
    assertThat(sizes.getMin()).isPositive();
    assertThat(sizes.getMax()).isBetween(1L, 16L);
    assertThat(sizes.getSum()).isGreaterThanOrEqualTo(61); // a batch counts for each of its bundles
    assertThat(found.distribution(BundleMetrics.BATCH_LATENCY).getMin()).isPositive();
    assertThat(found.distribution(BundleMetrics.BATCH_LATENCY).getCount())
        .isEqualTo(sizes.getCount());
    assertThat(found.distribution(BundleMetrics.QUEUE_LATENCY).getSum()).isPositive();
    assertThat(found.distribution(BundleMetrics.QUEUE_LATENCY).getCount())
        .isEqualTo(sizes.getCount());
    assertThat(found.distribution(BundleMetrics.LOAD_LATENCY).getMax()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"gpu,true", "gpu:1,true", "cpu,false", "auto,false"})
  void aGpuIsAHintToTheRunner(String device, boolean isHint) throws Exception {
    for (PTransform<PCollection<Envelope>, PCollectionTuple> stage :
        List.of(TRANSLATE.with("device", device), CountNgrams.create().with("device", device))) {
      Pipeline pipeline = Pipeline.create();
      pipeline.apply(Create.of(sentences(List.of("Hi.")))).apply(stage);
      List<String> hints = new ArrayList<>();
      for (RunnerApi.Environment one :
          PipelineTranslation.toProto(pipeline).getComponents().getEnvironmentsMap().values()) {
        one.getResourceHintsMap().values().forEach(hint -> hints.add(hint.toStringUtf8()));
      }
      assertThat(hints).isEqualTo(isHint ? List.of("type:nvidia;count:1") : List.of());
    }
  }

  @Test
  void keysWindowsAndTimestampsAreKept() throws Exception {
    List<Envelope> records = sentences(Examples.feed(20));
    List<TimestampedValue<KV<String, Envelope>>> elements = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      // later ones first, so that results come behind elements with other times
      long time = 1000L * (records.size() - i);
      elements.add(
          TimestampedValue.of(KV.of("key" + i, records.get(i)), Instant.ofEpochMilli(time)));
      long start = time / 5000 * 5000;
      expected.add("key" + i + " " + i + " at " + time + " in " + start);
    }
    Pipeline pipeline = Pipeline.create();
    StageTransform.Keyed<String> translate = Identity.create().keyed();
    PCollection<String> found =
        pipeline
            .apply(
                Create.timestamped(elements)
                    .withCoder(KvCoder.of(StringUtf8Coder.of(), RecordCoder.of(Envelope.class))))
            .apply(Window.into(FixedWindows.of(org.joda.time.Duration.standardSeconds(5))))
            .apply(translate)
            .get(translate.successes())
            .apply(Reify.windows())
            .apply(
                MapElements.into(TypeDescriptors.strings())
                    .via(
                        one ->
                            one.getValue().getKey()
                                + " "
                                + one.getValue().getValue().getSentence().getId()
                                + " at "
                                + one.getTimestamp().getMillis()
                                + " in "
                                + (one.getWindow().maxTimestamp().getMillis() + 1 - 5000)));
    PAssert.that(found.apply(Window.into(FixedWindows.of(org.joda.time.Duration.standardDays(1)))))
        .containsInAnyOrder(expected);
    pipeline.run().waitUntilFinish();
  }

  @Test
  void whatCannotBeReadGoesToTheFailures(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("feed.txt");
    Files.write(file, new byte[] {'H', 'i', '.', '\n', (byte) 0xC0, '\n', 'N', 'o', '.', '\n'});
    Pipeline pipeline = Pipeline.create();
    PCollectionTuple results =
        pipeline
            .apply(FileIO.match().filepattern(file.toString()))
            .apply(FileIO.readMatches())
            .apply(Sentences.fromFiles(io.latimer.pipelines.source.InputConfig.DEFAULTS))
            .apply(TRANSLATE);
    PAssert.that(
            results
                .get(Translate.FAILURES)
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(
                            (DeadLetter letter) ->
                                letter.getStage() + " " + letter.getOrigin().getOffset())))
        .containsInAnyOrder("read 1");
    PAssert.that(
            results
                .get(Translate.SUCCESSES)
                .apply(
                    MapElements.into(TypeDescriptors.longs())
                        .via((Envelope record) -> record.getOrigin().getOffset())))
        .containsInAnyOrder(0L, 2L);
    pipeline.run().waitUntilFinish();
  }

  @Test
  void wrongSettingsAreRefusedWhenThePipelineIsBuilt() {
    Pipeline pipeline = Pipeline.create();
    PCollection<Envelope> records = pipeline.apply(Create.empty(RecordCoder.of(Envelope.class)));
    assertThatThrownBy(() -> records.apply("a", TRANSLATE.with("beem", 4)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("beem")
        .hasMessageContaining("beam");
    assertThatThrownBy(() -> records.apply("b", TRANSLATE.with(Map.of("batch.max-records", 0))))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("batch.max-records");
    assertThatThrownBy(() -> records.apply("c", Translate.withModel("missing.lmx")))
        .hasMessageContaining("missing.lmx");
  }

  @Test
  void theNewestOfWatchedFilesIsUsed(@TempDir Path folder) throws Exception {
    Files.copy(Examples.MODEL, folder.resolve("a.lmx"));
    List<String> used = new ArrayList<>();
    long[] clock = {0};
    IndexFollower follower =
        new IndexFollower(
            IndexUpdates.watch(folder + "/*.lmx", Duration.ofSeconds(1)),
            ref -> used.add(Path.of(ref.uri()).getFileName().toString()),
            () -> clock[0]);
    follower.update("");
    follower.update("");
    assertThat(used).containsExactly("a.lmx");
    Files.writeString(folder.resolve("b.lmx"), "not an index");
    Files.setLastModifiedTime(
        folder.resolve("b.lmx"),
        java.nio.file.attribute.FileTime.from(java.time.Instant.now().plusSeconds(10)));
    follower.update("");
    clock[0] = Duration.ofSeconds(1).toNanos();
    follower.update("");
    assertThat(used).containsExactly("a.lmx");
    Files.copy(Examples.MODEL, folder.resolve("c.lmx"));
    Files.setLastModifiedTime(
        folder.resolve("c.lmx"),
        java.nio.file.attribute.FileTime.from(java.time.Instant.now().plusSeconds(20)));
    follower.update("");
    assertThat(used).containsExactly("a.lmx");
    clock[0] = Duration.ofSeconds(2).toNanos();
    follower.update("");
    assertThat(used).containsExactly("a.lmx", "c.lmx");
  }

  @Test
  void anIndexThatFailedIsTriedAgainAndAPathMayGetOtherContent(@TempDir Path folder)
      throws Exception {
    Path index = folder.resolve("live.lmx");
    List<Long> used = new ArrayList<>();
    boolean[] isUsable = {false};
    long[] clock = {0};
    IndexFollower follower =
        new IndexFollower(
            IndexUpdates.from(null),
            ref -> {
              if (!isUsable[0]) {
                throw new OperatorException("no memory for it");
              }
              used.add(Path.of(ref.uri()).toFile().length());
            },
            () -> clock[0]);
    follower.update(index.toString()); // not there yet
    Files.copy(Examples.MODEL, index);
    long size = Files.size(index);
    for (int i = 0; i < 2; i++) {
      clock[0] += Duration.ofMinutes(1).toNanos();
      follower.update(index.toString());
      assertThat(used).isEmpty();
    }
    isUsable[0] = true;
    clock[0] += Duration.ofMinutes(1).toNanos();
    follower.update(index.toString());
    assertThat(used).containsExactly(size);
    clock[0] += Duration.ofMinutes(1).toNanos();
    follower.update(index.toString());
    assertThat(used).as("the same content").containsExactly(size);
    Files.setLastModifiedTime(
        index, java.nio.file.attribute.FileTime.from(java.time.Instant.now().plusSeconds(10)));
    clock[0] += Duration.ofMinutes(1).toNanos();
    follower.update(index.toString());
    assertThat(used).containsExactly(size, size);
  }
}
