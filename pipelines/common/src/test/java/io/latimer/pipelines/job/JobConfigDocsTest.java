package io.latimer.pipelines.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class JobConfigDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Path PAGE = ROOT.resolve("docs/job-config.md");
  private static final Path NEW_PAGE = ROOT.resolve("pipelines/common/target/job-config.md");

  @Test
  void thePageSaysWhatTheCodeDoes() throws IOException {
    Files.writeString(NEW_PAGE, JobConfigDocs.markdown());
    assertThat(Files.readString(PAGE))
        .as("keys have changed: cp pipelines/common/target/job-config.md docs/")
        .isEqualTo(JobConfigDocs.markdown());
  }

  @Test
  void theFileWithEveryKeyIsAJobFileOfDefaults() {
    JobConfig all = JobConfigReader.read(JobConfigDocs.yaml(), "all", Path.of("/jobs"));
    JobConfig smallest =
        JobConfigReader.read(
            """
            source: {kafka: {topics: sentences}}
            stages: [{translate: {model: model.lmx}}]
            """,
            "smallest",
            Path.of("/jobs"));
    // what is written takes precedence over a cluster's settings, even if it is the default
    assertThat(all)
        .isEqualTo(
            smallest.on(
                smallest.checkpoints(), smallest.parallelism(), smallest.maxParallelism(), true));
  }

  @Test
  void everyKeyIsExplained() {
    expectKeys(JobKeys.JOB, JobConfigDocs.yaml());
  }

  private static void expectKeys(ConfigSection section, String yaml) {
    for (ConfigKey<?> key : section.keys()) {
      assertThat(key.doc()).as(key.name()).endsWith(".").hasSizeGreaterThan(10);
      assertThat(yaml).containsPattern("(?m)^[ #]*" + Pattern.quote(key.name()) + ":");
      key.type().sections().forEach(inner -> expectKeys(inner, yaml));
    }
  }

  @Test
  void theExampleOfThePageIsAJobFile() {
    String page = JobConfigDocs.markdown();
    int start = page.indexOf("```yaml\n") + "```yaml\n".length();
    String example = page.substring(start, page.indexOf("```", start));
    assertThat(JobConfigReader.read(example, "example", Path.of("/jobs")).stages()).hasSize(1);
  }
}
