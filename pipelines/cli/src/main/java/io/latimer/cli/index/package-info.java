/** {@code index}: inspects index files. */
package io.latimer.cli.index;
