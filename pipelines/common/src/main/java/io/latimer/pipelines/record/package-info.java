/** How records are made of other records: envelopes and dead letters. */
package io.latimer.pipelines.record;
