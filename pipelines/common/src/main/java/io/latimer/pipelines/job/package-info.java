/** A job: its settings, and how its job file is read, written and documented. */
package io.latimer.pipelines.job;
