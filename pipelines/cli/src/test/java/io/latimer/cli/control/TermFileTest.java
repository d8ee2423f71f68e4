package io.latimer.cli.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.schemas.Correction;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TermFileTest {
  private static List<List<Correction>> read(String name, String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return TermFile.read(new Input(new ByteArrayInputStream(bytes), name, bytes.length, false));
  }

  @Test
  void aRowIsATermWithItsSettings() throws Exception {
    String table =
        """
        source\ttarget\tcase\trule\tnote
        front desk | reception\tRezeption\t\tany\tnobody says Empfang
        Wi-Fi\t-\tyes
        lift\tAufzug
        """;
    List<Correction> terms = read("terms.tsv", table).get(0);
    assertThat(terms)
        .extracting(term -> term.getSource() + "=" + term.getTarget())
        .containsExactly("front desk|reception=Rezeption\t\tany", "Wi-Fi=-\tyes", "lift=Aufzug");
    assertThat(terms).allSatisfy(term -> assertThat(term.getAlignment()).isNull());
    assertThat(read("terms.csv", "lift,Aufzug\n").get(0).get(0).getId())
        .isEqualTo(terms.get(2).getId())
        .isNotEqualTo(terms.get(1).getId());
  }

  @Test
  void manyTermsAreSeveralCommands() throws Exception {
    StringBuilder table = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      table.append("term ").append(i).append("\tBegriff ").append(i).append('\n');
    }
    assertThat(read("terms.tsv", table.toString())).extracting(List::size).containsExactly(256, 44);
  }

  @Test
  void wrongRowsAreNamed() {
    assertThatThrownBy(() -> read("terms.tsv", "lift\tAufzug\nkey\n"))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("terms.tsv line 2: expected 2 columns separated by a tab, found 1");
    assertThatThrownBy(() -> read("terms.tsv", "lift\tAufzug\n" + "a ".repeat(40) + "\tb\n"))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("terms.tsv line 2: ")
        .hasMessageContaining("1 to 32 words, found 40");
    assertThatThrownBy(() -> read("terms.tsv", "\n"))
        .isInstanceOf(CommandException.class)
        .hasMessage("terms.tsv has no terms");
    assertThatThrownBy(() -> read("terms.tbx", "<tbx/>"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("build a glossary of this file");
  }
}
