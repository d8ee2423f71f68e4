package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.Watch;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The other stages: what they add to records is what their operators say. */
class OtherStagesTest {
  @TempDir Path folder;

  private static Envelope sentence(String text, long time) {
    return Sentences.record(
        Sentence.newBuilder()
            .setId(text)
            .setFeed("test")
            .setLanguage("en")
            .setText(text)
            .setEventTime(Instant.ofEpochMilli(time))
            .build());
  }

  private static void assertResults(
      PTransform<PCollection<Envelope>, PCollectionTuple> stage,
      List<String> texts,
      SerializableFunction<Envelope, String> told,
      List<String> expected) {
    Pipeline pipeline = Pipeline.create();
    PCollectionTuple results =
        pipeline
            .apply(Create.of(texts.stream().map(text -> sentence(text, 0)).toList()))
            .apply(stage);
    PAssert.that(
            results
                .get(StageTransform.SUCCESSES)
                .apply(MapElements.into(TypeDescriptors.strings()).via(told)))
        .containsInAnyOrder(expected);
    PAssert.that(results.get(StageTransform.FAILURES)).empty();
    pipeline.run().waitUntilFinish();
  }

  @Test
  void textsAreScored() throws Exception {
    Path model = folder.resolve("model.llm");
    LanguageModels.estimate(List.of("the ship sails at dawn", "the ship is at the harbour"), model);
    List<String> texts = List.of("the ship is quiet", "a zebra sails");
    List<String> expected;
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      expected =
          score.apply(texts).stream()
              .map(one -> (double) one.orElseThrow().total() + " " + one.orElseThrow().unknown())
              .toList();
    }
    assertResults(
        io.latimer.pipelines.beam.Score.withModel(model.toString()),
        texts,
        record -> {
          var found = record.getTranslation().getLanguageScores().get(0);
          return found.getLog10() + " " + found.getUnknownWords();
        },
        expected);
  }

  @Test
  void textsAreCheckedAgainstAGrammar() {
    Path grammar =
        GrammarFiles.index(
            folder, "ab", "start S", "v S", "v W", "b S S W", "u S W", "t W a", "t W b");
    assertResults(
        GrammarCheck.withGrammar(grammar.toString()),
        List.of("a b", "a c"),
        record -> record.getTranslation().getGrammarChecks().get(0).getDerivable() + "",
        List.of("true", "false"));
  }

  @Test
  void phrasesAreLookedUp() {
    Path index =
        ParallelText.of("the house ||| das haus ||| 0-0 1-1", "a house ||| ein haus ||| 0-0 1-1")
            .index(folder, "index.lpx");
    assertResults(
        Phrases.withIndex(index.toString()),
        List.of("house"),
        record ->
            record
                .getTranslation()
                .getPhraseTables()
                .get(0)
                .getPhrases()
                .get(0)
                .getTranslations()
                .get(0)
                .getText(),
        List.of("haus"));
  }

  /** The side input's grammar has other words than that of the transform. */
  @Test
  void aSideInputReplacesTheIndex() {
    Path first = GrammarFiles.index(folder, "a", "start S", "v S", "v W", "u S W", "t W a");
    Path second = GrammarFiles.index(folder, "b", "start S", "v S", "v W", "u S W", "t W b");
    Pipeline pipeline = Pipeline.create();
    PCollectionView<String> newest =
        pipeline.apply("newest", Create.of(second.toString())).apply(View.asSingleton());
    PCollection<String> verdicts =
        pipeline
            .apply(Create.of(sentence("a", 0), sentence("b", 0)))
            .apply(GrammarCheck.withGrammar(first.toString()).withIndexes(newest))
            .get(StageTransform.SUCCESSES)
            .apply(
                MapElements.into(TypeDescriptors.strings())
                    .via(
                        record ->
                            record.getSentence().getText()
                                + " "
                                + record
                                    .getTranslation()
                                    .getGrammarChecks()
                                    .get(0)
                                    .getDerivable()));
    PAssert.that(verdicts).containsInAnyOrder("a false", "b true");
    pipeline.run().waitUntilFinish();
  }

  /** Puts a newer index into place when it comes to the element that says so. */
  private static final class Publish extends DoFn<Envelope, Envelope> {
    private static final long serialVersionUID = 1L;

    private final String newer;
    private final String live;

    Publish(Path newer, Path live) {
      this.newer = newer.toString();
      this.live = live.toString();
    }

    @ProcessElement
    public void process(@Element Envelope record, OutputReceiver<Envelope> out) throws IOException {
      if (record.getSentence().getText().equals("publish")) {
        Files.move(Path.of(newer), Path.of(live));
      } else {
        out.output(record);
      }
    }
  }

  /** While a pipeline runs; the newer grammar has other words than that of the transform. */
  @Test
  void anotherIndexIsUsedFromTheNextBundleOn() {
    Path first = GrammarFiles.index(folder, "a", "start S", "v S", "v W", "u S W", "t W a");
    Path second = GrammarFiles.index(folder, "b", "start S", "v S", "v W", "u S W", "t W b");
    Path live = folder.resolve("live-2");
    TestStream<Envelope> stream =
        TestStream.create(RecordCoder.of(Envelope.class))
            .addElements(at(1, "a"), at(2, "b"))
            .advanceWatermarkTo(org.joda.time.Instant.ofEpochSecond(3))
            .addElements(at(4, "publish"))
            .advanceWatermarkTo(org.joda.time.Instant.ofEpochSecond(5))
            .addElements(at(6, "a"), at(7, "b"))
            .advanceWatermarkToInfinity();
    Pipeline pipeline = Pipeline.create();
    PCollection<String> verdicts =
        pipeline
            .apply(stream)
            .apply(ParDo.of(new Publish(second, live)))
            .apply(
                GrammarCheck.withGrammar(first.toString())
                    .watching(folder + "/live-*", java.time.Duration.ZERO))
            .get(StageTransform.SUCCESSES)
            .apply(
                MapElements.into(TypeDescriptors.strings())
                    .via(
                        record ->
                            record.getOrigin().getTimestamp().getEpochSecond()
                                + record.getSentence().getText()
                                + record
                                    .getTranslation()
                                    .getGrammarChecks()
                                    .get(0)
                                    .getDerivable()));
    PAssert.that(verdicts).containsInAnyOrder("1atrue", "2bfalse", "6afalse", "7btrue");
    pipeline.run().waitUntilFinish();
  }

  @Test
  void stagesFollowEachOther() throws Exception {
    Path model = folder.resolve("model.llm");
    LanguageModels.estimate(List.of("guten morgen"), model);
    Pipeline pipeline = Pipeline.create();
    PCollection<String> scored =
        pipeline
            .apply(Create.of(sentence("Good morning.", 0)))
            .apply(Translate.withModel(Examples.MODEL.toString()))
            .get(StageTransform.SUCCESSES)
            .apply(
                io.latimer.pipelines.beam.Score.withModel(model.toString())
                    .with("of", "translation"))
            .get(StageTransform.SUCCESSES)
            .apply(
                MapElements.into(TypeDescriptors.strings())
                    .via(
                        record ->
                            record.getTranslation().getText()
                                + " "
                                + record.getTranslation().getLanguageScores().get(0).getText()));
    PAssert.thatSingleton(scored)
        .isEqualTo(Examples.translations(List.of("Good morning.")).get(0) + " translation");
    pipeline.run().waitUntilFinish();
  }

  private static TimestampedValue<Envelope> at(long second, String text) {
    return TimestampedValue.of(
        sentence(text, 1000 * second), org.joda.time.Instant.ofEpochSecond(second));
  }

  private static String told(NgramTable table) {
    return table.getStart().getEpochSecond()
        + "-"
        + table.getEnd().getEpochSecond()
        + " revision "
        + table.getRevision()
        + ": "
        + table.getSentences()
        + " "
        + table.getTop().get(0).getNgram()
        + " "
        + table.getTop().get(0).getCount();
  }

  /** Late sentences make a table again; those that are too late are dropped. */
  @Test
  void ngramsAreCountedPerWindowAndAgainForLateSentences() {
    TestStream<Envelope> stream =
        TestStream.create(RecordCoder.of(Envelope.class))
            .addElements(at(1, "a b"), at(9, "a"), at(11, "c"))
            .advanceWatermarkTo(org.joda.time.Instant.ofEpochSecond(12))
            .addElements(at(3, "a a"))
            .advanceWatermarkTo(org.joda.time.Instant.ofEpochSecond(100))
            .addElements(at(4, "a"))
            .advanceWatermarkToInfinity();
    Pipeline pipeline = Pipeline.create();
    PCollection<String> tables =
        pipeline
            .apply(stream)
            .apply(
                Window.<Envelope>into(FixedWindows.of(Duration.standardSeconds(10)))
                    .triggering(
                        AfterWatermark.pastEndOfWindow()
                            .withLateFirings(AfterPane.elementCountAtLeast(1)))
                    .withAllowedLateness(Duration.standardSeconds(20))
                    .accumulatingFiredPanes())
            .apply(CountNgrams.create().with("order", 1).with("top", 1))
            .get(CountNgrams.TABLES)
            .apply(MapElements.into(TypeDescriptors.strings()).via(OtherStagesTest::told));
    PAssert.that(tables)
        .containsInAnyOrder(
            "0-10 revision 0: 2 a 2", "10-20 revision 0: 1 c 1", "0-10 revision 1: 3 a 4");
    pipeline.run().waitUntilFinish();
  }

  /** Where panes discard, the one at the end of a window may have no sentence: it has no table. */
  @Test
  void discardedPanesAreTablesOfTheirOwnSentences() {
    TestStream<Envelope> stream =
        TestStream.create(RecordCoder.of(Envelope.class))
            .addElements(at(1, "a b"))
            .advanceWatermarkTo(org.joda.time.Instant.ofEpochSecond(12))
            .addElements(at(3, "a a"))
            .advanceWatermarkToInfinity();
    Pipeline pipeline = Pipeline.create();
    PCollection<String> tables =
        pipeline
            .apply(stream)
            .apply(
                Window.<Envelope>into(FixedWindows.of(Duration.standardSeconds(10)))
                    .triggering(
                        AfterWatermark.pastEndOfWindow()
                            .withEarlyFirings(AfterPane.elementCountAtLeast(1))
                            .withLateFirings(AfterPane.elementCountAtLeast(1)))
                    .withAllowedLateness(Duration.standardSeconds(20))
                    .discardingFiredPanes())
            .apply(CountNgrams.create().with("order", 1).with("top", 1))
            .get(CountNgrams.TABLES)
            .apply(MapElements.into(TypeDescriptors.strings()).via(OtherStagesTest::told));
    PAssert.that(tables).containsInAnyOrder("0-10 revision 0: 1 a 1", "0-10 revision 2: 1 a 2");
    pipeline.run().waitUntilFinish();
  }

  @Test
  void manySentencesAreCountedInSmallBatchesOfEachFeed() {
    List<Envelope> records =
        IntStream.range(0, 500).mapToObj(i -> sentence("word w" + i % 7, i)).toList();
    Pipeline pipeline = Pipeline.create();
    PCollection<String> tables =
        pipeline
            .apply(Create.of(records))
            .apply(
                CountNgrams.create()
                    .with("order", 1)
                    .with("batch-bytes", 100)
                    .with("by-feed", true))
            .get(CountNgrams.TABLES)
            .apply(
                MapElements.into(TypeDescriptors.strings())
                    .via(
                        table ->
                            table.getFeed()
                                + " "
                                + table.getRunning()
                                + " "
                                + table.getSentences()
                                + " "
                                + table.getTotal()
                                + " "
                                + table.getDistinct()
                                + " "
                                + table.getEnd().toEpochMilli()));
    PAssert.that(tables).containsInAnyOrder("test true 500 1000 8 500");
    PipelineResult result = pipeline.run();
    result.waitUntilFinish();
    StageMetrics found = new StageMetrics(result);
    assertThat(found.counter(BundleMetrics.INFERENCES)).isEqualTo(500);
    assertThat(found.counter(BundleMetrics.FAILED)).isZero();
    assertThat(found.distribution(BundleMetrics.BATCH_SIZE).getSum()).isEqualTo(500);
    assertThat(found.distribution(BundleMetrics.BATCH_SIZE).getCount()).isGreaterThan(20);
    assertThat(found.distribution(BundleMetrics.LOAD_LATENCY).getCount()).isPositive();
  }

  private Path container(String name, String... texts) throws IOException {
    return Containers.write(
        folder.resolve(name),
        Stream.of(texts).map(text -> sentence(text, 1000).getSentence()).toList());
  }

  private static String readText(Envelope record) {
    return record.getFailure() == null
        ? record.getSentence().getText() + record.getOrigin().getOffset()
        : "failed" + record.getOrigin().getOffset();
  }

  @Test
  void recordsOfTextFilesAndContainersAreRead() throws Exception {
    Files.writeString(folder.resolve("feed.txt"), "one\r\ntwo");
    container("feed.avro", "three", "four");
    byte[] damaged = Files.readAllBytes(container("damaged.avro", "five", "six"));
    // the last block lacks its end
    Files.write(folder.resolve("damaged.avro"), Arrays.copyOf(damaged, damaged.length - 18));
    Pipeline pipeline = Pipeline.create();
    PCollection<String> read =
        pipeline
            .apply(FileIO.match().filepattern(folder + "/*"))
            .apply(FileIO.readMatches())
            .apply(Sentences.fromFiles(InputConfig.DEFAULTS))
            .apply(MapElements.into(TypeDescriptors.strings()).via(OtherStagesTest::readText));
    PAssert.that(read).containsInAnyOrder("one0", "two1", "three0", "four1", "five0", "failed1");
    pipeline.run().waitUntilFinish();
  }

  /** Sentences are older than the moment in which their file was found. */
  @Test
  void filesAreReadAsTheyAppear() throws Exception {
    Path file = container("feed.avro", "one", "two");
    Pipeline pipeline = Pipeline.create();
    PCollection<String> read =
        pipeline
            .apply(
                FileIO.match()
                    .filepattern(file.toString())
                    .continuously(
                        Duration.millis(50), Watch.Growth.afterTotalOf(Duration.millis(150))))
            .apply(FileIO.readMatches())
            .apply(Sentences.fromFiles(InputConfig.DEFAULTS))
            .apply(MapElements.into(TypeDescriptors.strings()).via(OtherStagesTest::readText));
    PAssert.that(read).containsInAnyOrder("one0", "two1");
    pipeline.run().waitUntilFinish();
  }
}
