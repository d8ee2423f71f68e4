/** {@code phrases}: indexes parallel text and looks up phrases with their translations. */
package io.latimer.cli.phrases;
