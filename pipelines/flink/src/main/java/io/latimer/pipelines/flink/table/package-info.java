/** Tables: counted by each subtask, merged per event-time window or as totals. */
package io.latimer.pipelines.flink.table;
