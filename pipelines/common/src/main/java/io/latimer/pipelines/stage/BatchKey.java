package io.latimer.pipelines.stage;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The key of a value that the stages of a group share for a whole batch, such as the words of all
 * its sentences. The first stage that needs the value computes it, and others wait. Keys are
 * compared by identity.
 *
 * @param <T> the type of the value
 */
public final class BatchKey<T> {
  private final String name;
  private final Function<List<String>, T> make;

  /**
   * Creates a key.
   *
   * @param name for messages
   * @param make computes the value from the texts of the sentences, indexed by {@link
   *     StageBatch#place}; must not request another value of the batch
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
