/**
 * Judges of translations, whatever is measured of these: logistic regressions that say how probable
 * it is that a translation is right, how they are trained, and how well they do.
 */
package io.latimer.operators.quality;
