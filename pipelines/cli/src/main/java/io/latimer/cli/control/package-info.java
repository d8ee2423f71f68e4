/** The command {@code control}: commands to a running job. */
package io.latimer.cli.control;
