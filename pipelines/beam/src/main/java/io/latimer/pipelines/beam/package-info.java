/**
 * Latimer's stages as Apache Beam transforms, and a pipeline built from them. Records are {@link
 * io.latimer.schemas.Envelope envelopes}: a sentence, what stages have added to it, its key and
 * where it came from.
 */
package io.latimer.pipelines.beam;
