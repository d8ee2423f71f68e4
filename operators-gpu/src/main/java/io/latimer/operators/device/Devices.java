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
  private static final int NO_DEVICE = 100; // CUDA_ERROR_NO_DEVICE

  private static final String SHOWS_NONE =
      "the NVIDIA driver shows no device (CUDA_VISIBLE_DEVICES may hide it)";

  /** Where the driver's kernel module tells its release. */
  private static final Path RELEASE = Path.of("/sys/module/nvidia/version");

  private static Machine machine;

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

  /**
   * What a look at the machine tells without opening a GPU.
   *
   * @param gpus what the driver shows; null where there is a problem
   * @param problem why there is no GPU
   */
  private record Machine(
      String driver, String architectures, VisibleGpus gpus, Optional<String> problem) {}

  /**
   * Looks at all GPUs of the machine, each once a process. Those that can be used stay open: not
   * for a process that is to use one of them.
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

  /** The first GPU that can be used. It is opened, and those behind it are not looked at. */
  public static synchronized Optional<Device> firstGpu() {
    Machine now = machine();
    return now.gpus() == null
        ? Optional.empty()
        : now.gpus().firstUsable().map(g -> Device.gpu(g.index()));
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
   * Insists on a GPU. It is opened, and no other is looked at.
   *
   * @throws OperatorException with one sentence if it cannot be used
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
    now.gpus()
        .get(index)
        .problem()
        .ifPresent(
            problem -> {
              throw new OperatorException(wanted + problem);
            });
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

  private static Machine devices(Driver driver, String version, String architectures) {
    int[] count = new int[1];
    int result = driver.deviceCount(count);
    if (result != 0 || count[0] == 0) {
      return none(version, architectures, SHOWS_NONE);
    }
    return new Machine(
        version,
        architectures,
        new VisibleGpus(driver, version, architectures, count[0]),
        Optional.empty());
  }

  private static String release() {
    try {
      return Files.exists(RELEASE) ? Files.readString(RELEASE).strip() : "";
    } catch (IOException e) {
      return ""; // it is told, not needed
    }
  }

  private static Machine none(String driver, String architectures, String problem) {
    return new Machine(driver, architectures, null, Optional.of(problem));
  }
}
