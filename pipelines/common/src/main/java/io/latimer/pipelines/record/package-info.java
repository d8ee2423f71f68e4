/** Derives records from other records: envelopes and dead letters. */
package io.latimer.pipelines.record;
