package io.latimer.operators.nmt.convert.argos;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folder;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folders;
import io.latimer.operators.nmt.published.PublishedModel;
import io.latimer.operators.testing.ChildJvm;
import io.latimer.operators.testing.SpmBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged packages and folders are refused or read, in little memory, and leave nothing behind. */
final class ArgosDamageTest {
  private static final int EACH = 100;
  private static final String HEAP = "-Xmx48m";
  @TempDir private Path folder;

  @Test
  void damagedPackagesAndFoldersAreAnsweredWithTheirName() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    List<String> options = List.of(HEAP, "-Djava.io.tmpdir=" + temporary);
    String said = ChildJvm.run(options, Damaged.class, folder.toString());
    assertThat(said).doesNotContain("unnamed").contains("answered " + 2 * EACH);
    int refused = Integer.parseInt(said.replaceAll("(?s).*refused (\\d+).*", "$1"));
    assertThat(refused).as(said).isGreaterThan(EACH);
    try (var left = Files.list(temporary)) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("latimer-")))
          .isEmpty();
    }
  }

  /** Runs in a process with a small heap. */
  static final class Damaged {
    private int answered;
    private int refused;

    private Damaged() {}

    public static void main(String[] args) throws IOException {
      Path folder = Path.of(args[0]);
      Random random = new Random(17);
      Damaged damaged = new Damaged();
      Path out = folder.resolve("out.lmx");
      for (int i = 0; i < EACH; i++) {
        Path model = Files.createDirectory(folder.resolve("model" + i));
        Ctranslate2Folders.random(model, random, 1 + random.nextInt(6));
        byte[] spm = SpmBytes.small(List.of("w3", "w4"));
        Map<String, byte[]> entries = ArgosPackages.entries(model, spm);
        Path file = folder.resolve("p.argosmodel");
        Files.write(file, ArgosPackages.zip(entries));
        PublishedModel.open(file).importTo(out, "");
        Files.write(file, damage(Files.readAllBytes(file), random));
        damaged.read(file, out);

        List<Path> files = new ArrayList<>(Ctranslate2Folder.open(model).files());
        Path one = files.get(random.nextInt(files.size()));
        Files.write(one, damage(Files.readAllBytes(one), random));
        damaged.read(model, out);
      }
      System.out.println("answered " + damaged.answered + ", refused " + damaged.refused);
    }

    private static byte[] damage(byte[] bytes, Random random) {
      if (random.nextInt(4) == 0) {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      byte[] changed = bytes.clone();
      for (int n = 1 + random.nextInt(8); n > 0; n--) {
        changed[random.nextInt(changed.length)] ^= (byte) (1 + random.nextInt(255));
      }
      return changed;
    }

    private void read(Path model, Path out) {
      try {
        PublishedModel.open(model).importTo(out, "");
      } catch (OperatorException e) {
        refused++;
        if (!e.getMessage().startsWith(model.toString())) {
          System.out.println("unnamed: " + e.getMessage());
        }
      }
      answered++;
    }
  }
}
