package io.latimer.pipelines.batch;

import java.io.Serializable;
import java.util.List;

/**
 * Decides when batches of single records are processed, and which records share a batch.
 *
 * @param limits at which a batch is closed, even if no device is free
 * @param minRecords number of records at which a batch is processed as soon as a device is free; a
 *     smaller batch waits for {@link MicroBatcher.Limits#millis}. 1 to {@link
 *     MicroBatcher.Limits#records}
 * @param lengthBuckets ascending upper bounds of buckets in tokens, each 1 or more; only records of
 *     the same bucket share a batch. A last bucket has the records above all bounds. Empty for a
 *     single bucket
 */
public record BatchPolicy(MicroBatcher.Limits limits, int minRecords, List<Integer> lengthBuckets)
    implements Serializable {

  public BatchPolicy {
    lengthBuckets = List.copyOf(lengthBuckets);
    if (minRecords < 1) {
      throw new IllegalArgumentException(
          "batch.min-records: must be 1 or more, found " + minRecords);
    }
    if (minRecords > limits.records()) {
      throw new IllegalArgumentException(
          "batch.min-records: "
              + minRecords
              + " is more than batch.max-records, "
              + limits.records()
              + "; lower it");
    }
    int below = 0;
    for (int bound : lengthBuckets) {
      if (bound <= below) {
        throw new IllegalArgumentException(
            "batch.length-buckets: expected ascending numbers of tokens, found " + lengthBuckets);
      }
      below = bound;
    }
  }

  /** A policy with a single bucket, in which batches wait until a limit is reached. */
  public static BatchPolicy of(MicroBatcher.Limits limits) {
    return new BatchPolicy(limits, limits.records(), List.of());
  }

  /** The bucket for a number of tokens: 0 to the number of bounds. */
  public int bucket(int tokens) {
    int bucket = 0;
    while (bucket < lengthBuckets.size() && tokens > lengthBuckets.get(bucket)) {
      bucket++;
    }
    return bucket;
  }
}
