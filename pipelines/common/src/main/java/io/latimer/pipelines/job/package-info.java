/** A job: its settings, and how its job file is read and written. */
package io.latimer.pipelines.job;
