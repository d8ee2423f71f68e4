/** Counts by event-time pane, and the tables of windows assembled from them. */
package io.latimer.pipelines.table;
