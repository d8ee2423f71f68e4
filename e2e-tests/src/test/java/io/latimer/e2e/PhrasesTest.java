package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sentences get the phrases of an index between two topics. */
@Timeout(240)
class PhrasesTest {
  /** Fewer than the occurrences of frequent words. */
  private static final PhraseOptions OPTIONS = new PhraseOptions(5, 4, 15, false);

  @TempDir Path folder;
  private Flow flow;
  private Path index;

  /** The device that the stage runs on. */
  Device device() {
    return Device.CPU;
  }

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 2, 2);
    index = index(Flow.feed().subList(0, 200));
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** Indexes sentences and their translations: the same words in upper case, some in pairs. */
  private Path index(List<String> sentences) {
    List<ParallelText.Pair> pairs = new ArrayList<>();
    for (int number = 0; number < sentences.size(); number++) {
      List<String> source = WordIds.split(sentences.get(number));
      boolean swapped = number % 3 == 0;
      List<String> target = new ArrayList<>();
      List<ParallelText.Point> points = new ArrayList<>();
      for (int i = 0; i < source.size(); i++) {
        int from = swapped ? Math.min(i ^ 1, source.size() - 1) : i;
        target.add(source.get(from).toUpperCase(Locale.ROOT) + (number % 2 == 0 ? "" : "'"));
        points.add(new ParallelText.Point(from, i));
      }
      pairs.add(new ParallelText.Pair(source, target, points));
    }
    return new ParallelText(pairs).index(folder, "index.lpx");
  }

  private String phrases() {
    String settings = "samples: 5, max-source: 4, best: 2, device: \"" + device() + "\"";
    return "phrases: {index: \"" + index + "\", " + settings + "}";
  }

  /** Each record's table equals the operator's for the same text. */
  private void assertTables(List<Translation> received) {
    List<String> texts = received.stream().map(t -> t.getSource().getText()).toList();
    int cut = 0;
    try (Phrases phrases = Phrases.opener(OPTIONS).open(index, device())) {
      List<Result<PhraseTable>> expected = phrases.apply(texts);
      for (int i = 0; i < received.size(); i++) {
        assertThat(received.get(i).getPhraseTables()).hasSize(1);
        SentencePhraseTable table = received.get(i).getPhraseTables().get(0);
        assertThat(table.getIndexId()).isEqualTo(phrases.index().id());
        List<SourcePhrase> found = expected.get(i).orElseThrow().phrases();
        assertThat(shown(table)).as(texts.get(i)).isEqualTo(shownBest(found));
        cut += found.stream().anyMatch(phrase -> phrase.pairs().size() > 2) ? 1 : 0;
      }
    }
    assertThat(cut).isPositive();
  }

  private static List<String> shown(SentencePhraseTable table) {
    List<String> shown = new ArrayList<>();
    for (SentencePhrase phrase : table.getPhrases()) {
      shown.add(phrase.getFrom() + " " + phrase.getText() + " " + phrase.getOccurrences());
      shown.add(phrase.getSamples() + " " + phrase.getExtractions() + " " + phrase.getCoherence());
      for (PhraseTranslation pair : phrase.getTranslations()) {
        shown.add(pair.getText() + " " + pair.getCount() + " " + pair.getProbability());
        shown.add(pair.getLexicalTargetGivenSource() + " " + pair.getLexicalSourceGivenTarget());
      }
    }
    return shown;
  }

  private static List<String> shownBest(List<SourcePhrase> phrases) {
    List<String> shown = new ArrayList<>();
    for (SourcePhrase phrase : phrases) {
      if (phrase.pairs().isEmpty()) {
        continue;
      }
      shown.add(phrase.from() + " " + phrase.text() + " " + phrase.occurrences());
      shown.add(phrase.samples() + " " + phrase.extractions() + " " + phrase.coherence());
      for (PhrasePair pair : phrase.pairs().subList(0, Math.min(2, phrase.pairs().size()))) {
        shown.add(pair.text() + " " + pair.count() + " " + pair.probability());
        shown.add(pair.lexicalTargetGivenSource() + " " + pair.lexicalSourceGivenTarget());
      }
    }
    return shown;
  }

  @Test
  void aKilledTaskManagerTakesNoPhrasesWithIt() throws Exception {
    flow.runAcrossKill(flow.job(phrases(), 3));

    assertTables(Received.translations(flow.readAll("out")));
  }

  @Test
  void aRestoredJobReloadsItsIndexAndRefusesAnother() throws Exception {
    List<String> sentences = Flow.feed().subList(100, 180);
    JobID first = flow.start(flow.job(phrases(), 1));
    flow.send(2, sentences.subList(0, 40));
    flow.await("out", 1);
    String savepoint = flow.stop(first);

    JobID second = flow.restore(savepoint, flow.job(phrases(), 2));
    flow.send(2, sentences.subList(40, 80));
    assertThat(flow.await("out", sentences.size())).hasSizeGreaterThanOrEqualTo(sentences.size());
    savepoint = flow.stop(second);
    Received.assertExactlyOnce(sentences, flow.readAll("out"));
    assertTables(Received.translations(flow.readAll("out")));

    String before = IndexRefs.of(index).sha256();
    index(Flow.feed().subList(100, 300));
    String after = IndexRefs.of(index).sha256();
    JobID third = flow.restore(savepoint, flow.job(phrases(), 1));
    String messages =
        Failures.messages(
            flow.cluster().requestJobResult(third).get().getSerializedThrowable().orElseThrow());
    assertThat(messages).contains("index.lpx").contains(before).contains(after);
  }
}
