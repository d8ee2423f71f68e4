package io.latimer.pipelines.beam;

import org.apache.beam.sdk.transforms.DoFn;
import org.joda.time.Duration;

/**
 * A function that may output the results of elements later in the bundle, with the elements' own
 * timestamps. Watermarks wait for the end of a bundle, so no result is late.
 *
 * @param <I> type of the elements
 * @param <O> type of the results
 */
abstract class BundleFn<I, O> extends DoFn<I, O> {
  private static final long serialVersionUID = 1L;

  @Override
  @SuppressWarnings("deprecation") // safe within a bundle
  public final Duration getAllowedTimestampSkew() {
    return Duration.millis(Long.MAX_VALUE);
  }
}
