/** The transforms for rows: what Beam SQL, YAML pipelines and other languages use. */
package io.latimer.pipelines.beam.row;
