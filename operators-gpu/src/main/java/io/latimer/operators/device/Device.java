package io.latimer.operators.device;

import io.latimer.operators.OperatorException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where an operator works.
 *
 * <p>There is never a silent fallback: whoever asks for a GPU gets it or an error.
 *
 * @param kind the kind of device
 * @param index which one of that kind, from 0; 0 for the CPU
 */
public record Device(Kind kind, int index) {
  private static final Pattern GPU = Pattern.compile("gpu(:[0-9]{1,3})?");

  /** The kinds of device that operators run on. */
  public enum Kind {
    CPU
  }

  /** All cores of this machine's processor. */
  public static final Device CPU = new Device(Kind.CPU, 0);

  public Device {
    if (index != 0) {
      throw new IllegalArgumentException("there is one CPU device, number 0, found " + index);
    }
  }

  /**
   * Reads a device's name.
   *
   * @param name {@code "cpu"}; {@code "auto"} for the best device of this machine, which is the CPU
   *     until the GPU operators exist; {@code "gpu"} or {@code "gpu:N"}
   * @throws OperatorException when there is no such device
   */
  public static Device parse(String name) {
    String lower = name.strip().toLowerCase(Locale.ROOT);
    if (lower.equals("cpu") || lower.equals("auto")) {
      return CPU;
    }
    if (GPU.matcher(lower).matches()) {
      throw new OperatorException(
          "device \""
              + name
              + "\": this version of Latimer has no GPU operators yet; use cpu or auto");
    }
    throw new OperatorException("device \"" + name + "\" is not known; use cpu, auto or gpu:N");
  }

  /** The name that {@link #parse} reads. */
  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}
