/** The stages that a job file may name, and their registry. */
package io.latimer.pipelines.stages;
