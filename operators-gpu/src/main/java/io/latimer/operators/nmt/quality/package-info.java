/** What is measured of a translation by a model, to judge whether it is right. */
package io.latimer.operators.nmt.quality;
