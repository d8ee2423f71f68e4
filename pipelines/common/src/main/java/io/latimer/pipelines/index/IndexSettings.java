package io.latimer.pipelines.index;

import java.io.Serializable;
import java.util.Objects;

/**
 * Where each machine keeps copies of remote index files.
 *
 * @param directory a local folder; empty for one in the user's cache folder
 * @param maxBytes how large the copies may be in all, 1 or more; on a small disk, they take less
 */
public record IndexSettings(String directory, long maxBytes) implements Serializable {
  /** A folder in the user's cache folder, of 50 GiB. */
  public static final IndexSettings DEFAULTS = new IndexSettings("", 50L << 30);

  public IndexSettings {
    Objects.requireNonNull(directory, "directory");
    if (maxBytes < 1) {
      throw new IllegalArgumentException("indexes.max-size: must be positive, found " + maxBytes);
    }
  }
}
