package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged models are refused, whatever they claim. */
final class Ctranslate2DamageTest {
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
