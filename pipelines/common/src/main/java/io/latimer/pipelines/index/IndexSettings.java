package io.latimer.pipelines.index;

import java.io.Serializable;
import java.util.Objects;

/**
 * Settings of the cache of remote index files on each machine.
 *
 * @param directory a local folder; empty for one in the user's cache folder
 * @param maxBytes maximum total size of the copies, 1 or more; less on a small disk
 */
public record IndexSettings(String directory, long maxBytes) implements Serializable {
  /** Up to 50 GiB in a folder of the user's cache folder. */
  public static final IndexSettings DEFAULTS = new IndexSettings("", 50L << 30);

  public IndexSettings {
    Objects.requireNonNull(directory, "directory");
    if (maxBytes < 1) {
      throw new IllegalArgumentException("indexes.max-size: must be positive, found " + maxBytes);
    }
  }
}
