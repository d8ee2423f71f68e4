/** Sinks of a job: their settings. */
package io.latimer.pipelines.sink;
