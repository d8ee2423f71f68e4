package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.grammar.index.BinaryGrammar;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BerkeleyReaderTest {
  private static final String RULES =
      """
      ROOT_0 -> S_0 0.9
      ROOT_0 ROOT_0 1.0
      S_0 -> NP_1 VP_0 0.25
      S_0 NP_0 VP_0 0.5
      NP_1 -> DT_0 NN_1 1.0000000000000002
      NP_0 -> DT_0 NN_0 0.0
      """;
  private static final String LEXICON =
      """
      DT the [0.5]
      NN dog [1.0E-4, 0.25]
      NN [x [0.0, 0.5]
      VP barks [1]
      NP cats [0.5, 0.0]
      """;

  @TempDir private Path folder;
  private GrammarFiles files;

  @BeforeEach
  void open() {
    files = new GrammarFiles(folder);
  }

  @Test
  void readsRulesAndLexicon() {
    Path rules = files.write("a.grammar", RULES);
    Path lexicon = files.write("a.lexicon", LEXICON);
    GrammarText.Read read = GrammarText.read(List.of(rules, lexicon), GrammarTextOptions.DEFAULT);
    BinaryGrammar grammar = read.grammar();
    assertThat(read.report().format()).isEqualTo(GrammarFormat.BERKELEY);
    assertThat(grammar.weighted()).isTrue();
    assertThat(grammar.variables().get(grammar.start())).isEqualTo("ROOT_0");
    assertThat(GrammarFiles.accepts(read, "the dog barks")).isTrue();
    assertThat(GrammarFiles.accepts(read, "the [x barks")).isTrue();
    assertThat(GrammarFiles.accepts(read, "cats barks")).isTrue();
    assertThat(GrammarFiles.accepts(read, "the cats")).isFalse();
    assertThat(grammar.binaryRules()).isEqualTo(3); // without that of probability 0
    assertThat(grammar.unaryRules()).isEqualTo(1); // without ROOT_0 -> ROOT_0
    assertThat(grammar.unaryWeight(0)).isEqualTo((float) Math.log(0.9));
    assertThat(read.report().unreachable()).hasSize(1); // NN_0
  }

  @Test
  void withoutALexiconWordsAreTags() {
    Path rules = files.write("a.gr", RULES);
    GrammarText.Read read = GrammarText.read(List.of(rules), GrammarTextOptions.DEFAULT);
    assertThat(GrammarFiles.accepts(read, "DT NN VP")).isTrue();
    assertThat(GrammarFiles.accepts(read, "NP VP")).isTrue();
    assertThat(GrammarFiles.accepts(read, "DT VP")).isFalse();
    assertThat(read.grammar().terminals()).containsExactlyInAnyOrder("DT", "NN", "NP", "VP");
  }

  @Test
  void saysWhatIsWrong() throws IOException {
    GrammarErrors.assertRefused(
        files,
        "bad.gr",
        "ROOT_0 -> S_0\n",
        " line 1: expected A -> B C probability, A -> B probability or TAG word [probability, ...],"
            + " found ROOT_0 -> S_0");
    GrammarErrors.assertRefused(
        files, "bad.gr", "ROOT_0 -> S_0 x\n", " line 1: expected a probability, found x");
    GrammarErrors.assertRefused(
        files, "bad.gr", "S_0 -> A_0 1\n", ": no rules, and so no start symbol");
    Path object = folder.resolve("eng_sm6.gr");
    try (ObjectOutputStream out =
        new ObjectOutputStream(new GZIPOutputStream(Files.newOutputStream(object)))) {
      out.writeObject("a grammar");
    }
    assertThatThrownBy(() -> GrammarText.read(List.of(object), GrammarTextOptions.DEFAULT))
        .hasMessage(
            object
                + " is a serialized Java object; write it as text with the parser's"
                + " WriteGrammarToTextFile");
  }
}
