/** The common parts of commands: options, errors, exit codes, and the files they read and write. */
package io.latimer.cli.command;
