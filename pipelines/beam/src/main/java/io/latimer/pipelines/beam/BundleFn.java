package io.latimer.pipelines.beam;

import org.apache.beam.sdk.transforms.DoFn;
import org.joda.time.Duration;

/**
 * A function that puts out the results of elements later in their bundle, with the elements' own
 * times. Watermarks wait for the end of a bundle, so that no result is late.
 *
 * @param <I> elements
 * @param <O> results
 */
abstract class BundleFn<I, O> extends DoFn<I, O> {
  private static final long serialVersionUID = 1L;

  @Override
  @SuppressWarnings("deprecation") // within a bundle it is safe
  public final Duration getAllowedTimestampSkew() {
    return Duration.millis(Long.MAX_VALUE);
  }
}
