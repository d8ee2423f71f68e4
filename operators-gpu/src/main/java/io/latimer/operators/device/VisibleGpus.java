package io.latimer.operators.device;

import io.latimer.operators.device.Devices.GpuInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The GPUs that a driver shows. Whether one is usable is known only after opening it, which takes
 * some of its memory and, in exclusive mode, locks out other processes. So each is opened only on
 * request, only if the kernel library has code for it, and only once. It stays open once CUDA's
 * runtime has seen it, usable or not, because the runtime does not survive the end of a context
 * that it has seen. Not thread-safe.
 */
final class VisibleGpus {
  private static final int COMPUTE_MAJOR = 75; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  private static final int COMPUTE_MINOR = 76;
  private static final int MULTIPROCESSORS = 16;

  private static final Pattern ARCHITECTURE = Pattern.compile("(sm|compute)_([0-9]{2,3})");

  /** The oldest architecture that the kernels can be built for: sm_80. */
  private static final int OLDEST = 80;

  private final Driver driver;
  private final String version;
  private final String architectures;
  private final LostGpus lost;
  private final GpuInfo[] seen;

  /**
   * Opens nothing yet.
   *
   * @param driver the initialized driver
   * @param version the CUDA version that it supports
   * @param architectures what the kernel library was built for
   * @param count number of GPUs that it shows
   * @param lost the GPUs that were usable but were lost
   */
  VisibleGpus(Driver driver, String version, String architectures, int count, LostGpus lost) {
    this.driver = driver;
    this.version = version;
    this.architectures = architectures;
    this.lost = lost;
    this.seen = new GpuInfo[count];
  }

  int count() {
    return seen.length;
  }

  /**
   * Opens one.
   *
   * @param index from 0, below {@link #count}
   */
  GpuInfo get(int index) {
    if (seen[index] == null) {
      seen[index] = look(index);
    }
    return lost.contains(index) ? seen[index].with(lost.problem(index)) : seen[index];
  }

  /** The indexes of all. */
  List<Integer> indexes() {
    return IntStream.range(0, count()).boxed().toList();
  }

  /**
   * The first usable one of some; later ones are not opened.
   *
   * @param indexes those that the driver does not show are left out
   */
  Optional<GpuInfo> firstUsable(List<Integer> indexes) {
    return indexes.stream()
        .filter(index -> index < count())
        .map(this::get)
        .filter(gpu -> gpu.problem().isEmpty())
        .findFirst();
  }

  /** Opens all. */
  List<GpuInfo> all() {
    List<GpuInfo> all = new ArrayList<>();
    for (int i = 0; i < seen.length; i++) {
      all.add(get(i));
    }
    return all;
  }

  private GpuInfo look(int index) {
    String[] name = {"?"};
    int[] major = new int[1];
    int[] minor = new int[1];
    int[] multiprocessors = new int[1];
    long[] memory = new long[1];
    driver.deviceName(index, name);
    driver.attribute(index, COMPUTE_MAJOR, major);
    driver.attribute(index, COMPUTE_MINOR, minor);
    driver.attribute(index, MULTIPROCESSORS, multiprocessors);
    driver.totalMemory(index, memory);
    return new GpuInfo(
        index,
        name[0],
        "sm_" + major[0] + minor[0],
        multiprocessors[0],
        memory[0],
        problem(index, major[0], minor[0]));
  }

  private Optional<String> problem(int index, int major, int minor) {
    if (!hasCode(architectures, major, minor)) {
      return Optional.of(noCode(major, minor));
    }
    long[] context = new long[1];
    int result = driver.retainPrimary(index, context);
    if (result != 0) {
      return Optional.of(notOpened(index, "cuDevicePrimaryCtxRetain", result));
    }
    result = driver.setCurrent(context[0]);
    if (result != 0) {
      // The runtime has not seen it, and nothing will use it. The results of these calls do not
      // matter.
      driver.setCurrent(0);
      driver.releasePrimary(index);
      return Optional.of(notOpened(index, "cuCtxSetCurrent", result));
    }
    Optional<String> problem = doesNotRun(index, major, minor);
    if (problem.isPresent()) {
      driver.setCurrent(0); // the runtime has seen it, so it stays open: see above
    }
    return problem;
  }

  /**
   * Whether a library has code for a GPU: machine code of its major version and no later minor one,
   * or PTX of no later version.
   *
   * @param architectures such as "sm_80 sm_90 compute_90"
   */
  static boolean hasCode(String architectures, int major, int minor) {
    int gpu = 10 * major + minor;
    for (String architecture : architectures.split(" ", -1)) {
      Matcher matcher = ARCHITECTURE.matcher(architecture);
      if (!matcher.matches()) {
        return true; // unknown form: the runtime must decide
      }
      int built = Integer.parseInt(matcher.group(2));
      boolean runs = matcher.group(1).equals("compute") || built / 10 == major;
      if (runs && built <= gpu) {
        return true;
      }
    }
    return false;
  }

  private String noCode(int major, int minor) {
    String card = "its compute capability is " + major + "." + minor;
    return 10 * major + minor < OLDEST
        ? card + "; Latimer's kernels need 8.0 (sm_80) or newer"
        : card
            + ", but the kernel library has no code for sm_"
            + major
            + minor
            + ", only for "
            + architectures
            + "; build Latimer with -Pall-gpus";
  }

  private String notOpened(int index, String call, int result) {
    if (LostGpus.isFatal(result)) { // to this process only: CUDA's MPS server may come back
      lost.add(index, call + ": " + driver.errorName(result));
    }
    return "it cannot be opened: "
        + driver.errorName(result)
        + " ("
        + driver.errorText(result)
        + ")";
  }

  /** Asks the library: only loading its code shows whether the current device can run it. */
  private Optional<String> doesNotRun(int index, int major, int minor) {
    int runs = driver.callInt("lat_can_run", new Object[0]);
    if (runs == 0) {
      return Optional.empty();
    }
    String error = driver.callText("lat_error_name", new Object[] {runs});
    if (LostGpus.isFatal(runs)) {
      // by another class loader's classes, such as those of a job that has ended in this process
      lost.add(index, "lat_can_run: " + error);
    }
    return Optional.of(
        switch (error) {
          case "cudaErrorNoKernelImageForDevice" -> noCode(major, minor);
          case "cudaErrorInsufficientDriver", "cudaErrorUnsupportedPtxVersion" ->
              "the NVIDIA driver is too old: it offers CUDA "
                  + version
                  + ", the kernel library was built with "
                  + Natives.kernelProperties().getProperty("toolkit", "a newer one");
          default ->
              "it does not run the kernel library: "
                  + error
                  + " ("
                  + driver.callText("lat_error_text", new Object[] {runs})
                  + ")";
        });
  }
}
