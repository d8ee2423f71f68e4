/** Flink's own web page of a job in this process: off by default, and never more than a page. */
package io.latimer.cli.flinkui;
