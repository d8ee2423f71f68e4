/** When micro-batches are closed, and how many tokens a record has. */
package io.latimer.pipelines.batch;
