package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.SentenceWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The operator on the CPU keeps to the contract, on any number of threads. */
class CheckGrammarCpuTest extends CheckGrammarContractTest {
  @Override
  CheckGrammar open(Path file, GrammarOptions options) {
    return CheckGrammar.opener(options).open(file, Device.CPU);
  }

  @Override
  CheckGrammar openWithLittleMemory(Path file, GrammarOptions options) {
    return open(file, options);
  }

  @Test
  void anyNumberOfThreadsGivesTheSame() {
    try (IndexFile file = IndexFile.open(index());
        GrammarIndex grammar = GrammarIndex.open(file);
        CpuRecognizer one = new CpuRecognizer(grammar, 1);
        CpuRecognizer three = new CpuRecognizer(grammar, 3);
        CpuViterbi oneParser = new CpuViterbi(grammar, 1);
        CpuViterbi threeParsers = new CpuViterbi(grammar, 3)) {
      SentenceTerminals terminals = new SentenceTerminals(grammar, UnknownWords.REFUSE);
      String[][] sentences =
          IntStream.range(0, 200)
              .mapToObj(i -> record(i).trim().split(" ", -1))
              .toArray(String[][]::new);
      int[][] ids = new int[sentences.length][];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = terminals.ids(new SentenceWords(String.join(" ", sentences[i])));
      }
      assertThat(three.recognize(ids, true)).isEqualTo(one.recognize(ids, true));
      assertThat(threeParsers.parse(ids, sentences)).isEqualTo(oneParser.parse(ids, sentences));
    }
  }

  /** The chart has a bit for each variable, beginning and end. */
  @Test
  void aChartThatIsTooLargeFailsAlone() {
    List<String> lines = new ArrayList<>(List.of("start V0"));
    IntStream.range(0, 60_000).forEach(v -> lines.add("v V" + v));
    lines.add("t V0 x");
    lines.add("b V0 V0 V0");
    Path path = GrammarFiles.index(folder(), "large", lines.toArray(String[]::new));
    try (CheckGrammar check = open(path, GrammarOptions.DEFAULT)) {
      List<Result<GrammarVerdict>> found = check.apply(List.of("x x", "x ".repeat(1000), "x"));
      assertThat(found.get(0).orElseThrow().derivable()).isTrue();
      assertThat(found.get(2).orElseThrow().derivable()).isTrue();
      assertThatThrownBy(() -> found.get(1).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessageContaining(
              "the chart of the sentence of 1000 words is too large for this grammar, with which"
                  + " sentences of up to 267 words can be checked");
    }
  }
}
