/** The command {@code feed}: reads live feeds. */
package io.latimer.cli.feed;
