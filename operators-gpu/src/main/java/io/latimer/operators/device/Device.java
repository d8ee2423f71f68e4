package io.latimer.operators.device;

import io.latimer.operators.OperatorException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The device of an operator.
 *
 * <p>There is no silent fallback: a request for a GPU gives that GPU or an error.
 *
 * @param kind the kind of device
 * @param index its index among devices of that kind, from 0; 0 for the CPU
 */
public record Device(Kind kind, int index) {
  private static final Pattern GPU_NAME = Pattern.compile("gpu(?::([0-9]{1,3}))?");

  /** The kinds of device that operators run on. */
  public enum Kind {
    CPU,
    GPU
  }

  /** All cores of this machine's CPU. */
  public static final Device CPU = new Device(Kind.CPU, 0);

  public Device {
    if (index < 0 || (kind == Kind.CPU && index != 0)) {
      throw new IllegalArgumentException("there is no " + kind + " number " + index);
    }
  }

  /** A GPU by its index, whether it exists or not. */
  public static Device gpu(int index) {
    return new Device(Kind.GPU, index);
  }

  /**
   * Parses a device's name and looks for the device.
   *
   * @param name {@code "cpu"}; {@code "gpu:N"}, or {@code "gpu"} for the first; {@code "auto"} for
   *     the first GPU that can be used, or else the CPU
   * @throws UnknownDeviceException if the name is invalid
   * @throws OperatorException if the device does not exist or cannot be used; one sentence
   */
  public static Device parse(String name) {
    String lower = name.strip().toLowerCase(Locale.ROOT);
    if (lower.equals("cpu")) {
      return CPU;
    }
    if (lower.equals("auto")) {
      return Devices.firstGpu().orElse(CPU);
    }
    Matcher gpu = GPU_NAME.matcher(lower);
    if (!gpu.matches()) {
      throw new UnknownDeviceException(
          "device \"" + name + "\" is not known; use cpu, auto, gpu or gpu:N");
    }
    int index = gpu.group(1) == null ? 0 : Integer.parseInt(gpu.group(1));
    Devices.requireUsable(index);
    return gpu(index);
  }

  /** The name, as accepted by {@link #parse}. */
  @Override
  public String toString() {
    return kind == Kind.CPU ? "cpu" : "gpu:" + index;
  }
}
