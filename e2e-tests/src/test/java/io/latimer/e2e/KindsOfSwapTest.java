package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.Section;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Translation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every stage with an index in one group, each of them swapped, refused and swapped back. */
@Timeout(240)
class KindsOfSwapTest {
  private static final int RECORDS = 10;

  @TempDir Path folder;
  private Flow flow;
  private Commands commands;

  /** By the names of stages, in their order. */
  private final Map<String, Path> first = new LinkedHashMap<>();

  private final Map<String, Path> second = new LinkedHashMap<>();
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 1, 1);
    commands = new Commands(flow);
    Path text = Flow.ROOT.resolve("examples/corpora");
    List<String> feed = Flow.feed();
    first.put("phrases", phrases(text, 300, "first.lpx"));
    second.put("phrases", phrases(text, 600, "second.lpx"));
    first.put("translate", Flow.MODEL);
    second.put("translate", otherVersion(Flow.MODEL));
    first.put("score", folder.resolve("first.llm"));
    second.put("score", folder.resolve("second.llm"));
    LanguageModels.estimate(feed.subList(0, 50), first.get("score"));
    LanguageModels.estimate(feed.subList(50, 100), second.get("score"));
    first.put("grammar-check", GrammarFiles.index(folder, "first", "start S", "v S", "t S hello"));
    second.put(
        "grammar-check", GrammarFiles.index(folder, "second", "start S", "v S", "t S goodbye"));
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** An index of the first lines of a parallel text. */
  private Path phrases(Path text, int lines, String name) throws Exception {
    Path part = Files.createDirectories(folder.resolve("text-" + lines));
    for (String file : List.of("front-desk.en", "front-desk.de", "front-desk.en-de.align")) {
      Files.write(part.resolve(file), Files.readAllLines(text.resolve(file)).subList(0, lines));
    }
    Path out = folder.resolve(name);
    PhraseIndexBuilder.index(
        new PhraseTextFiles(
            part.resolve("front-desk.en"),
            part.resolve("front-desk.de"),
            part.resolve("front-desk.en-de.align")),
        false,
        out,
        name,
        BuildProgress.NONE);
    return out;
  }

  /** The same translation model under another version, and so with another content. */
  private Path otherVersion(Path model) {
    Path out = folder.resolve("second.lmx");
    try (IndexFile file = IndexFile.open(model);
        IndexFileWriter writer =
            IndexFileWriter.create(
                out, TranslationModel.KIND.written(file.kindVersion()), "second")) {
      for (Section section : file.sections()) {
        writer.add(section.name(), file.section(section.name()));
      }
      writer.commit();
    }
    return out;
  }

  /** The device that the stages run on. */
  Device device() {
    return Device.CPU;
  }

  private JobConfig job(int parallelism) {
    return flow.job(
        """
        phrases: {index: "%1$s", device: "%5$s"}
          - translate: {model: "%2$s", beam: 1, device: "%5$s"}
          - score: {model: "%3$s", of: source, device: "%5$s"}
          - grammar-check: {grammar: "%4$s", of: source, device: "%5$s"}"""
            .formatted(
                first.get("phrases"),
                first.get("translate"),
                first.get("score"),
                first.get("grammar-check"),
                device()),
        parallelism,
        commands.section());
  }

  /** Sends sentences, and returns the ids of the indexes that served all of them, by stage. */
  private Map<String, String> ids() throws Exception {
    flow.send(1, Flow.feed().subList(sent, sent + RECORDS));
    sent += RECORDS;
    List<Translation> records = Received.translations(flow.await("out", sent));
    List<Map<String, String>> ids =
        records.subList(sent - RECORDS, sent).stream()
            .map(KindsOfSwapTest::ids)
            .distinct()
            .toList();
    assertThat(ids).hasSize(1);
    return ids.get(0);
  }

  private static Map<String, String> ids(Translation one) {
    return Map.of(
        "phrases", one.getPhraseTables().get(0).getIndexId(),
        "translate", one.getModelId(),
        "score", one.getLanguageScores().get(0).getModelId(),
        "grammar-check", one.getGrammarChecks().get(0).getGrammarId());
  }

  private static Map<String, String> ids(Map<String, Path> indexes) {
    Map<String, String> ids = new LinkedHashMap<>();
    indexes.forEach(
        (stage, path) -> {
          try (IndexFile file = IndexFile.open(path)) {
            ids.put(stage, file.contentId());
          }
        });
    return ids;
  }

  private void assertSwapped(JobConfig config, Map<String, Path> indexes) throws Exception {
    for (Map.Entry<String, Path> one : indexes.entrySet()) {
      String id = commands.swap(config, one.getKey(), IndexRefs.of(one.getValue()));
      commands.assertDone(id);
      assertThat(commands.statuses(id))
          .allSatisfy(status -> assertThat(status.getStage()).isEqualTo(one.getKey()))
          .filteredOn(status -> status.getSubtask() >= 0 && status.getState().equals("in-use"))
          .hasSize(config.parallelism());
    }
    assertThat(ids()).isEqualTo(ids(indexes));
  }

  @Test
  void everyIndexIsSwappedRefusedAndSwappedBack() throws Exception {
    assertThat(ids(second))
        .allSatisfy((stage, id) -> assertThat(ids(first)).doesNotContainValue(id));
    JobConfig config = job(2);
    flow.start(config);
    assertThat(ids()).isEqualTo(ids(first));
    assertSwapped(config, second);

    String before = "score";
    for (Map.Entry<String, Path> one : first.entrySet()) {
      assertRefused(config, one.getKey(), one.getValue(), first.get(before));
      before = one.getKey();
    }
    assertThat(ids()).isEqualTo(ids(second));

    assertSwapped(config, first);
  }

  private void assertRefused(JobConfig config, String stage, Path index, Path other)
      throws Exception {
    IndexRef good = IndexRefs.of(index);
    Path damaged = folder.resolve("damaged-" + stage);
    byte[] bytes = Files.readAllBytes(index);
    bytes[bytes.length / 2] ^= 1;
    Files.write(damaged, bytes);
    refused(config, stage, good.kind(), damaged, good.sha256(), "damaged-" + stage);
    Path missing = folder.resolve("missing-" + stage);
    refused(config, stage, good.kind(), missing, good.sha256(), "missing-" + stage);
    // another kind of file, whatever the command says
    IndexRef wrong = IndexRefs.of(other);
    refused(
        config,
        stage,
        good.kind(),
        other,
        wrong.sha256(),
        "expected an index of kind " + good.kind());
  }

  private void refused(
      JobConfig config, String stage, String kind, Path file, String sha256, String reason)
      throws Exception {
    commands.assertRefused(
        commands.swap(config, stage, new IndexRef(kind, file.toUri(), sha256, "")), reason);
  }

  /** One status for the whole job, although each of four groups has subtasks of its own. */
  @Test
  void limitsAreSetInAllGroupsTogether() throws Exception {
    JobConfig config = Flow.config(job(2).toYaml().replace("group: true", "group: false"), folder);
    flow.start(config);
    String id = commands.set(config, new BatchLimits(1, null, null));
    commands.assertDone(id);
    List<ControlStatus> statuses = commands.statuses(id);
    assertThat(statuses)
        .filteredOn(one -> one.getSubtask() >= 0 && one.getState().equals("in-use"))
        .extracting(one -> one.getStage() + one.getSubtask())
        .containsExactlyInAnyOrder(
            "phrases0",
            "phrases1",
            "translate0",
            "translate1",
            "score0",
            "score1",
            "grammar-check0",
            "grammar-check1");
    assertThat(statuses)
        .filteredOn(one -> one.getSubtask() < 0 && one.getState().equals("in-use"))
        .singleElement()
        .satisfies(
            one ->
                assertThat(one.getMessage())
                    .isEqualTo("batch.max-records=1, batch.max-tokens=4096, batch.max-wait=20ms"));
    assertThat(ids()).isEqualTo(ids(first));
  }
}
