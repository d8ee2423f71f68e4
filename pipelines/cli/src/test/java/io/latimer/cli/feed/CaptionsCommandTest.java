package io.latimer.cli.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptionsCommandTest {
  @TempDir Path folder;

  @Test
  void whatTheFeedReadBecomesCaptionsAgain() throws Exception {
    Path srt =
        Files.writeString(
            folder.resolve("talk.srt"),
            "1\n00:00:01,000 --> 00:00:02,000\nGood\n\n"
                + "2\n00:00:02,000 --> 00:00:03,000\nmorning! Thanks.\n");
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
}
