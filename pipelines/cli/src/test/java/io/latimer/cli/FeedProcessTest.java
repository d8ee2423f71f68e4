package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The command that reads feeds, stopped and killed. */
class FeedProcessTest extends CommandProcess {
  @Test
  void itResumesAfterCtrlCAndAfterBeingKilled() throws Exception {
    Path file = Files.writeString(folder.resolve("a.log"), "one\ntwo\n");
    Path position = folder.resolve("position");
    String[] command = {"feed", "lines", "path=" + file, "--format=text", "--position=" + position};
    start(command);
    await(out, "two\n");
    signal("INT", "-" + process.pid());
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(130);

    Files.writeString(file, "three\n", StandardOpenOption.APPEND);
    start(command);
    await(out, "three\n");
    assertThat(Files.readString(out)).isEqualTo("three\n");
    await(position, ":3:"); // written though nothing more comes
    signal("KILL", "-" + process.pid());
    process.waitFor();

    Files.writeString(file, "four\n", StandardOpenOption.APPEND);
    start(command);
    await(out, "four\n");
    assertThat(Files.readString(out)).isEqualTo("four\n");
  }
}
