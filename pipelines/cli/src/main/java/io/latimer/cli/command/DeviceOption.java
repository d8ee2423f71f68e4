package io.latimer.cli.command;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.UnknownDeviceException;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option for an operator's device. */
public final class DeviceOption {
  private static final String AUTO = "auto";

  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = AUTO,
      completionCandidates = Names.class,
      description = "cpu, auto, gpu or gpu:N (default: ${DEFAULT-VALUE}).")
  private String name;

  /** What a shell offers. */
  public static final class Names extends Candidates {
    public Names() {
      super("cpu", AUTO, "gpu", "gpu:0", "gpu:1");
    }
  }

  /** The device; see {@link #parse}. */
  public Device device(CommandLine command) {
    return parse(command, name);
  }

  /**
   * The CPU, for an operator that runs nowhere else: of cpu and auto; an unknown name is wrong
   * usage.
   *
   * @throws CommandException if a GPU is asked for, whether there is one or not
   */
  public Device cpuOnly(CommandLine command) {
    if (name.strip().equalsIgnoreCase(AUTO)) {
      return Device.CPU;
    }
    boolean cpu;
    try {
      cpu = device(command).kind() == Device.Kind.CPU;
    } catch (OperatorException e) {
      cpu = false; // a GPU that cannot be used
    }
    if (!cpu) {
      throw new CommandException(
          "'"
              + command.getCommandSpec().qualifiedName()
              + "' runs on the CPU only so far; use --device cpu.");
    }
    return Device.CPU;
  }

  /** The device of a name; an unknown name is wrong usage, a missing GPU a failure. */
  public static Device parse(CommandLine command, String name) {
    try {
      return Device.parse(name);
    } catch (UnknownDeviceException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }
}
