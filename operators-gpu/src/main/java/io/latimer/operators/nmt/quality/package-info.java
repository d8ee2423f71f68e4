/**
 * Judges whether translations are right: what is measured of one, and how the judge of a model is
 * trained and tested.
 */
package io.latimer.operators.nmt.quality;
