/** The devices that operators work on. */
package io.latimer.operators.device;
