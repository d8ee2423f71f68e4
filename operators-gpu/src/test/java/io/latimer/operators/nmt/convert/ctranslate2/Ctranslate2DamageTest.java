package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.testing.TestClassPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged models are refused, whatever they claim. */
final class Ctranslate2DamageTest {
  private static final int DAMAGED = 200;
  private static final String HEAP = "-Xmx32m";
  private static final int MOST_SECONDS = 60;

  @TempDir private Path folder;

  @Test
  void damagedFilesAreRefusedWithTheirNameInLittleMemory() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-cp",
                TestClassPath.joined(),
                Damaged.class.getName(),
                folder.resolve("damaged.bin").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(said).contains("refused " + DAMAGED);
  }

  /** Runs in a process with a small heap. */
  static final class Damaged {
    private Damaged() {}

    public static void main(String[] args) throws IOException {
      Path file = Path.of(args[0]);
      Random random = new Random(41);
      int refused = 0;
      for (int i = 0; i < DAMAGED; i++) {
        Network network = Ctranslate2Model.network(random);
        TransformerSettings s = network.settings(TransformerSettings.class);
        ModelBin model = Ctranslate2Model.of(network, 1 + random.nextInt(6), random.nextBoolean());
        Files.write(file, model.bytes());
        convert(file, s);
        Files.write(file, model.damaged(random));
        try {
          convert(file, s);
          System.out.println("file " + i + " was read");
        } catch (OperatorException e) {
          if (e.getMessage().startsWith(file.toString())) {
            refused++;
          } else {
            System.out.println("file " + i + ": " + e.getMessage());
          }
        }
      }
      System.out.println("refused " + refused);
    }

    private static void convert(Path file, TransformerSettings s) {
      try (Ctranslate2File in = Ctranslate2File.open(file)) {
        Ctranslate2Converter.of(
                in,
                Ctranslate2Model.settings(in.origin(), s),
                Ctranslate2Model.words(s.sourceVocabulary()),
                Ctranslate2Model.words(s.targetVocabulary()))
            .tensors()
            .network();
      }
    }
  }
}
