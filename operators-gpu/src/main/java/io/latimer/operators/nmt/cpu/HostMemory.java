package io.latimer.operators.nmt.cpu;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Memory of the host outside of Java's heap, which no setting of Java's limits. */
final class HostMemory {
  private static final Path LINUX = Path.of("/proc/meminfo");
  private static final Path CONTAINER = Path.of("/sys/fs/cgroup/memory.max");
  private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable: +(\\d{1,15}) kB$");
  private static final Pattern MOST = Pattern.compile("^(\\d{1,18})$");

  private HostMemory() {}

  /**
   * Bytes that can be taken without swapping, by the kernel's estimate, and at most the container's
   * limit; {@link Long#MAX_VALUE} if the system does not say.
   */
  static long available() {
    return available(text(LINUX), text(CONTAINER));
  }

  /** The same by the contents of the system's files, each empty if there is none. */
  static long available(String system, String container) {
    return Math.min(number(AVAILABLE, system, 1024), number(MOST, container.strip(), 1));
  }

  /**
   * Compares what a model needs with what there is, before it is taken.
   *
   * @param origin names the model
   * @throws OperatorException saying how many bytes are needed and available
   */
  static void check(String origin, long needed, long available) {
    if (needed > available) {
      throw new OperatorException(
          String.format(
              Locale.ROOT,
              "%s needs %,d bytes of memory for its weights in 32 bits on the CPU, beside Java's"
                  + " heap of up to %,d (-Xmx), but %,d are available; free some, give the"
                  + " container more, lower -Xmx, or translate on a GPU",
              origin,
              needed,
              Runtime.getRuntime().maxMemory(),
              available));
    }
  }

  private static long number(Pattern pattern, String text, long unit) {
    Matcher found = pattern.matcher(text);
    return found.find() ? unit * Long.parseLong(found.group(1)) : Long.MAX_VALUE;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return ""; // another system, or no container
    }
  }
}
