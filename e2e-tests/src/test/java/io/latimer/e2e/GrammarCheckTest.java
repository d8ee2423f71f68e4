package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.ngram.WordIds;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.GrammarContinuation;
import io.latimer.schemas.Translation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sentences are checked against a grammar between two topics. */
@Timeout(240)
class GrammarCheckTest {
  private static final int NEXT_WORDS = 3;

  @TempDir Path folder;
  private Flow flow;
  private List<String> vocabulary;
  private Path grammar;

  /** The device that the stage runs on. */
  Device device() {
    return Device.CPU;
  }

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 2, 2);
    vocabulary = words(Flow.feed().subList(0, 140));
    grammar = grammar(vocabulary);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** The words of sentences, each once. */
  private static List<String> words(List<String> sentences) {
    return sentences.stream().flatMap(text -> WordIds.split(text).stream()).distinct().toList();
  }

  /** A grammar of all sentences of some words; S derives one or more of them, W one. */
  private Path grammar(List<String> words) {
    List<String> lines = new ArrayList<>(List.of("start S", "v S", "v W", "b S S W", "u S W"));
    words.forEach(word -> lines.add("t W " + word));
    return GrammarFiles.index(folder, "grammar", lines.toArray(String[]::new));
  }

  private String check() {
    String settings = "next-words: " + NEXT_WORDS + ", device: \"" + device() + "\"";
    return "grammar-check: {grammar: \"" + grammar + "\", " + settings + "}";
  }

  /** Each record has the verdict that its words give. */
  private void assertVerdicts(List<Translation> received) {
    String id;
    try (IndexFile file = IndexFile.open(grammar)) {
      id = file.contentId();
    }
    int broken = 0;
    for (Translation translation : received) {
      String text = translation.getSource().getText();
      assertThat(translation.getGrammarChecks()).hasSize(1);
      GrammarCheck found = translation.getGrammarChecks().get(0);
      assertThat(found).as(text).isEqualTo(expected(WordIds.split(text), id));
      broken += found.getDerivable() ? 0 : 1;
    }
    assertThat(broken).isPositive().isLessThan(received.size());
  }

  private GrammarCheck expected(List<String> words, String id) {
    int known = 0;
    while (known < words.size() && vocabulary.contains(words.get(known))) {
      known++;
    }
    boolean derivable = known == words.size();
    List<String> roots = words.size() == 1 ? List.of("S", "W") : List.of("S");
    GrammarContinuation continuation =
        new GrammarContinuation(
            known, known > 0, vocabulary.subList(0, NEXT_WORDS), vocabulary.size());
    return GrammarCheck.newBuilder()
        .setStage("grammar-check")
        .setText("source")
        .setDerivable(derivable)
        .setWords(words.size())
        .setLongestPrefix(known)
        .setAcceptedPrefixes(known)
        .setRoots(derivable ? roots : List.of())
        .setContinuation(derivable ? null : continuation)
        .setGrammarId(id)
        .build();
  }

  @Test
  void aKilledTaskManagerTakesNoVerdictsWithIt() throws Exception {
    flow.runAcrossKill(flow.job(check(), 3));

    assertVerdicts(Received.translations(flow.readAll("out")));
  }

  @Test
  void aRestoredJobReloadsItsGrammarAndRefusesAnother() throws Exception {
    List<String> sentences = Flow.feed().subList(100, 180);
    JobID first = flow.start(flow.job(check(), 1));
    flow.send(2, sentences.subList(0, 40));
    flow.await("out", 1);
    String savepoint = flow.stop(first);

    JobID second = flow.restore(savepoint, flow.job(check(), 2));
    flow.send(2, sentences.subList(40, 80));
    assertThat(flow.await("out", sentences.size())).hasSizeGreaterThanOrEqualTo(sentences.size());
    savepoint = flow.stop(second);
    Received.assertExactlyOnce(sentences, flow.readAll("out"));
    assertVerdicts(Received.translations(flow.readAll("out")));

    String before = IndexRefs.of(grammar).sha256();
    grammar(words(Flow.feed().subList(100, 300)));
    String after = IndexRefs.of(grammar).sha256();
    JobID third = flow.restore(savepoint, flow.job(check(), 1));
    String messages =
        Failures.messages(
            flow.cluster().requestJobResult(third).get().getSerializedThrowable().orElseThrow());
    assertThat(messages).contains("grammar.lgx").contains(before).contains(after);
  }
}
