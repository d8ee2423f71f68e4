/** The devices of operators. */
package io.latimer.operators.device;
