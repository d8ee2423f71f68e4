package io.latimer.cli.command;

import java.util.Optional;

/**
 * One line of the input.
 *
 * @param number from 1
 * @param text without its line end; empty if there is a problem
 * @param problem why the line cannot be used
 * @param bytes length in the input, including the line end
 */
public record InputLine(long number, String text, Optional<String> problem, long bytes) {}
