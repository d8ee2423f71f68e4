package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.estimate.EstimateReport;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.PublishedModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EstimateStageTest {
  @TempDir Path folder;

  private Path models() {
    return folder.resolve("models");
  }

  private EstimateStage stage(String settings) {
    String yaml =
        "name: news\nsource: {list: {lines: []}}\nstages: [{estimate: {folder: models, "
            + settings
            + "}}]\n";
    EstimateStage stage =
        (EstimateStage) JobConfigReader.read(yaml, "job.yaml", folder).newStages().get(0);
    stage.open(Device.CPU, new ResidentIndexes());
    return stage;
  }

  private static byte[] counted(EstimateStage stage, List<String> texts) {
    try (Accumulator accumulator = stage.accumulator()) {
      accumulator
          .add(texts.stream().map(text -> Records.envelope(0, text)).toList())
          .forEach(Result::orElseThrow);
      return accumulator.take();
    }
  }

  private static PublishedModel publish(EstimateStage stage, byte[] counts, long sentences) {
    return stage.table(new TableScope("wire", false, 1_000, 2_000, 1, sentences, 7), counts);
  }

  private static List<String> sentences(int seed, int number) {
    Random random = new Random(seed);
    List<String> sentences = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      List<String> words = new ArrayList<>();
      for (int w = random.nextInt(9); w > 0; w--) {
        int word = (int) Math.abs(random.nextGaussian() * 20);
        words.add(word % 3 == 0 ? "\u00e9" + word : "w" + word);
      }
      sentences.add(String.join(" ", words));
    }
    return sentences;
  }

  private static List<Scored> scores(Path model, List<String> texts) {
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      return score.apply(texts).stream().map(Result::orElseThrow).toList();
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(models())) {
      return files.toList();
    }
  }

  /** Independent of the order in which sentences are counted and parts merged. */
  @ParameterizedTest
  @CsvSource({"1,hash", "2,hash", "3,btree", "5,hash"})
  void aModelIsThatOfTheCommandLineForTheSameText(int order, String layout) throws IOException {
    EstimateStage stage =
        stage("order: " + order + ", layout: " + layout + ", prune: [0, 0, 1]".repeat(order / 3));
    List<String> text = sentences(order, 899);
    // lmplz treats the last word specially; here it is also the last in UTF-8 order
    text.add("\ud83d\ude00");
    List<byte[]> parts = new ArrayList<>();
    for (int from = 0; from < text.size(); from += 150) {
      parts.add(counted(stage, text.subList(from, from + 150)));
    }
    PublishedModel model = publish(stage, stage.merge(parts), text.size());
    Collections.shuffle(parts, new Random(1));
    byte[] first = stage.merge(parts.subList(0, 2));
    byte[] rest = stage.merge(parts.subList(2, parts.size()));
    assertThat(publish(stage, stage.merge(List.of(rest, first)), text.size())).isEqualTo(model);

    Path imported = folder.resolve("model.llm");
    EstimateReport report =
        LanguageModels.estimate(
            text,
            EstimateOptions.of(order)
                .withFallback(Discounts.FALLBACK)
                .withPrune(order >= 3 ? List.of(0L, 0L, 1L) : List.of()),
            layout.equals("hash") ? LmLayout.HASH : LmLayout.BTREE,
            imported);
    assertThat(model.getSentences()).isEqualTo(report.sentences());
    assertThat(model.getWords()).isEqualTo(report.words());
    assertThat(model.getNgrams())
        .isEqualTo(report.orders().stream().map(EstimateReport.Order::kept).toList());
    List<String> heldOut = new ArrayList<>(sentences(99, 200));
    heldOut.add("never seen w1 w2 nor this");
    heldOut.addAll(text);
    List<Scored> expected = scores(imported, heldOut);
    List<Scored> found = scores(Path.of(URI.create(model.getUri())), heldOut);
    for (int i = 0; i < heldOut.size(); i++) {
      assertThat(found.get(i).log10()).isEqualTo(expected.get(i).log10());
      assertThat(found.get(i).lengths()).isEqualTo(expected.get(i).lengths());
    }
  }

  @Test
  void aFileHasTheNameOfItsContentAndTheRecordRefersToIt() throws IOException {
    EstimateStage stage = stage("order: 2");
    byte[] counts = counted(stage, sentences(4, 300));
    PublishedModel model = publish(stage, counts, 300);
    IndexRef ref =
        new IndexRef(
            model.getKind(), URI.create(model.getUri()), model.getSha256(), model.getVersion());
    Path file = models().resolve(model.getSha256() + ".llm");
    assertThat(IndexRefs.of(file)).isEqualTo(ref);
    assertThat(files()).containsExactly(file);
    assertThat(model.getFileBytes()).isEqualTo(Files.size(file));
    assertThat(model.getVersion()).isEqualTo("1970-01-01T00:00:02Z");
    assertThat(model.getProblem()).isEmpty();
    // again, over a damaged file
    Files.writeString(file, "damaged");
    assertThat(publish(stage, counts, 300)).isEqualTo(model);
    assertThat(IndexRefs.of(file)).isEqualTo(ref);
    assertThat(files()).containsExactly(file);

    assertThat(model.getJob()).isEqualTo("news");
    assertThat(stage.key(model)).isEqualTo("estimate/wire");
    assertThat(stage.time(model).toEpochMilli()).isEqualTo(1_999);
    assertThat(stage.line(model).split("\t", -1))
        .containsExactly(
            "window",
            "wire",
            "1970-01-01T00:00:01Z",
            "1970-01-01T00:00:02Z",
            "1",
            "300",
            Long.toString(model.getWords()),
            "7",
            "2",
            model.getSha256(),
            Long.toString(model.getFileBytes()),
            model.getUri(),
            "");
    assertThatThrownBy(() -> stage.smaller(model)).isInstanceOf(OperatorException.class);
  }

  @Test
  void symbolsInATextAreLeftOut() {
    EstimateStage stage = stage("order: 3");
    List<String> clean = List.of("a b", "b", "", "a b c");
    List<String> symbols = List.of("<s> a b </s>", "b <unk>", "</s>", "a b <s> c");
    assertThat(counted(stage, symbols)).isEqualTo(counted(stage, clean));
    assertThat(publish(stage, counted(stage, symbols), 4).getWords()).isEqualTo(6);
  }

  @Test
  void tooLittleTextTakesFixedDiscountsOrMakesNoModel() throws IOException {
    List<String> text = List.of("a b", "");
    EstimateStage fallback = stage("order: 2");
    PublishedModel model = publish(fallback, counted(fallback, text), 2);
    assertThat(model.getFallbackOrders()).containsExactly(1, 2);
    assertThat(model.getNgrams()).hasSize(2);
    assertThat(files()).hasSize(1);

    EstimateStage none = stage("order: 2, discount-fallback: false");
    PublishedModel problem = publish(none, counted(none, text), 2);
    assertThat(problem.getProblem()).contains("the discounts of 1-grams cannot be computed");
    assertThat(problem.getUri()).isEmpty();
    assertThat(problem.getSha256()).isEmpty();
    assertThat(files()).hasSize(1);
    assertThat(none.line(problem)).endsWith("\t" + problem.getProblem());
  }

  @Test
  void aFolderThatCannotBeFailsTheStage() throws IOException {
    EstimateStage stage = stage("order: 2");
    Files.writeString(models(), "a file");
    byte[] counts = counted(stage, List.of("a"));
    assertThatThrownBy(() -> publish(stage, counts, 1))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("cannot be written to " + models());
  }

  @Test
  void aStageTravelsToItsTasks() throws Exception {
    EstimateStage stage = stage("order: 2, layout: btree, prune: [0, 1]");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stage);
    }
    EstimateStage arrived;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      arrived = (EstimateStage) in.readObject();
    }
    assertThat(arrived.windows()).isEqualTo(new TableWindows(3_600_000, 3_600_000, 0, false));
    assertThatThrownBy(arrived::accumulator).hasMessageContaining("not open");
    byte[] counts = counted(stage, sentences(5, 100));
    // making tables does not require an open stage
    assertThat(publish(arrived, counts, 100)).isEqualTo(publish(stage, counts, 100));
  }

  @Test
  void settingsThatDoNotGoTogetherAreRefused() {
    assertRefused("order: 6", "from 1 to 5");
    assertRefused("order: 2, prune: [1]", "must be 0");
    assertRefused("order: 2, prune: [0, 1, 2]", "only 2 orders");
    assertRefused("sinks: []", "no sink");
    assertRefused("window: 1s, slide: 2s", "would leave gaps");
    assertThatThrownBy(
            () ->
                JobConfigReader.read(
                    """
                    source: {list: {lines: []}}
                    stages: [{estimate: {folder: "https://b/m"}}]
                    """,
                    "job.yaml",
                    folder))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("no folder that files can be written to");
  }

  private void assertRefused(String settings, String... messages) {
    assertThatThrownBy(() -> stage(settings))
        .isInstanceOf(ConfigException.class)
        .message()
        .contains(Arrays.asList(messages));
  }
}
