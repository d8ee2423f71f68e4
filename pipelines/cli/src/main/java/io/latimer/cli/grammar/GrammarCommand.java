package io.latimer.cli.grammar;

import io.latimer.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Grammars. */
@Command(
    name = "grammar",
    description = "Compile context-free grammars, and check sentences with them.",
    subcommands = {GrammarCompileCommand.class, GrammarCheckCommand.class})
public final class GrammarCommand extends CommandGroup {}
