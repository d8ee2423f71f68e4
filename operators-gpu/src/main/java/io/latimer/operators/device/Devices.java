package io.latimer.operators.device;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The GPUs of this machine, and why those that cannot be used cannot. */
public final class Devices {
  private static final int COMPUTE_MAJOR = 75; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  private static final int COMPUTE_MINOR = 76;
  private static final int MULTIPROCESSORS = 16;

  private static final int NO_DEVICE = 100; // CUDA_ERROR_NO_DEVICE

  private static final String SHOWS_NONE =
      "the NVIDIA driver shows no device (CUDA_VISIBLE_DEVICES may hide it)";

  /** Where the driver's kernel module tells its release. */
  private static final Path RELEASE = Path.of("/sys/module/nvidia/version");

  private static Report report;

  private Devices() {}

  /**
   * A GPU that the driver shows.
   *
   * @param index its number, from 0
   * @param name such as {@code NVIDIA H200}
   * @param architecture such as {@code sm_90}
   * @param multiprocessors how many
   * @param memoryBytes its memory in bytes
   * @param problem why it cannot be used, one sentence; empty where it can
   */
  public record GpuInfo(
      int index,
      String name,
      String architecture,
      int multiprocessors,
      long memoryBytes,
      Optional<String> problem) {}

  /**
   * What is to be known of this machine's GPUs.
   *
   * @param driver the version of CUDA that the driver offers, such as {@code 13.0}; empty without
   * @param release the driver's own version, such as {@code 580.95.05}; empty where it does not
   *     tell
   * @param architectures what the kernel library was built for; empty without
   * @param gpus what the driver shows
   * @param problem why no GPU can be used, one sentence; empty where one can
   */
  public record Report(
      String driver,
      String release,
      String architectures,
      List<GpuInfo> gpus,
      Optional<String> problem) {
    public Report {
      gpus = List.copyOf(gpus);
    }
  }

  /** Looks at the machine, once a process. */
  public static synchronized Report report() {
    if (report == null) {
      report = look();
    }
    return report;
  }

  /** The first GPU that can be used. */
  public static Optional<Device> firstGpu() {
    return report().gpus().stream()
        .filter(g -> g.problem().isEmpty())
        .map(g -> Device.gpu(g.index()))
        .findFirst();
  }

  /** All devices that can be used: the CPU, and the GPUs. */
  public static List<Device> usable() {
    List<Device> devices = new ArrayList<>();
    devices.add(Device.CPU);
    report().gpus().stream()
        .filter(g -> g.problem().isEmpty())
        .forEach(g -> devices.add(Device.gpu(g.index())));
    return devices;
  }

  /**
   * Insists on a GPU.
   *
   * @throws OperatorException with one sentence if it cannot be used
   */
  static void requireUsable(int index) {
    Report now = report();
    String wanted = "device gpu:" + index + ": ";
    if (now.gpus().isEmpty()) {
      throw new OperatorException(wanted + now.problem().orElse("there is no GPU"));
    }
    GpuInfo gpu =
        now.gpus().stream()
            .filter(g -> g.index() == index)
            .findFirst()
            .orElseThrow(
                () ->
                    new OperatorException(
                        wanted
                            + "the driver shows "
                            + now.gpus().size()
                            + (now.gpus().size() == 1 ? " GPU" : " GPUs")
                            + ", numbered from 0"));
    gpu.problem()
        .ifPresent(
            problem -> {
              throw new OperatorException(wanted + problem);
            });
  }

  private static Report look() {
    String architectures = "";
    String version = "";
    try {
      Driver driver = Natives.get().driver();
      architectures = driver.callText("lat_architectures", new Object[0]);
      int abi = driver.callInt("lat_abi_version", new Object[0]);
      if (abi != Gpu.ABI) {
        return none(
            version,
            architectures,
            "the kernel library has version " + abi + ", this build needs " + Gpu.ABI);
      }
      int result;
      try {
        result = driver.init();
      } catch (LinkageError e) {
        return none(version, architectures, "there is no NVIDIA driver (libcuda.so.1)");
      }
      if (result == NO_DEVICE) {
        return none(version, architectures, SHOWS_NONE);
      }
      if (result != 0) {
        return none(
            version,
            architectures,
            "the NVIDIA driver does not start: "
                + driver.errorName(result)
                + " ("
                + driver.errorText(result)
                + ")");
      }
      int[] number = new int[1];
      driver.driverVersion(number);
      version = number[0] / 1000 + "." + number[0] % 1000 / 10;
      return devices(driver, version, architectures);
    } catch (OperatorException e) {
      return none(version, architectures, e.getMessage());
    }
  }

  private static Report devices(Driver driver, String version, String architectures) {
    int[] count = new int[1];
    int result = driver.deviceCount(count);
    if (result != 0 || count[0] == 0) {
      return none(version, architectures, SHOWS_NONE);
    }
    List<GpuInfo> gpus = new ArrayList<>();
    for (int i = 0; i < count[0]; i++) {
      gpus.add(info(driver, i, version, architectures));
    }
    Optional<String> problem =
        gpus.stream().allMatch(g -> g.problem().isPresent())
            ? gpus.get(0).problem()
            : Optional.empty();
    return new Report(version, release(), architectures, gpus, problem);
  }

  private static GpuInfo info(Driver driver, int index, String version, String architectures) {
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
        problem(driver, index, version, "sm_" + major[0] + minor[0], architectures));
  }

  /** Asks the library itself: only loading its code tells whether a device can run it. */
  private static Optional<String> problem(
      Driver driver, int index, String version, String architecture, String architectures) {
    long[] context = new long[1];
    int result = driver.retainPrimary(index, context);
    if (result == 0) {
      result = driver.setCurrent(context[0]);
    }
    if (result != 0) {
      return Optional.of(
          "it cannot be opened: "
              + driver.errorName(result)
              + " ("
              + driver.errorText(result)
              + ")");
    }
    int runs = driver.callInt("lat_can_run", new Object[0]);
    if (runs == 0) {
      return Optional.empty();
    }
    String error = driver.callText("lat_error_name", new Object[] {runs});
    return Optional.of(
        switch (error) {
          case "cudaErrorNoKernelImageForDevice" ->
              "the kernel library has no code for "
                  + architecture
                  + ", only for "
                  + architectures
                  + "; build with -Pall-gpus";
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

  private static String release() {
    try {
      return Files.exists(RELEASE) ? Files.readString(RELEASE).strip() : "";
    } catch (IOException e) {
      return ""; // it is told, not needed
    }
  }

  private static Report none(String driver, String architectures, String problem) {
    return new Report(driver, release(), architectures, List.of(), Optional.of(problem));
  }
}
