package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The output of a job. */
final class Received {
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);

  private Received() {}

  static List<Translation> translations(List<ConsumerRecord<byte[], byte[]>> records)
      throws RecordFormatException {
    List<Translation> translations = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      translations.add(TRANSLATIONS.decode(record.value()));
    }
    return translations;
  }

  /** Every source sentence came out exactly once. */
  static void assertExactlyOnce(List<String> sources, List<ConsumerRecord<byte[], byte[]>> records)
      throws RecordFormatException {
    List<String> received =
        translations(records).stream().map(t -> t.getSource().getText()).toList();
    assertThat(received).containsExactlyInAnyOrderElementsOf(sources);
  }
}
