package io.latimer.cli.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.Run;
import io.latimer.pipelines.feed.FeedKeys;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FeedCommandTest {
  @TempDir Path folder;

  @Test
  void linesArePrintedAsRecords() throws Exception {
    Path file = Files.writeString(folder.resolve("a.log"), "one\ntwo\n");
    Run run = Run.of("feed", "lines", "path=" + file, "follow=false", "--language", "en");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith(
                        "{\"id\":\""
                            + file
                            + "-0\",\"feed\":\""
                            + file
                            + "\",\"language\":\"en\",\"text\":\"one\""),
            line -> assertThat(line).contains("\"text\":\"two\""));
  }

  @Test
  void itResumesWhereItStopped() throws Exception {
    Path file = Files.writeString(folder.resolve("a.log"), "one\ntwo\nthree\n");
    String[] command = {
      "feed",
      "lines",
      "path=" + file,
      "follow=false",
      "--format=text",
      "--limit=2",
      "--position",
      folder.resolve("position").toString()
    };
    assertThat(Run.of(command).out()).isEqualTo("one\ntwo\n");
    Files.writeString(file, "four\nfive\n", StandardOpenOption.APPEND);
    assertThat(Run.of(command).out()).isEqualTo("three\nfour\n");
    assertThat(Run.of(command).out()).isEqualTo("five\n");
    assertThat(Run.of(command).out()).isEmpty();
    try (var files = Files.list(folder)) {
      assertThat(files.map(one -> one.getFileName().toString()))
          .containsExactlyInAnyOrder("a.log", "position");
    }
  }

  @Test
  void standardInputIsReadToItsEndAndWhatIsNotUtf8IsReported() {
    byte[] input = "gr\u00fc\u00df\n\u00ff\nend".getBytes(StandardCharsets.UTF_8);
    input[7] = (byte) 0xff; // no UTF-8
    Run run =
        Run.withInput(
            new ByteArrayInputStream(input), "feed", "stdin", "--format=text", "--name=wire");
    assertThat(run.out()).isEqualTo("gr\u00fc\u00df\nend\n");
    assertThat(run.err()).contains("latimer: stdin, line 2: ").contains("1 record was not read.");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void aRefusedCueIsNamedByItsLineInTheFile() throws Exception {
    String cues = "WEBVTT\n\nNOTE\nabout\n\n00:01.000 --> 00:02.000\nOne.\n\nno times\n";
    Path file = Files.writeString(folder.resolve("a.vtt"), cues);
    Run run = Run.of("feed", "captions", "path=" + file, "follow=false", "--format=text");
    assertThat(run.out()).isEqualTo("One.\n");
    assertThat(run.err()).contains("latimer: " + file + ", line 9: the cue has no times");
  }

  @Test
  void anErrorOfTheJvmEndsTheCommand() {
    InputStream failing =
        new InputStream() {
          @Override
          public int read() {
            throw new OutOfMemoryError("as the test wants");
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            return read();
          }
        };
    assertThatThrownBy(() -> Run.withInput(failing, "feed", "stdin"))
        .isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void whatDoesNotFitIsWrongUsage() throws Exception {
    Path other = Files.writeString(folder.resolve("other"), "no position");
    assertThat(Run.of("feed").exitCode()).isEqualTo(2);
    assertThat(Run.of("feed", "lines").err()).contains("path: required");
    assertThat(Run.of("feed", "lines", "path").err()).contains("expected KEY=VALUE, found path");
    assertThat(Run.of("feed", "lines", "path=a", "fallow=false").err())
        .contains("did you mean \"follow\"?");
    assertThat(Run.of("feed", "lines", "path=a", "follow=no").err())
        .contains("follow: expected true or false");
    assertThat(Run.of("feed", "wikipedia").err()).contains("did you mean \"wikimedia\"?");
    assertThat(Run.of("feed", "stdin", "give-up=1").err()).contains("a duration such as");
    assertThat(Run.of("feed", "stdin", "--limit=0").exitCode()).isEqualTo(2);
    assertThat(Run.of("feed", "stdin", "--position=" + other).err())
        .contains("other: the position of the feed is damaged");
    Run missing = Run.of("feed", "lines", "path=" + folder + "/none", "follow=false");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("/none cannot be read: no such file");
  }

  @Test
  void theHelpNamesEverySourceAndKey() {
    String help = Run.of("feed", "--help").out();
    FeedKeys.KINDS.forEach(
        origin -> {
          String line =
              help.lines()
                  .filter(one -> one.startsWith("  " + origin.name()))
                  .findFirst()
                  .orElseThrow();
          origin.keys().forEach(key -> assertThat(line).contains(key.name()));
        });
  }
}
