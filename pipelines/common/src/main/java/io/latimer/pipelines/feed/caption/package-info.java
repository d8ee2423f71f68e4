/** Captions of speech: cues in WebVTT and SRT, and the sentences that they share. */
package io.latimer.pipelines.feed.caption;
