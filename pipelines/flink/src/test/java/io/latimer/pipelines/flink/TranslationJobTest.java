package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class TranslationJobTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  @Test
  void aListIsTranslatedInItsOrder() throws Exception {
    List<String> lines = Jobs.numbered(1000);
    run(Jobs.job(Jobs.list(lines), Jobs.text(out()), Jobs.FAIL));
    assertThat(Jobs.lines(out())).containsExactlyElementsOf(lines);
  }

  @Test
  void severalSubtasksTranslateAllOfIt() throws Exception {
    List<String> lines = Jobs.numbered(1000);
    run(Jobs.job(Jobs.list(lines), Jobs.text(out()), Jobs.FAIL, 2));
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(lines);
  }

  @Test
  void withoutOrderEveryRecordArrivesOnce() throws Exception {
    List<String> lines = Jobs.numbered(2000);
    String list = Jobs.list(lines);
    TestStage uneven =
        new TestStage("uneven", batch -> Thread.sleep(batch.get(0).getOrigin().getOffset() % 3));
    JobConfig job = Jobs.unordered(Jobs.job(list, Jobs.text(out()), Jobs.FAIL, 2));
    assertThat(job.batch().ordered()).isFalse();
    CLUSTER.run(job, uneven);
    assertThat(Jobs.lines(out()))
        .containsExactlyInAnyOrderElementsOf(
            lines.stream().map(line -> line.toUpperCase(Locale.ROOT)).toList());
  }

  @Test
  void whatIsNotUtf8GoesToTheDeadLettersWithItsPlace() throws Exception {
    Path input = folder.resolve("in.txt");
    Files.write(input, "good\n\u00e9\r\nlast".getBytes(StandardCharsets.ISO_8859_1));
    run(Jobs.job(Jobs.from(input), Jobs.text(out()), Jobs.text(folder.resolve("dead"))));
    assertThat(Jobs.lines(out())).containsExactly("good", "last");
    assertThat(Jobs.lines(folder.resolve("dead")))
        .singleElement()
        .asString()
        .contains("in.txt")
        .contains("\"offset\":1,")
        .contains("\"original\":\"base64:6Q==\"");
  }

  private Path out() {
    return folder.resolve("out");
  }

  private static void run(JobConfig config) throws Exception {
    CLUSTER.run(config);
  }
}
