/** Counts by panes of event time, and the tables of windows that are made of them. */
package io.latimer.pipelines.table;
