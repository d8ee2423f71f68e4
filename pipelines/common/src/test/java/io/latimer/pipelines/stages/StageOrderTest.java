package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class StageOrderTest {
  private static final String LIST = "translate: {model: m.lmx, nbest: 4, beam: 4}";
  private static final String SCORE = "score: {model: m.llm, of: alternatives}";
  private static final String CHECK = "grammar-check: {grammar: g.lgx, of: alternatives}";
  private static final String PHRASES = "phrases: {index: p.lpx}";

  private static void read(String... stages) {
    String yaml = "source: {list: {lines: []}}\nstages: [{" + String.join("}, {", stages) + "}]\n";
    assertThat(JobConfigReader.read(yaml, "job.yaml", Path.of("/jobs")).stages())
        .hasSize(stages.length);
  }

  private static AbstractThrowableAssert<?, ?> refused(String... stages) {
    return assertThatThrownBy(() -> read(stages));
  }

  @Test
  void alternativesNeedAListBeforeTheirReaders() {
    read(LIST, SCORE, CHECK);
    for (String reader : List.of(SCORE, CHECK)) {
      refused("translate: {model: m.lmx}", reader)
          .hasMessageContaining(
              "reads alternatives, but no stage before it makes any; set `nbest` above 1 in a"
                  + " translate stage before it, or set `of: translation`");
      refused(reader, LIST).hasMessageContaining("reads alternatives");
    }
    refused(LIST, "phrases: {index: p.lpx, of: alternatives}").hasMessageContaining("of");
  }

  @Test
  void rerankNeedsAList() {
    String rerank = "rerank: {language-weight: 0, name: choose}";
    read(LIST, rerank);
    refused("translate: {model: m.lmx}", rerank)
        .hasMessageContaining("\"choose\" reads alternatives")
        .hasMessageContaining("or leave \"choose\" out");
    refused(rerank, LIST).hasMessageContaining("\"choose\" reads alternatives");
  }

  @Test
  void everyWeightNeedsAStageThatProvidesWhatItWeighs() {
    read(LIST, SCORE, "rerank: {}");
    read(LIST, SCORE, CHECK, PHRASES, "rerank: {grammar-weight: 1, phrase-weight: 1}");
    read(PHRASES, LIST, "rerank: {language-weight: 0, phrase-weight: 1}");
    refused(LIST, "rerank: {}")
        .hasMessageContaining(
            "\"rerank\" has language-weight 0.5, but no stage before it provides what that weighs;"
                + " put a stage such as `score: {of: alternatives}` before it, or set"
                + " `language-weight: 0`");
    refused(LIST, "score: {model: m.llm}", "rerank: {}").hasMessageContaining("language-weight");
    refused(LIST, "rerank: {}", SCORE).hasMessageContaining("language-weight");
    refused(LIST, SCORE, "rerank: {grammar-weight: 1}")
        .hasMessageContaining("`grammar-check: {of: alternatives}`");
    refused(LIST, SCORE, "phrases: {index: p.lpx, of: translation}", "rerank: {phrase-weight: 1}")
        .hasMessageContaining("`phrases: {of: source}`");
  }

  @Test
  void nothingDescribesATranslationThatIsReplacedLater() {
    for (String reader :
        List.of(
            "score: {model: t.llm, of: translation, name: late}",
            "grammar-check: {grammar: g.lgx, of: translation, name: late}",
            "phrases: {index: p.lpx, of: translation, name: late}")) {
      read(LIST, SCORE, "rerank: {}", reader);
      refused(LIST, SCORE, reader, "rerank: {}")
          .hasMessageContaining(
              "\"late\" reads translations that \"rerank\" then replaces; put it after \"rerank\"");
    }
  }

  @Test
  void noTableCountsATranslationThatIsReplacedLater() {
    String rerank = "rerank: {language-weight: 0}";
    for (String kind : List.of("ngrams: {sinks: [{print: {}}]", "estimate: {folder: m")) {
      String latest = kind + ", name: tables}";
      String source = kind + ", name: tables, text: source}";
      read(LIST, rerank, latest);
      read(latest, LIST, rerank);
      read(LIST, source, rerank);
      refused(LIST, latest, rerank)
          .hasMessageContaining(
              "\"tables\" counts translations that \"rerank\" then replaces; put it after"
                  + " \"rerank\", or set `text: source`");
    }
  }
}
