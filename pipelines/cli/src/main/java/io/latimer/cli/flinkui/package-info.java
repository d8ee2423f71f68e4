/** Flink's own web page of a job in this process: off by default, and read-only. */
package io.latimer.cli.flinkui;
