package io.latimer.cli.command;

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

  /** The values for shell completion. */
  public static final class Names extends Candidates {
    public Names() {
      super("cpu", AUTO, "gpu", "gpu:0", "gpu:1");
    }
  }

  /** The device; see {@link #parse}. */
  public Device device(CommandLine command) {
    return parse(command, name);
  }

  /** Parses a device name; an unknown name is a usage error, a missing GPU a failure. */
  public static Device parse(CommandLine command, String name) {
    try {
      return Device.parse(name);
    } catch (UnknownDeviceException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }
}
