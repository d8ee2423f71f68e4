package io.latimer.pipelines.stage;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The key of a value that the stages of a group share for a whole batch, such as the words of all
 * its sentences. The stage that needs it first makes it, and others wait for that. Keys are
 * compared by identity.
 *
 * @param <T> the type of the value
 */
public final class BatchKey<T> {
  private final String name;
  private final Function<List<String>, T> make;

  /**
   * Makes a key.
   *
   * @param name for messages
   * @param make makes the value from the texts of the sentences, by {@link StageBatch#place}; must
   *     not ask for another value of the batch
   */
  public BatchKey(String name, Function<List<String>, T> make) {
    this.name = Objects.requireNonNull(name, "name");
    this.make = Objects.requireNonNull(make, "make");
  }

  T make(List<String> texts) {
    return make.apply(texts);
  }

  @Override
  public String toString() {
    return name;
  }
}
