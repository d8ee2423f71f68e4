package io.latimer.pipelines.stage;

import java.util.Objects;

/**
 * The key of a value that one stage of a group hands on to later ones in memory, one for a record.
 * Keys are compared by identity.
 *
 * @param <T> the type of the value
 */
public final class RecordKey<T> {
  private final String name;
  private final Class<T> type;
  private final RecordPart part;

  /**
   * Makes a key.
   *
   * @param name for messages
   * @param part what the value belongs to: a stage that writes this part may hand the value on, and
   *     one that reads it may read the value
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
