/** {@code index}: looks into index files. */
package io.latimer.cli.index;
