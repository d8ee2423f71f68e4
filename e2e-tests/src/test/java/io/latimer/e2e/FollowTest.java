package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of a job that scores a feed with models of the hour before. */
@Timeout(240)
class FollowTest {
  private static final int SENTENCES = 80;
  private static final int HOURS = 3;

  @TempDir Path folder;
  private Flow flow;
  private Path seed;
  private Instant began;
  private int scored;

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    for (String topic :
        List.of("news", "news-models", "news-scored", "news-control", "news-status")) {
      flow.topic(topic, 1);
    }
    seed = folder.resolve("front-desk.llm");
    LanguageModels.estimate(Flow.feed().subList(0, 50), seed);
    began = Instant.now().minus(Duration.ofHours(5)).truncatedTo(ChronoUnit.HOURS);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  private JobConfig job() throws Exception {
    String yaml =
        Files.readString(Flow.ROOT.resolve("examples/jobs/rolling-model.yaml"))
            .replace("localhost:9092", flow.broker().bootstrapServers())
            .replace("../indexes/front-desk.llm", seed.toString())
            .replace("../indexes/rolling", folder.resolve("rolling").toString())
            .replace("interval: 10s", "interval: 300ms")
            // the test sends before the job reads
            .replace("topics: [news]", "topics: [news]\n    start: earliest");
    return Flow.config(yaml, folder);
  }

  /** Sends a part of the feed's sentences of an hour, one each ten seconds, and waits for them. */
  private void send(int hour, int from, int to) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = from; i < to; i++) {
      byte[] text = Flow.feed().get(hour * SENTENCES + i).getBytes(StandardCharsets.UTF_8);
      long time = end(hour - 1).plusSeconds(10L * (i + 1)).toEpochMilli();
      records.add(new ProducerRecord<>("news", 0, time, null, text));
    }
    flow.sendAll(records);
    scored += to - from;
    flow.await("news-scored", scored);
  }

  /** The end of an hour, from 0. */
  private Instant end(int hour) {
    return began.plus(Duration.ofHours(hour + 1L));
  }

  /** Waits until the whole job uses a model. */
  private void awaitModelOf(int hour) throws Exception {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    while (true) {
      for (ConsumerRecord<byte[], byte[]> one : flow.readAll("news-status")) {
        ControlStatus status = codec.decode(one.value());
        assertThat(status.getState()).as(status.getMessage()).isNotEqualTo("refused");
        if (status.getSubtask() < 0
            && status.getState().equals("in-use")
            && status.getReference().getVersion().equals(end(hour).toString())) {
          assertThat(status.getCommand()).startsWith("follow score " + end(hour));
          return;
        }
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  @Test
  void theModelOfAnHourScoresTheNext() throws Exception {
    flow.start(job());
    send(0, 0, SENTENCES);
    for (int hour = 1; hour <= HOURS; hour++) {
      send(hour, 0, 1); // its time ends the hour before
      awaitModelOf(hour - 1);
      send(hour, 1, SENTENCES);
    }

    List<Translation> records = Received.translations(flow.readAll("news-scored"));
    List<String> versions =
        records.stream().map(one -> one.getLanguageScores().get(0).getModelVersion()).toList();
    List<String> expected = new ArrayList<>(Collections.nCopies(SENTENCES + 1, ""));
    for (int hour = 1; hour <= HOURS; hour++) {
      int last = hour == HOURS ? SENTENCES - 1 : SENTENCES;
      expected.addAll(Collections.nCopies(last, end(hour - 1).toString()));
    }
    assertThat(versions).isEqualTo(expected);

    // the record's model is the one of the sentences of the hour before
    Path file = folder.resolve("expected.llm");
    LanguageModels.estimate(Flow.feed().subList(0, SENTENCES), file);
    Translation scoredByFirst = records.get(SENTENCES + 1);
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(file, Device.CPU)) {
      String text = scoredByFirst.getSource().getText();
      float wanted = 0;
      for (float word : score.apply(List.of(text)).get(0).orElseThrow().log10()) {
        wanted += word;
      }
      assertThat(scoredByFirst.getLanguageScores().get(0).getLog10()).isEqualTo(wanted);
    }
  }
}
