package io.latimer.pipelines.stage;

import java.util.Objects;

/**
 * The key of a value of a record that a stage passes to later ones of its group in memory. Keys are
 * compared by identity.
 *
 * @param <T> the type of the value
 */
public final class RecordKey<T> {
  private final String name;
  private final Class<T> type;
  private final RecordPart part;

  /**
   * Creates a key.
   *
   * @param name for messages
   * @param part the part that the value belongs to: stages that write it may pass the value on, and
   *     stages that read it may read the value
   */
  public RecordKey(String name, Class<T> type, RecordPart part) {
    this.name = Objects.requireNonNull(name, "name");
    this.type = Objects.requireNonNull(type, "type");
    this.part = Objects.requireNonNull(part, "part");
  }

  Class<T> type() {
    return type;
  }

  RecordPart part() {
    return part;
  }

  @Override
  public String toString() {
    return name;
  }
}
