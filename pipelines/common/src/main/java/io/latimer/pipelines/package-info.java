/**
 * What a job is, whatever engine runs it: its configuration, its micro-batches, its stages, and how
 * bytes become records and dead letters.
 */
package io.latimer.pipelines;
