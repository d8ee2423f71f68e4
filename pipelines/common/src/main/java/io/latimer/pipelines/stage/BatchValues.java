package io.latimer.pipelines.stage;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The values of a micro-batch that the stages of a group share. Thread-safe. */
final class BatchValues {
  private final List<Envelope> records;
  private final Map<BatchKey<?>, Object> shared = new ConcurrentHashMap<>();
  private final Map<RecordKey<?>, Object[]> handedOn = new ConcurrentHashMap<>();

  BatchValues(List<Envelope> records) {
    this.records = records;
  }

  /** The whole micro-batch. */
  List<Envelope> records() {
    return records;
  }

  @SuppressWarnings("unchecked") // a key's value is always of its type
  <T> T shared(BatchKey<T> key) {
    return (T) shared.computeIfAbsent(key, first -> first.make(texts()));
  }

  /** The texts of all records; empty for those that could not be read. */
  private List<String> texts() {
    return records.stream()
        .map(
            record -> {
              Sentence sentence = record.getSentence();
              return record.getFailure() == null ? sentence.getText() : "";
            })
        .toList();
  }

  /** Stores a value; stages that read it start after the one that writes it has ended. */
  <T> void put(RecordKey<T> key, int place, T value) {
    handedOn.computeIfAbsent(key, first -> new Object[records.size()])[place] = value;
  }

  <T> Optional<T> get(RecordKey<T> key, int place) {
    Object[] values = handedOn.get(key);
    return values == null ? Optional.empty() : Optional.ofNullable(key.type().cast(values[place]));
  }
}
