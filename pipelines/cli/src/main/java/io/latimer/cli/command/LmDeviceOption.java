package io.latimer.cli.command;

import io.latimer.operators.device.Device;
import io.latimer.operators.device.UnknownDeviceException;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option for the device of the language model of phrase-based translation. */
public final class LmDeviceOption {
  public static final String NAME = "--lm-device";

  @Option(
      names = NAME,
      paramLabel = "NAME",
      defaultValue = "",
      completionCandidates = DeviceOption.Names.class,
      description =
          "By phrases: device of the language model: cpu, auto, gpu or gpu:N (default: the"
              + " --device).")
  private String name;

  /**
   * The device; an unknown name is a usage error, a missing GPU a failure.
   *
   * @param phrases the device of the phrases
   */
  public Device device(CommandLine command, Device phrases) {
    try {
      return Device.parse(name, phrases);
    } catch (UnknownDeviceException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }
}
