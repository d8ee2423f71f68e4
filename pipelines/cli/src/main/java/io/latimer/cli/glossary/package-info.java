/** {@code glossary}: builds glossaries and finds their terms. */
package io.latimer.cli.glossary;
