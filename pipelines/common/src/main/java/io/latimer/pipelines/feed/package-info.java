/**
 * Readers of live feeds, which resume where they stopped; independent of the engine.
 *
 * <p>A {@link io.latimer.pipelines.feed.FeedConfig} opens a {@link io.latimer.pipelines.feed.Feed}
 * at a {@link io.latimer.pipelines.feed.FeedPosition}. The feed returns {@link
 * io.latimer.pipelines.feed.FeedItem}s; the caller advances the position after processing one.
 */
package io.latimer.pipelines.feed;
