package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import io.latimer.cli.Run;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two commands that change one index at the same time. */
@Timeout(180)
final class PhrasesAtOnceTest {
  @TempDir private Path folder;
  private ParallelText text;
  private Path index;
  private Process process;

  @BeforeEach
  void index() throws IOException {
    text = ParallelText.write(folder.resolve("text"));
    index = text.index(folder.resolve("text.lpx"));
  }

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  /** Starts {@code phrases append} in a process of its own. */
  private Process append(Path source) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Latimer.class.getName()));
    command.addAll(List.of("phrases", "append", "--index", index.toString()));
    command.addAll(List.of("--source", source.toString(), "--target", text.target().toString()));
    command.addAll(List.of("--alignment", text.alignment().toString()));
    return new ProcessBuilder(command)
        .redirectError(folder.resolve("err").toFile())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static long sentences(Path index) {
    String out = Run.of("index", "inspect", index.toString()).out();
    String line = out.lines().filter(l -> l.startsWith("sentences ")).findFirst().orElseThrow();
    return Long.parseLong(line.replaceAll("\\D", ""));
  }

  @Test
  void theSecondOfTwoProcessesIsRefusedUntilTheFirstEnds() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    process = append(pipe);
    // the pipe opens when the first process reads its text; it waits there, as nothing is written
    CompletableFuture<OutputStream> opened = CompletableFuture.supplyAsync(() -> open(pipe));
    CompletableFuture.anyOf(opened, process.onExit()).get();
    assertThat(process.isAlive()).as(Files.readString(folder.resolve("err"))).isTrue();
    byte[] before = Files.readAllBytes(index);
    try (OutputStream source = opened.get()) {
      assertThat(source).isNotNull();
      for (Run second :
          List.of(
              text.run("append", "--index", index.toString()),
              text.run("append", "--index", index.toString(), "--out", index.toString(), "--force"),
              text.run("index", "--out", index.toString(), "--force"),
              Run.of("phrases", "merge", "--index", index.toString()))) {
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err())
            .isEqualTo(
                "latimer: "
                    + index
                    + " is being changed by another process; run the command again when that has"
                    + " ended.\n");
      }
      assertThat(index).hasBinaryContent(before);
      Path beside = folder.resolve("beside.lpx");
      Run copy = text.run("append", "--index", index.toString(), "--out", beside.toString());
      assertThat(copy.exitCode()).as(copy.err()).isZero();
      process.destroyForcibly().waitFor();
    }
    assertThat(index).hasBinaryContent(before);
    assertThat(text.run("append", "--index", index.toString()).exitCode()).isZero();
    assertThat(sentences(index)).isEqualTo(8);
  }

  private static OutputStream open(Path pipe) {
    try {
      return Files.newOutputStream(pipe, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aLockOfTheSameProcessIsRespectedAndEndsWithIt() throws IOException {
    try (FileChannel channel = FileChannel.open(index, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThat(text.run("append", "--index", index.toString()).err())
          .contains(" is being changed by another process; ");
    }
    assertThat(text.run("append", "--index", index.toString()).exitCode()).isZero();
  }
}
