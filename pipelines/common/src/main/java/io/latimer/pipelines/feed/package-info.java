/**
 * Readers of live feeds, which resume where they stopped; independent of the engine.
 *
 * <p>A {@link io.latimer.pipelines.feed.FeedConfig} opens a {@link io.latimer.pipelines.feed.Feed}
 * at a {@link io.latimer.pipelines.feed.FeedPosition}. The feed gives {@link
 * io.latimer.pipelines.feed.FeedItem}s; whoever has processed one advances the position by it.
 */
package io.latimer.pipelines.feed;
