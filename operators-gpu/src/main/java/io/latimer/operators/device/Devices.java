package io.latimer.operators.device;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The GPUs of this machine and, if unusable, why. */
public final class Devices {
  private static final int NO_DEVICE = 100; // CUDA_ERROR_NO_DEVICE

  private static final String SHOWS_NONE =
      "the NVIDIA driver shows no device (CUDA_VISIBLE_DEVICES may hide it)";

  /** File with the release of the driver's kernel module. */
  private static final Path RELEASE = Path.of("/sys/module/nvidia/version");

  /** The version of the kernel library that this code requires: LAT_ABI_VERSION. */
  static final int ABI = 6;

  private static Machine machine;

  private Devices() {}

  /**
   * A GPU that the driver shows.
   *
   * @param index from 0
   * @param name such as {@code NVIDIA H200}
   * @param architecture such as {@code sm_90}
   * @param multiprocessors number of multiprocessors
   * @param memoryBytes its memory in bytes
   * @param problem why it cannot be used, one sentence; empty if it can
   */
  public record GpuInfo(
      int index,
      String name,
      String architecture,
      int multiprocessors,
      long memoryBytes,
      Optional<String> problem) {
    GpuInfo with(Optional<String> otherProblem) {
      return new GpuInfo(index, name, architecture, multiprocessors, memoryBytes, otherProblem);
    }
  }

  /**
   * The state of this machine's GPUs.
   *
   * @param driver the CUDA version that the driver supports, such as {@code 13.0}; empty without a
   *     driver
   * @param release the driver's own version, such as {@code 580.95.05}; empty if unknown
   * @param architectures what the kernel library was built for; empty without a library
   * @param gpus the GPUs that the driver shows
   * @param problem why no GPU can be used, one sentence; empty if one can
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

  /**
   * What is known without opening a GPU.
   *
   * @param gpus the GPUs that the driver shows; null if there is a problem
   * @param problem why there is no GPU
   */
  private record Machine(
      String driver, String architectures, VisibleGpus gpus, Optional<String> problem) {}

  /**
   * Opens all GPUs of the machine, each once per process. Usable ones stay open, so a process that
   * needs only one must not call this.
   */
  public static synchronized Report report() {
    Machine now = machine();
    List<GpuInfo> gpus = now.gpus() == null ? List.of() : now.gpus().all();
    Optional<String> problem =
        now.problem().isEmpty() && gpus.stream().allMatch(g -> g.problem().isPresent())
            ? gpus.get(0).problem()
            : now.problem();
    return new Report(now.driver(), release(), now.architectures(), gpus, problem);
  }

  /** The indexes of the GPUs that the driver shows, usable or not. None is opened. */
  public static synchronized List<Integer> shown() {
    VisibleGpus gpus = machine().gpus();
    return gpus == null ? List.of() : gpus.indexes();
  }

  /**
   * The first usable GPU. It is opened, and later ones are not.
   *
   * @throws DeviceLostException if there is none, and one was lost
   */
  public static Optional<Device> firstGpu() {
    return firstUsable(shown());
  }

  /**
   * The first usable one of some GPUs. It is opened, and later ones are not.
   *
   * @throws DeviceLostException if there is none, and one of them was lost: work from a GPU never
   *     continues silently on the CPU
   */
  static synchronized Optional<Device> firstUsable(List<Integer> indexes) {
    VisibleGpus gpus = machine().gpus();
    if (gpus == null) {
      return Optional.empty();
    }
    Optional<GpuInfo> usable = gpus.firstUsable(indexes);
    if (usable.isEmpty()) {
      indexes.forEach(LostGpus.PROCESS::check);
    }
    return usable.map(gpu -> Device.gpu(gpu.index()));
  }

  /**
   * Requires a GPU. It is opened, and no other.
   *
   * @throws OperatorException with one sentence if it cannot be used; a {@link DeviceLostException}
   *     if it was lost
   */
  static synchronized void requireUsable(int index) {
    Machine now = machine();
    String wanted = "device gpu:" + index + ": ";
    if (now.gpus() == null) {
      throw new OperatorException(wanted + now.problem().orElse("there is no GPU"));
    }
    int count = now.gpus().count();
    if (index >= count) {
      throw new OperatorException(
          wanted
              + "the driver shows "
              + count
              + (count == 1 ? " GPU" : " GPUs")
              + ", numbered from 0");
    }
    Optional<String> problem = now.gpus().get(index).problem();
    LostGpus.PROCESS.check(index);
    if (problem.isPresent()) {
      throw new OperatorException(wanted + problem.get());
    }
  }

  private static Machine machine() {
    if (machine == null) {
      machine = look();
    }
    return machine;
  }

  private static Machine look() {
    String architectures = "";
    String version = "";
    try {
      Driver driver = Natives.get().driver();
      architectures = driver.callText("lat_architectures", new Object[0]);
      int abi = driver.callInt("lat_abi_version", new Object[0]);
      if (abi != ABI) {
        return none(
            version,
            architectures,
            "the kernel library has version " + abi + ", this build needs " + ABI);
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

  private static Machine devices(Driver driver, String version, String architectures) {
    int[] count = new int[1];
    int result = driver.deviceCount(count);
    if (result != 0 || count[0] == 0) {
      return none(version, architectures, SHOWS_NONE);
    }
    return new Machine(
        version,
        architectures,
        new VisibleGpus(driver, version, architectures, count[0], LostGpus.PROCESS),
        Optional.empty());
  }

  private static String release() {
    try {
      return Files.exists(RELEASE) ? Files.readString(RELEASE).strip() : "";
    } catch (IOException e) {
      return ""; // for information only
    }
  }

  private static Machine none(String driver, String architectures, String problem) {
    return new Machine(driver, architectures, null, Optional.of(problem));
  }
}
