package io.latimer.cli.demo;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.terminal.Terminal;
import io.latimer.cli.terminal.TextWidth;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads committed translations and dead letters and prints them. Not thread-safe. */
final class DemoReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);

  private final DemoSettings settings;
  private final DemoCounts counts;
  private final Terminal terminal;
  private final RecordCodec<Translation> translations = RecordCodec.of(Translation.class);
  private final RecordCodec<DeadLetter> deadLetters = RecordCodec.of(DeadLetter.class);
  private final RecordCodec<Sentence> sentences = RecordCodec.of(Sentence.class);
  private final Consumer<byte[], byte[]> consumer;

  DemoReader(String bootstrapServers, DemoSettings settings, DemoCounts counts, Terminal terminal) {
    this.settings = settings;
    this.counts = counts;
    this.terminal = terminal;
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                "false",
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                "100"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(
        List.of(
            new TopicPartition(settings.translationTopic(), 0),
            new TopicPartition(settings.deadLetterTopic(), 0)));
  }

  /** Polls for records and prints them. */
  void poll() {
    for (ConsumerRecord<byte[], byte[]> polled : consumer.poll(POLL)) {
      try {
        if (polled.topic().equals(settings.translationTopic())) {
          print(translations.decode(polled.value()));
        } else {
          print(deadLetters.decode(polled.value()));
        }
      } catch (RecordFormatException e) {
        throw new CommandException(
            "record " + polled.offset() + " of " + polled.topic() + ": " + e.getMessage(), e);
      }
    }
  }

  @Override
  public void close() {
    consumer.close();
  }

  private void print(Translation translation) {
    long bornAt = translation.getSource().getEventTime().toEpochMilli();
    counts.translated.incrementAndGet();
    counts.sourceTokens.addAndGet(translation.getSourceTokens());
    counts.targetTokens.addAndGet(translation.getTargetTokens());
    for (StageTiming timing : translation.getTimings()) {
      if (!timing.getStage().contains("/")) { // only of stages, not of steps within one
        counts.batchOf(timing.getBatchSize());
      }
    }
    PairFormat format = new PairFormat(terminal.outIsTerminal() ? terminal.columns() : 0);
    terminal.results(format.pair(translation.getSource().getText(), translation.getText()));
    counts.latency.add(System.currentTimeMillis() - bornAt);
  }

  private void print(DeadLetter letter) throws RecordFormatException {
    counts.refused.incrementAndGet();
    byte[] bytes = new byte[letter.getOriginal().remaining()];
    letter.getOriginal().duplicate().get(bytes);
    String text = sentences.decode(bytes).getText();
    terminal.message(
        "latimer: refused: " + TextWidth.plain(text) + ": " + letter.getErrorMessage());
  }
}
