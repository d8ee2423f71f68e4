package io.latimer.pipelines.beam;

import java.io.Serializable;
import java.time.Duration;
import org.apache.beam.sdk.values.PCollectionView;

/**
 * The source of newer indexes of a stage: a side input, a pattern, or neither.
 *
 * @param paths a side input with the path of the newest; null if there is none
 * @param pattern matches index files, of which the newest is used; empty if there is none
 * @param interval between two lookups of the pattern, or of the file that the side input names
 */
public record IndexUpdates(PCollectionView<String> paths, String pattern, Duration interval)
    implements Serializable {
  /** Default interval for checking whether a file's content has changed. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  public static final IndexUpdates NONE = new IndexUpdates(null, "", Duration.ZERO);

  static IndexUpdates from(PCollectionView<String> paths) {
    return new IndexUpdates(paths, "", LOOK);
  }

  public static IndexUpdates watch(String pattern) {
    return watch(pattern, LOOK);
  }

  public static IndexUpdates watch(String pattern, Duration interval) {
    if (pattern.isEmpty() || interval.isNegative()) {
      throw new IllegalArgumentException(
          "a watched pattern must not be empty, nor its interval negative; found \""
              + pattern
              + "\" and "
              + interval);
    }
    return new IndexUpdates(null, pattern, interval);
  }
}
