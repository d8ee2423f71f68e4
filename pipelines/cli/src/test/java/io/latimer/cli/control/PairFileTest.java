package io.latimer.cli.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.pipelines.record.Corrections;
import io.latimer.schemas.Correction;
import io.latimer.schemas.WordLink;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairFileTest {
  private static List<List<Correction>> read(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return PairFile.read(
        new Input(new ByteArrayInputStream(bytes), "pairs.tsv", bytes.length, false));
  }

  @Test
  void aLineIsAPairWithOrWithoutAlignment() throws Exception {
    List<Correction> pairs =
        read("the house\tdas haus\t1-1 0-0\na tree\tein baum\na leaf\tein blatt\t\n").get(0);
    assertThat(pairs.get(0).getSource()).isEqualTo("the house");
    assertThat(pairs.get(0).getTarget()).isEqualTo("das haus");
    assertThat(pairs.get(0).getAlignment()).containsExactly(new WordLink(0, 0), new WordLink(1, 1));
    assertThat(pairs.get(1).getAlignment()).isNull(); // the job aligns it
    assertThat(pairs.get(2).getAlignment()).isEmpty();
  }

  @Test
  void aTranslationMemoryIsReadAsItIs() throws Exception {
    String tmx =
        "<tmx version='1.4'><header srclang='en'/><body><tu><tuv xml:lang='en'><seg>Good  day.\n"
            + "Bye</seg></tuv><tuv xml:lang='de'><seg>Tag</seg></tuv></tu></body></tmx>";
    byte[] bytes = tmx.getBytes(StandardCharsets.UTF_8);
    Input input = new Input(new ByteArrayInputStream(bytes), "desk.TMX", bytes.length, false);
    List<Correction> pairs = PairFile.read(input).get(0);
    assertThat(pairs).hasSize(1);
    assertThat(pairs.get(0).getSource()).isEqualTo("Good  day.\nBye");
    assertThat(pairs.get(0).getTarget()).isEqualTo("Tag");
    assertThat(pairs.get(0).getAlignment()).isNull();
    Input bad = new Input(new ByteArrayInputStream(new byte[] {'<'}), "bad.tmx", 1, false);
    assertThatThrownBy(() -> PairFile.read(bad))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("bad.tmx line 1: not TMX: ");
  }

  @Test
  void theIdFollowsFromTheLine() throws Exception {
    List<Correction> pairs = read("a\tb\na\tc\na\tb\n").get(0);
    assertThat(pairs.get(0).getId()).isEqualTo(pairs.get(2).getId()).hasSizeGreaterThan(20);
    assertThat(pairs.get(0).getId()).isNotEqualTo(pairs.get(1).getId());
    assertThat(read("a\tb").get(0).get(0).getId()).isEqualTo(pairs.get(0).getId());
  }

  @Test
  void partsAreOfTheSizeThatACommandTakes() throws Exception {
    List<List<Correction>> parts = read("a\tb\n".repeat(2 * Corrections.MOST + 1));
    assertThat(parts).extracting(List::size).containsExactly(256, 256, 1);
    String large = "w".repeat(Corrections.MAX_SIZE) + "\tb\n";
    assertThat(read(large + "a\tb\n")).extracting(List::size).containsExactly(1, 1);
    String slow = "w ".repeat(1_000) + "\t" + "v ".repeat(1_000); // to align
    assertThat(read((slow + "\n").repeat(9) + (slow + "\t0-0\n").repeat(9)))
        .extracting(List::size)
        .containsExactly(4, 4, 10);
  }

  @Test
  void aBadLineIsNamed() {
    assertBad("a\tb\nno tab\n", "pairs.tsv line 2: expected a source sentence", "found 1 column");
    assertBad("a\tb\t0-0\tmore\n", "line 1", "found 4 columns");
    assertBad("a\t \n", "pairs.tsv line 1: the target sentence has no words");
    assertBad("a\tb\t0-1\n", "line 1: the alignment is wrong");
    assertBad("a ".repeat(1_001) + "\tb\n", "has 1001 words, a correction takes 1000");
    assertBad("", "pairs.tsv has no sentence pairs");
  }

  private static void assertBad(String text, String... message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(CommandException.class)
        .hasMessageContainingAll(message);
  }
}
