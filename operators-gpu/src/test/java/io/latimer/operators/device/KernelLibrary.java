package io.latimer.operators.device;

import org.junit.jupiter.api.Assumptions;

/** The kernel library's functions on the host, for tests in other packages; they need no GPU. */
public final class KernelLibrary {
  private KernelLibrary() {}

  /** Skips the test, by name, where this build has no kernels. */
  public static void require() {
    String built = Natives.kernelProperties().getProperty("built", "false");
    Assumptions.assumeTrue(
        built.equals("true"),
        () -> "GPU half skipped: " + Natives.kernelProperties().getProperty("reason"));
  }

  /** Calls a function that returns a status, which must be 0. */
  public static void call(String function, Object... arguments) {
    int status = Natives.get().driver().callInt(function, arguments);
    if (status != 0) {
      String name = Natives.get().driver().callText("lat_error_name", new Object[] {status});
      throw new AssertionError(function + " failed with " + name);
    }
  }

  /** Calls a function that returns a 64-bit number. */
  public static long number(String function, Object... arguments) {
    return Natives.get().driver().callLong(function, arguments);
  }

  /** Calls a function that returns nothing. */
  public static void run(String function, Object... arguments) {
    Natives.get().driver().callNothing(function, arguments);
  }
}
