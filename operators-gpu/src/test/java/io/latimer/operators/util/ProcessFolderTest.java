package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ProcessFolderTest {
  @TempDir Path temporary;

  /** Makes a folder with a file, says so, and waits for the end of its standard input. */
  static final class Program {
    public static void main(String[] args) throws IOException {
      ProcessFolder folder = ProcessFolder.create("latimer-test");
      Files.writeString(folder.path().resolve("file"), "text");
      Files.createSymbolicLink(folder.path().resolve("link"), Path.of(args[0]));
      System.out.println(folder.path());
      System.in.read();
      folder.close();
    }
  }

  /** Makes a folder and refers to it no more. */
  static final class Forgetful {
    public static void main(String[] args) throws Exception {
      Path path = ProcessFolder.create("latimer-test").path();
      for (int i = 0; i < 20; i++) {
        System.gc();
        Thread.sleep(10); // for the thread that closes what is unreachable
      }
      System.out.println(path);
      System.in.read();
    }
  }

  private Process start(Path linked) throws IOException {
    return start(Program.class, linked);
  }

  private Process start(Class<?> program, Path linked) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + temporary,
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            linked.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static Path folder(Process process) throws IOException {
    return Path.of(process.inputReader().readLine());
  }

  private long folders() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.filter(Files::isDirectory).count();
    }
  }

  @Test
  void aFolderThatNobodyRefersToLivesAsLong() throws Exception {
    Path linked = Files.writeString(temporary.resolve("linked"), "kept");
    Process forgetful = start(Forgetful.class, linked);
    Path kept = folder(forgetful);
    Process next = start(linked);
    assertThat(folder(next)).isNotEqualTo(kept);
    assertThat(kept).exists();
    for (Process process : new Process[] {forgetful, next}) {
      process.getOutputStream().close();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aFolderLivesAsLongAsItsProcess() throws Exception {
    Path linked = Files.writeString(temporary.resolve("linked"), "kept");
    Process living = start(linked);
    Path kept = folder(living);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
        .isEqualTo("rwx------");
    Process killed = start(linked);
    Path left = folder(killed);
    killed.destroyForcibly().waitFor();
    assertThat(left.resolve("file")).exists();

    Process next = start(linked);
    Path own = folder(next);
    assertThat(left).doesNotExist();
    assertThat(kept.resolve("file")).hasContent("text");
    assertThat(own.resolve("file")).hasContent("text");
    assertThat(linked).hasContent("kept");

    for (Process process : new Process[] {living, next}) {
      process.getOutputStream().close();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(folders()).isZero();
  }

  @Test
  void anOldFolderWithoutALockIsDeletedThoughOthersCannotBe() throws Exception {
    FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
    Path linked = Files.writeString(temporary.resolve("linked"), "kept");
    List<Path> left = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // of an earlier version, or of a process that was killed before it had its lock
      Path folder = Files.createDirectory(temporary.resolve("latimer-test-1-1-" + i));
      Files.writeString(folder.resolve("file"), "text");
      if (i % 2 == 0) {
        // a lock that cannot be opened
        Files.createDirectory(folder.resolve(".lock"));
      } else {
        left.add(folder);
      }
      Files.setLastModifiedTime(folder, old);
    }
    Path young = Files.createDirectory(temporary.resolve("latimer-test-1-1-young"));
    Path other = Files.createDirectory(temporary.resolve("other-1-1-1"));
    Files.setLastModifiedTime(other, old);
    Process process = start(linked);
    folder(process);
    assertThat(left).allSatisfy(folder -> assertThat(folder).doesNotExist());
    assertThat(young).as("it may just be being made").exists();
    assertThat(other).exists();
    process.getOutputStream().close();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }
}
