package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged binary weights are refused, whatever they claim. */
final class MarianBinaryDamageTest {
  private static final int DAMAGED = 200;
  private static final String HEAP = "-Xmx32m";
  @TempDir private Path folder;

  @Test
  void damagedFilesAreRefusedWithTheirNameInLittleMemory() throws Exception {
    String damaged = folder.resolve("damaged.bin").toString();
    String said = ChildJvm.run(List.of(HEAP), Damaged.class, damaged);
    assertThat(said).contains("refused " + DAMAGED);
  }

  /** Runs in a process with a small heap. */
  static final class Damaged {
    private static final long[] TYPES = {
      MarianBin.FLOAT32, MarianBin.BERGAMOT_INTGEMM8, MarianBin.MARIAN_INTGEMM16
    };

    private Damaged() {}

    public static void main(String[] args) throws IOException {
      Path file = Path.of(args[0]);
      Random random = new Random(43);
      int refused = 0;
      for (int i = 0; i < DAMAGED; i++) {
        MarianTransformer weights = new MarianTransformer(RandomModels.transformer(random), random);
        MarianBin made = MarianBin.of(weights, TYPES[random.nextInt(TYPES.length)]);
        Files.write(file, made.bytes());
        read(file);
        Files.write(file, made.damaged(random));
        try {
          read(file);
          System.out.println("file " + i + " was read");
        } catch (OperatorException e) {
          String said = e.getMessage();
          boolean placed = said.contains("byte ") || said.contains("tensor ");
          if (said.startsWith(file.toString()) && placed) {
            refused++;
          } else {
            System.out.println("file " + i + ": " + said);
          }
        }
      }
      System.out.println("refused " + refused);
    }

    private static void read(Path file) {
      try (MarianBinaryFile in = MarianBinaryFile.open(file)) {
        NetworkReader.read(in, Optional.empty());
      }
    }
  }
}
