/** The metrics of stages, whatever engine shows them. */
package io.latimer.pipelines.metrics;
