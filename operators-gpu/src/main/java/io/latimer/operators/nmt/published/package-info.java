/** Models as other programs publish them: recognized by their content and imported. */
package io.latimer.operators.nmt.published;
