package io.latimer.operators.device;

import io.latimer.operators.OperatorException;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
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
  private static final Pattern GPU_NAME = Pattern.compile("gpu:([0-9]{1,3})");

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
   * @param name {@code "cpu"}; {@code "gpu:N"}, or {@code "gpu"} for the first that can be used;
   *     {@code "auto"} for the first GPU that can be used, or else the CPU
   * @throws UnknownDeviceException if the name is invalid
   * @throws OperatorException if the device does not exist or cannot be used; one sentence. A
   *     {@link DeviceLostException} if it was lost, or a GPU was and no other can take its place
   */
  public static Device parse(String name) {
    return parse(name, Devices::shown);
  }

  /**
   * As {@link #parse(String)}, with a choice of GPUs for {@code "gpu"} and {@code "auto"}.
   *
   * @param gpus the indexes of these GPUs, the preferred one first; asked for only if the name
   *     leaves a choice
   */
  public static Device parse(String name, Supplier<List<Integer>> gpus) {
    String lower = name.strip().toLowerCase(Locale.ROOT);
    return switch (lower) {
      case "cpu" -> CPU;
      case "auto" -> Devices.firstUsable(gpus.get()).orElse(CPU);
      case "gpu" -> firstOf(gpus.get());
      default -> numbered(name, lower);
    };
  }

  /**
   * As {@link #parse(String)}, for an operator that works together with another one.
   *
   * @param name empty for the other's device; {@code "gpu"} and {@code "auto"} are its GPU, if it
   *     is on one
   * @param other the other's device
   */
  public static Device parse(String name, Device other) {
    if (name.isEmpty()) {
      return other;
    }
    return other.kind() == Kind.GPU ? parse(name, () -> List.of(other.index())) : parse(name);
  }

  private static Device firstOf(List<Integer> gpus) {
    return Devices.firstUsable(gpus)
        .orElseGet(() -> requireUsable(gpus.isEmpty() ? 0 : gpus.get(0)));
  }

  private static Device numbered(String name, String lower) {
    Matcher gpu = GPU_NAME.matcher(lower);
    if (!gpu.matches()) {
      throw new UnknownDeviceException(
          "device \"" + name + "\" is not known; use cpu, auto, gpu or gpu:N");
    }
    return requireUsable(Integer.parseInt(gpu.group(1)));
  }

  private static Device requireUsable(int index) {
    Devices.requireUsable(index);
    return gpu(index);
  }

  /** The name, as accepted by {@link #parse}. */
  @Override
  public String toString() {
    return kind == Kind.CPU ? "cpu" : "gpu:" + index;
  }
}
