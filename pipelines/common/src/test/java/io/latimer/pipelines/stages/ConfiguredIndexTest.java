package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.NotAnIndexException;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.Section;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.index.FileServer;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSource;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.BatchStage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index files of stages, wherever they are. */
class ConfiguredIndexTest {
  @TempDir Path folder;
  private final FileServer server = new FileServer();
  private Path model;
  private String sha256;

  @BeforeEach
  void estimate() throws IOException {
    model = folder.resolve("model.llm");
    Path estimated = folder.resolve("estimated.llm");
    LanguageModels.estimate(List.of("the ship sails at dawn", "the harbour is quiet"), estimated);
    try (IndexFile file = IndexFile.open(estimated);
        IndexFileWriter out = IndexFileWriter.create(model, LanguageModel.KIND, "version 7")) {
      for (Section section : file.sections()) {
        out.add(section.name(), file.section(section.name()));
      }
      out.commit();
    }
    sha256 = IndexRefs.of(model).sha256();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private JobConfig job(String model, String sha256) {
    return JobConfigReader.read(
        """
        source: {list: {lines: []}}
        stages: [{score: {model: '%s', sha256: '%s'}}]
        indexes: {directory: copies, max-size: 1GiB}
        """
            .formatted(model, sha256),
        "job.yaml",
        folder);
  }

  private static BatchStage stage(JobConfig job, IndexSource source) {
    return (BatchStage) job.newStages(source).get(0);
  }

  private static BatchStage stage(JobConfig job) {
    return (BatchStage) job.newStages().get(0);
  }

  private static BatchStage sent(BatchStage stage) throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stage);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (BatchStage) in.readObject();
    }
  }

  @Test
  void aRemoteFileOfKnownContentIsFetchedWhereItIsOpened() throws Exception {
    URI uri = server.put("/model.llm", FileServer.file(Files.readAllBytes(model)));
    BatchStage stage = stage(job(uri.toString(), sha256));
    assertThat(server.requests()).isZero();
    assertThat(stage.indexRefs()).containsExactly(new IndexRef("language-model", uri, sha256, ""));
    assertThat(stage.pinned(stage.indexRefs().get(0))).isTrue();
    ResidentIndexes indexes = new ResidentIndexes();
    BatchStage first = sent(stage);
    BatchStage second = sent(stage);
    try (first;
        second) {
      first.open(Device.CPU, indexes);
      assertThat(indexes.holds(sha256)).isTrue();
      // a resident index needs no file
      Files.delete(folder.resolve("copies").resolve(sha256));
      second.open(Device.CPU, indexes);
      IndexRef opened = new IndexRef("language-model", uri, sha256, "version 7");
      assertThat(first.indexRefs()).containsExactly(opened);
      assertThat(second.indexRefs()).containsExactly(opened);
    }
    assertThat(indexes.holds(sha256)).isFalse();
    assertThat(server.requests()).isEqualTo(1);
  }

  @Test
  void aFileOfUnknownContentIsReadWhenTheStageIsMade() throws Exception {
    IndexSource bucket =
        uri -> {
          assertThat(uri).hasToString("bucket://a/my%20model.llm");
          return new IndexSource.Content(Files.newInputStream(model), Files.size(model));
        };
    BatchStage stage = stage(job("bucket://a/my%20model.llm", ""), bucket);
    IndexRef ref = stage.indexRefs().get(0);
    assertThat(ref.uri()).hasToString("bucket://a/my%20model.llm");
    assertThat(ref.sha256()).isEqualTo(sha256);
    assertThat(stage.pinned(stage.indexRefs().get(0))).isFalse();
    try (stage) {
      stage.open(Device.CPU, new ResidentIndexes()); // from its copy
    }
  }

  @Test
  void aFileOfAnotherKindOrContentIsRefusedByName() throws Exception {
    IndexSource bucket =
        uri -> new IndexSource.Content(Files.newInputStream(model), Files.size(model));
    JobConfig phrases =
        JobConfigReader.read(
            """
            source: {list: {lines: []}}
            stages: [{phrases: {index: 'bucket://a/x'}}]
            indexes: {directory: copies}
            """,
            "job.yaml",
            folder);
    assertThatThrownBy(() -> phrases.newStages(bucket))
        .hasMessageContaining("stage phrases: bucket://a/x: expected an index of kind phrase-index")
        .hasMessageContaining("found language-model");
    String other = "0".repeat(64);
    URI uri = server.put("/model.llm", FileServer.file(Files.readAllBytes(model)));
    try (BatchStage stage = stage(job(uri.toString(), other))) {
      assertThatThrownBy(() -> stage.open(Device.CPU, new ResidentIndexes()))
          .isInstanceOf(IndexFormatException.class)
          .hasMessageContaining(uri.toString())
          .hasMessageContaining(other)
          .hasMessageContaining(sha256);
    }
  }

  @Test
  void aLocalFileThatIsRemovedOrAlteredBeforeItIsOpenedFailsByName() throws Exception {
    for (String name : new String[] {"model.llm", model.toUri().toString()}) {
      byte[] content = Files.readAllBytes(model);
      try (BatchStage stage = stage(job(name, ""))) {
        LanguageModels.estimate(List.of("another text", "of another ship"), model);
        assertThatThrownBy(() -> stage.open(Device.CPU, new ResidentIndexes()))
            .isInstanceOf(IndexFormatException.class)
            .hasMessageContaining(model + " is not the file that was referred to")
            .hasMessageContaining(sha256);
        Files.delete(model);
        assertThatThrownBy(() -> stage.open(Device.CPU, new ResidentIndexes()))
            .isInstanceOf(NotAnIndexException.class)
            .hasMessageContaining(model + " does not exist");
      }
      Files.write(model, content);
    }
  }

  private void refuse(String model, String sha256, String... message) {
    assertThatThrownBy(() -> job(model, sha256))
        .isInstanceOf(ConfigException.class)
        .hasMessageContainingAll("line 2: stages[0].score: model: ")
        .hasMessageContainingAll(message)
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void locationsAreCheckedWithTheJobFile() {
    refuse(
        "https://host/model.llm?key=s3cr3t",
        "",
        "https://host/model.llm?... needs sha256, because a server may change the file");
    refuse("http://host/model.llm", "", "needs sha256");
    refuse("HTTP://host/model.llm", "", "needs sha256");
    refuse("http:model.llm", sha256, "has no host");
    refuse("https://me:s3cr3t@host/x", sha256, "https://host/x has a user name or a password");
    refuse("s3a://s3cr3t@bucket/x", "", "s3a://bucket/x has a user name or a password");
    refuse("s3://bucket/s3cr3t model", "", "not a valid URI", "write a space as %20");
    assertThat(job("https://host/x?key=s3cr3t", sha256).toMaskedYaml())
        .contains("https://host/x?******")
        .doesNotContain("s3cr3t");
    JobConfig job = job("https://host/x?key=s3cr3t", sha256);
    assertThat(JobConfigReader.read(job.toYaml(), "again", folder).toYaml())
        .isEqualTo(job.toYaml());
    assertThat(job.indexes().directory()).isEqualTo(folder.resolve("copies").toString());
    assertThat(job.indexes().maxBytes()).isEqualTo(1L << 30);
    assertThat(stage(job).indexRefs().toString()).doesNotContain("s3cr3t");
  }

  private IndexRef newIndex(String path, String sha256) {
    return job(model.toString(), "").newIndex("score", path, sha256, IndexFiles.none());
  }

  @Test
  void aCommandNamesAnIndexAsAJobFileDoes() throws Exception {
    IndexRef local = IndexRefs.of(model);
    assertThat(newIndex(model.toString(), "")).isEqualTo(local);
    assertThat(newIndex(model.toUri().toString(), sha256)).isEqualTo(local);
    URI uri = server.put("/model.llm", FileServer.file(Files.readAllBytes(model)));
    assertThat(newIndex(uri.toString(), sha256))
        .isEqualTo(new IndexRef("language-model", uri, sha256, ""));
    assertThat(newIndex("s3://bucket/model.llm", sha256).uri())
        .hasToString("s3://bucket/model.llm");
    assertThat(server.requests()).isZero();
    IndexSource bucket =
        any -> new IndexSource.Content(Files.newInputStream(model), Files.size(model));
    assertThat(job(model.toString(), "").newIndex("score", "s3://bucket/model.llm", "", bucket))
        .isEqualTo(
            new IndexRef(
                "language-model", URI.create("s3://bucket/model.llm"), sha256, "version 7"));
  }

  @Test
  void whatACommandCannotNameIsRefused() throws Exception {
    String other = "0".repeat(64);
    assertThatThrownBy(() -> newIndex("https://host/model.llm?key=s3cr3t", ""))
        .hasMessage(
            "stage score: new index: https://host/model.llm?... needs --sha256, because a server"
                + " may change the file at any time; `sha256sum` prints it");
    assertThatThrownBy(() -> newIndex("https://me:s3cr3t@host/x", sha256))
        .hasMessageContaining("https://host/x has a user name or a password");
    assertThatThrownBy(() -> newIndex(model.toString(), other))
        .hasMessage(
            "stage score: "
                + model
                + " has other content: expected SHA-256 "
                + other
                + ", found "
                + sha256
                + "; restore the file, or correct --sha256");
    assertThatThrownBy(() -> newIndex(folder.resolve("none.llm").toString(), sha256))
        .isInstanceOf(NotAnIndexException.class)
        .hasMessageContaining("none.llm does not exist");
    JobConfig phrases =
        JobConfigReader.read(
            """
            source: {list: {lines: []}}
            stages: [{phrases: {index: 's3://bucket/x', name: table}}, identity]
            """,
            "job.yaml",
            folder);
    assertThatThrownBy(() -> phrases.newIndex("table", model.toString(), "", IndexFiles.none()))
        .hasMessageContaining("stage table: " + model + ": expected an index of kind phrase-index")
        .hasMessageContaining("found language-model");
    assertThatThrownBy(() -> phrases.newIndex("identity", model.toString(), "", IndexFiles.none()))
        .hasMessage("stage identity has no index");
    assertThatThrownBy(() -> phrases.newIndex("phrases", model.toString(), "", IndexFiles.none()))
        .hasMessage("the job has no stage phrases; it has table, identity");
  }

  @Test
  void aStageThatTranslatesIsSwappedToTheKindOfIndexThatItHas() {
    JobConfig job =
        JobConfigReader.read(
            """
            source: {list: {lines: []}}
            stages: [{translate: {%s}}]
            """
                .formatted("phrases: x.lpx, language-model: x.llm"),
            "job.yaml",
            folder);
    assertThat(job.newIndex("translate", "s3://b/x", sha256, IndexFiles.none()).kind())
        .isEqualTo("phrase-index");
    assertThat(
            job.newIndex("translate.language-model", "s3://b/x", sha256, IndexFiles.none()).kind())
        .isEqualTo("language-model");
    JobConfig model =
        JobConfigReader.read(
            """
            source: {list: {lines: []}}
            stages: [{translate: {model: x.lmx, glossary: x.ltx}}]
            """,
            "job.yaml",
            folder);
    assertThat(model.newIndex("translate", "s3://b/x", sha256, IndexFiles.none()).kind())
        .isEqualTo("translation-model");
    assertThat(model.newIndex("translate.glossary", "s3://b/x", sha256, IndexFiles.none()).kind())
        .isEqualTo("glossary");
    assertThatThrownBy(
            () -> model.newIndex("translate.memory", "s3://b/x", sha256, IndexFiles.none()))
        .hasMessage("stage translate has no index memory beside its main one; it has glossary");
  }
}
