/** The metrics of stages, independent of the engine. */
package io.latimer.pipelines.metrics;
