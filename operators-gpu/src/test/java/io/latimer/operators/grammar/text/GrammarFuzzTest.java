package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damaged grammars are read or refused with a message that names the file; nothing else happens.
 */
final class GrammarFuzzTest {
  private static final int ROUNDS = 500;
  private static final String SIGNS = "()[]{}|*+?~<>:=.,;\"'\\\n#/-";

  @TempDir private Path folder;

  private static String sound(GrammarFormat format) {
    return switch (format) {
      case RULES -> "start A\nv A\nv B\nb A A B 0.5\nu A B 0.25\nt B x 1\nt A y 0.25\n";
      case NLTK ->
          "# c\nS -> 'the' N [0.5] | S \"and\" S [.25] | \\\n [0.25]\nN -> 'New York' [1.0]\n";
      case EBNF ->
          "(* c *) s = [ 'a' ], { \"b\" | <n m> } ; <n m> ::= 3 * ('c' | s)? 'd'+ /* e */ 'f'* .";
      case LARK ->
          "// c\n?start.1: A [\"x y\"i] (b | \"c\")~1..3 -> n\n!b: \"d\"* B+\nA: \"e\"..\"h\" \"\\u0066\"?"
              + "\nB: A | \"g\"~2\n%import common (WS, INT)\n%ignore WS\n";
      case GBNF ->
          "root ::= \"a \\\"\\x41 \" (b | [c-e\\n] \" \"){1,3} ws # c\nb ::= \"d \"+\nws ::= [ ]*\n";
      case BERKELEY ->
          "ROOT_0 -> S_0 0.5\nS_0 S_0 T_0 1.0E-1\nT a [0.5, 0.0]\nT [b [1]\nS c [0.5]\n";
    };
  }

  @ParameterizedTest
  @EnumSource
  void damageIsRefusedWithTheNameOfTheFile(GrammarFormat format) throws IOException {
    byte[] sound = sound(format).getBytes(StandardCharsets.UTF_8);
    Path file = folder.resolve("damaged.txt");
    GrammarTextOptions options = new GrammarTextOptions(format, null, false, false);
    Files.write(file, sound);
    assertThat(GrammarText.read(List.of(file), options).report().rules()).isPositive();
    int read = 0;
    int refused = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Files.write(file, damaged(sound, new Random(seed)));
      try {
        GrammarText.read(List.of(file), options);
        read++;
      } catch (GrammarFormatException e) {
        assertThat(e).hasMessageContaining("damaged.txt");
        refused++;
      }
    }
    assertThat(read).isPositive();
    assertThat(refused).isPositive();
  }

  /** Changes, repeats or removes a few parts. */
  private static byte[] damaged(byte[] sound, Random random) {
    byte[] bytes = sound.clone();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      int from = random.nextInt(bytes.length);
      int length = Math.min(random.nextInt(8), bytes.length - Math.max(at, from));
      switch (random.nextInt(3)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] = (byte) SIGNS.charAt(random.nextInt(SIGNS.length()));
        default -> System.arraycopy(sound, from, bytes, at, length);
      }
    }
    return bytes;
  }
}
