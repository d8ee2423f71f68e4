package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Correction;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of a job whose phrase tables learn from corrections. */
@Timeout(240)
class LearningPhrasesExampleTest {
  private static final String SENTENCE = "Do you have a sauna?";

  @TempDir Path folder;
  private Flow flow;
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    for (String topic :
        List.of("desk", "desk-phrases", "desk-control", "desk-status", "desk-corrections")) {
      flow.topic(topic, 1);
    }
    Path corpora = Flow.ROOT.resolve("examples/corpora");
    PhraseTextFiles text =
        new PhraseTextFiles(
            corpora.resolve("front-desk.en"),
            corpora.resolve("front-desk.de"),
            corpora.resolve("front-desk.en-de.align"));
    Files.createDirectory(folder.resolve("indexes"));
    PhraseIndexBuilder.index(
        text, false, folder.resolve("indexes/front-desk.lpx"), "", BuildProgress.NONE);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  @Test
  void theNextSentenceHasWhatWasLearned() throws Exception {
    String yaml =
        Files.readString(Flow.ROOT.resolve("examples/jobs/learning-phrases.yaml"))
            .replace("localhost:9092", flow.broker().bootstrapServers())
            .replace("pairs: 1000", "pairs: 2");
    Path file =
        Files.writeString(Files.createDirectory(folder.resolve("jobs")).resolve("job.yaml"), yaml);
    JobConfig config = Flow.config(yaml, file.getParent());
    flow.start(config);
    assertThat(corrections(await(table -> true))).isEmpty();

    append(file);
    SentencePhraseTable table = await(one -> one.getLearnedPairs() == 1);
    assertThat(occurrences(table)).isEqualTo(1);
    assertThat(corrections(table)).hasSize(1);

    Correction correction =
        new Correction("from the topic", Instant.EPOCH, SENTENCE, "Gibt es eine Sauna?", null);
    byte[] value = RecordCodec.of(Correction.class).encode(correction);
    flow.send(new ProducerRecord<>("desk-corrections", 0, null, value));
    table = await(one -> occurrences(one) == 2 && one.getLearnedPairs() == 0);
    assertThat(corrections(table)).isEmpty(); // they are in a new index file
    try (Stream<Path> indexes = Files.list(folder.resolve("indexes"))) {
      assertThat(indexes.filter(index -> index.toString().endsWith(".lpx"))).hasSize(2);
    }
  }

  /** As the example says. */
  private static void append(Path file) {
    String pair = SENTENCE + "\tHaben Sie eine Sauna?\n";
    CommandRun done =
        CommandRun.of(
            pair, "control", "--config", file.toString(), "append", "phrases", "--pairs", "-");
    assertThat(done.err()).isEmpty();
    assertThat(done.out())
        .isEqualTo("job learning-phrases-example: stage phrases uses learned pairs from 0 to 1\n");
  }

  /** Sends the sentence until its table is as wanted. */
  private SentencePhraseTable await(Predicate<SentencePhraseTable> wanted) throws Exception {
    while (true) {
      flow.send(new ProducerRecord<>("desk", 0, null, SENTENCE.getBytes(StandardCharsets.UTF_8)));
      sent++;
      List<Translation> received = Received.translations(flow.await("desk-phrases", sent));
      SentencePhraseTable table = received.get(sent - 1).getPhraseTables().get(0);
      if (wanted.test(table)) {
        return table;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Ids of the corrections that its translations are from. */
  private static Set<String> corrections(SentencePhraseTable table) {
    return table.getPhrases().stream()
        .flatMap(phrase -> phrase.getTranslations().stream())
        .flatMap(one -> one.getCorrections().stream())
        .map(LearnedFrom::getId)
        .collect(Collectors.toSet());
  }

  /** How often the parallel text has the last word, which it did not have at first. */
  private static long occurrences(SentencePhraseTable table) {
    return table.getPhrases().stream()
        .filter(phrase -> phrase.getText().equals("sauna?"))
        .mapToLong(SentencePhrase::getOccurrences)
        .sum();
  }
}
