package io.latimer.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the devices that operators can run on. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description = "Print the devices that --device can name on this machine.")
final class DevicesCommand implements Callable<Integer> {
  private final Terminal terminal;

  DevicesCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Runtime machine = Runtime.getRuntime();
    terminal.result(
        String.format(
            "cpu  %s, %d cores, up to %d MiB of Java memory",
            System.getProperty("os.arch"),
            machine.availableProcessors(),
            machine.maxMemory() >> 20));
    terminal.message("No gpu is listed: this version of Latimer has no GPU operators yet.");
    return 0;
  }
}
