package io.latimer.cli.memory;

import io.latimer.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Translation memories of other programs. */
@Command(
    name = "memory",
    description = "Read and write translation memories of other programs (TMX).",
    subcommands = {MemoryImportCommand.class, MemoryExportCommand.class})
public final class MemoryCommand extends CommandGroup {}
