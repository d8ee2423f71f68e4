/** {@code run}: runs a job file on a Flink cluster in this process. */
package io.latimer.cli.job;
