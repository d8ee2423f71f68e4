/** Terms that a translation must use, and what a pipeline asks of whatever knows them. */
package io.latimer.operators.text.terms;
