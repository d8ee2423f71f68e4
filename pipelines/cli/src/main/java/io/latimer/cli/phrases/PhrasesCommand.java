package io.latimer.cli.phrases;

import io.latimer.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Phrases and their translations. */
@Command(
    name = "phrases",
    description = "Index parallel text, and look up phrases and their translations in it.",
    subcommands = {
      PhrasesIndexCommand.class,
      PhrasesAppendCommand.class,
      PhrasesMergeCommand.class,
      PhrasesQueryCommand.class
    })
public final class PhrasesCommand extends CommandGroup {}
