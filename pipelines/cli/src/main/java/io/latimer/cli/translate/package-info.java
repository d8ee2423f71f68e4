/** {@code translate}: translates lines. */
package io.latimer.cli.translate;
