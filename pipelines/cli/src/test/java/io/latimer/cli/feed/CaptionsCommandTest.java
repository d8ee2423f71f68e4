package io.latimer.cli.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptionsCommandTest {
  @TempDir Path folder;

  @Test
  void whatTheFeedReadBecomesCaptionsAgain() throws Exception {
    Path srt =
        Files.writeString(
            folder.resolve("talk.srt"),
            """
            1
            00:00:01,000 --> 00:00:02,000
            Good

            2
            00:00:02,000 --> 00:00:03,000
            morning! Thanks.
            """);
    String records = Run.of("feed", "captions", "path=" + srt).out();
    Run captions = Run.withInput(records + records, "captions");
    assertThat(captions.err()).isEmpty();
    assertThat(captions.exitCode()).isZero();
    assertThat(captions.out())
        .isEqualTo(
            """
            WEBVTT

            00:00:01.000 --> 00:00:02.000
            Good

            00:00:02.000 --> 00:00:02.500
            morning!

            00:00:02.562 --> 00:00:03.000
            Thanks.

            """);
    Path file = Files.writeString(folder.resolve("records.json"), records);
    Path out = folder.resolve("out.vtt");
    assertThat(Run.of("captions", file.toString(), "-o", out.toString()).exitCode()).isZero();
    assertThat(Files.readString(out)).isEqualTo(captions.out());
  }

  @Test
  void aRecordWithoutTimesIsReportedAndTheOthersAreWritten() {
    String record =
        "{\"id\":\"1\",\"text\":\"Hi.\",\"headers\":[{\"key\":\"captions\",\"value\":\"0-1000/3\"}]}";
    Run run = Run.withInput("garbage\n{\"text\":\"a\"}\n" + record + "\n", "captions");
    assertThat(run.out()).isEqualTo("WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHi.\n\n");
    assertThat(run.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("latimer: standard input, line 1: it is no record"),
            line -> assertThat(line).contains("line 2: the record has no header captions"));
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void theExampleTranslatesCaptions() throws Exception {
    Path jobs = Path.of(System.getProperty("latimer.root"), "examples/jobs");
    String job =
        Files.readString(jobs.resolve("captions.yaml"))
            .replace("../", jobs.getParent() + "/")
            .replace("sinks:\n  - print:", "sinks:\n  - files:\n      path: out");
    Run run =
        Run.of("run", "--config", Files.writeString(folder.resolve("job.yaml"), job).toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    List<Path> written;
    try (Stream<Path> files = Files.walk(folder.resolve("out"))) {
      written = files.filter(Files::isRegularFile).toList();
    }
    assertThat(written).hasSize(1);
    assertThat(Run.of("captions", written.get(0).toString()).out())
        .startsWith("WEBVTT\n\n00:00:01.000 --> 00:00:01.928\nGuten Morgen!\n\n")
        .contains("\n00:00:05.000 --> 00:00:07.000\nDer Zug nach Berlin", "\n00:00:07.000 -->");
  }
}
