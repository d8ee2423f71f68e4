package io.latimer.cli.beam;

import io.latimer.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Programs of Apache Beam. */
@Command(
    name = "beam",
    description = "Translate with Apache Beam, and serve its transforms to other languages.",
    subcommands = {BeamTranslateCommand.class, BeamExpansionCommand.class})
public final class BeamCommand extends CommandGroup {}
