/** Import of Argos Translate's packages. */
package io.latimer.operators.nmt.convert.argos;
