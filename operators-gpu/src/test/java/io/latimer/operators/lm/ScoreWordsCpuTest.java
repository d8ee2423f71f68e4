package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.arpa.ArpaFile;
import io.latimer.operators.lm.arpa.RandomArpa;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scorer of the CPU, with more threads than words now and then. */
class ScoreWordsCpuTest extends ScoreWordsContractTest {
  @Override
  ScoreWords open(LanguageModel model) {
    return new ScoreWordsCpu(model, 3);
  }

  /** Its memory is the results'. */
  @Override
  ScoreWords openWithLittleMemory(LanguageModel model) {
    return new ScoreWordsCpu(model, 1);
  }

  /** As a model of many GiB is, whose sections no buffer holds whole. */
  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void aModelMappedInPiecesGivesTheSame(LmLayout layout) throws Exception {
    Path arpa = RandomArpa.write(folder.resolve("pieces.arpa"), 4, 40, 900, 3);
    LanguageModel whole = ArpaFile.open(arpa, folder, layout, 7);
    LanguageModel pieces;
    try (IndexFile file = IndexFile.open(folder.resolve("pieces.arpa." + layout + "7.llm"))) {
      pieces = LanguageModel.open(file, 8);
    }
    assertThat(pieces.ngrams()).hasSizeGreaterThan(10);
    Random random = new Random(5);
    List<LmSentence> batch = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      batch.add(LmSentence.of(random.ints(20, 0, whole.vocabulary().size()).toArray()));
    }
    try (ScoreWords expected = open(whole);
        ScoreWords found = open(pieces)) {
      List<Result<WordScores>> results = found.apply(batch);
      for (int i = 0; i < batch.size(); i++) {
        WordScores scores = expected.apply(batch.subList(i, i + 1)).get(0).orElseThrow();
        assertThat(results.get(i).orElseThrow().log10()).isEqualTo(scores.log10());
        assertThat(results.get(i).orElseThrow().lengths()).isEqualTo(scores.lengths());
      }
    }
  }
}
