/** Sources of a job: their settings, and how their bytes become sentences. */
package io.latimer.pipelines.source;
