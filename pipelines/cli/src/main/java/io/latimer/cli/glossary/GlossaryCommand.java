package io.latimer.cli.glossary;

import io.latimer.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Glossaries. */
@Command(
    name = "glossary",
    description = "Build glossaries of terms and their translations, and find the terms in text.",
    subcommands = {GlossaryBuildCommand.class, GlossaryFindCommand.class})
public final class GlossaryCommand extends CommandGroup {}
