package io.latimer.pipelines.batch;

import java.io.Serializable;
import java.util.List;

/**
 * When batches of single records are processed, and which records meet in one.
 *
 * @param limits at which a batch is closed, whether or not a device is free
 * @param minRecords records with which a batch is processed as soon as a device is free; fewer wait
 *     for {@link MicroBatcher.Limits#millis}. 1 to {@link MicroBatcher.Limits#records}
 * @param lengthBuckets ascending numbers of tokens, 1 or more each: records meet those with at most
 *     as many tokens as the same bound, or those above all bounds. Empty: all records meet
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

  /** All records meet, and batches wait until a limit is reached. */
  public static BatchPolicy of(MicroBatcher.Limits limits) {
    return new BatchPolicy(limits, limits.records(), List.of());
  }

  /** The bucket of a record with some tokens: 0 to the number of bounds. */
  public int bucket(int tokens) {
    int bucket = 0;
    while (bucket < lengthBuckets.size() && tokens > lengthBuckets.get(bucket)) {
      bucket++;
    }
    return bucket;
  }
}
