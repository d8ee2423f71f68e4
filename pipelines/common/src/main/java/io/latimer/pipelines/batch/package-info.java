/** The policy for closing micro-batches, and an estimate of a record's tokens. */
package io.latimer.pipelines.batch;
