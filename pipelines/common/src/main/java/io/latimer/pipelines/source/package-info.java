/** Sources of a job: their settings, and the decoding of their bytes into sentences. */
package io.latimer.pipelines.source;
