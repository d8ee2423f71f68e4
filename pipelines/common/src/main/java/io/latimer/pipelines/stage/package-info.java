/** What a stage is: {@code Stage} and its two kinds, and what an engine asks of them. */
package io.latimer.pipelines.stage;
