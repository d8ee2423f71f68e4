/**
 * What a job keeps, and what it accepts when it starts: checkpoints and savepoints, checked so that
 * no record is lost; the index references and learned pairs in them; and published index files.
 */
package io.latimer.pipelines.flink.state;
