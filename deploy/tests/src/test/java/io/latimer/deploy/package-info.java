/** Checks what is in {@code deploy/} without a cluster. */
package io.latimer.deploy;
