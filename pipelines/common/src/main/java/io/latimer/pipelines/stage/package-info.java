/** The interface between stages and engines: {@code Stage}, its two kinds, and their runtime. */
package io.latimer.pipelines.stage;
