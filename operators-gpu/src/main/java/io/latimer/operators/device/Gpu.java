package io.latimer.operators.device;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A GPU of this machine: its primary context, shared by all its users in this process. Thread-safe;
 * CUDA's current device is per thread, and every call here sets it.
 */
public final class Gpu {
  /**
   * System property: wait after every call, so that an error is reported by the call that made it.
   */
  public static final String DEBUG = "latimer.device.debug";

  private static final Logger LOG = LoggerFactory.getLogger(Gpu.class);

  private static final int OUT_OF_MEMORY = 2;
  private static final int NOT_READY = 600;

  private static final ConcurrentMap<Integer, Gpu> OPEN = new ConcurrentHashMap<>();

  private final int index;
  private final Driver driver;
  private final long context;
  private final LostGpus lost;
  private final Map<Object, String> resources = new ConcurrentHashMap<>();
  private final AtomicInteger captures = new AtomicInteger();
  private final boolean debug = Boolean.getBoolean(DEBUG);

  /**
   * Opens a device.
   *
   * @param lost learns of it when it is lost
   */
  Gpu(int index, Driver driver, LostGpus lost) {
    this.index = index;
    this.driver = driver;
    this.lost = lost;
    long[] made = new long[1];
    check(driver.retainPrimary(index, made), "cuDevicePrimaryCtxRetain", "device");
    this.context = made[0];
    ProfilerRange.look(driver);
  }

  /**
   * Opens a device unless it is open. It stays open until the process ends.
   *
   * @throws io.latimer.operators.OperatorException with one sentence if it cannot be used; a {@link
   *     DeviceLostException} if it was lost
   */
  public static Gpu open(Device device) {
    if (device.kind() != Device.Kind.GPU) {
      throw new IllegalArgumentException(device + " is no GPU");
    }
    Devices.requireUsable(device.index());
    return OPEN.computeIfAbsent(
        device.index(), i -> new Gpu(i, Natives.get().driver(), LostGpus.PROCESS));
  }

  /** Its number, from 0. */
  public int index() {
    return index;
  }

  /** Makes this device current for the calling thread. */
  void makeCurrent() {
    lost.check(index);
    int result = driver.setCurrent(context);
    check(result, "cuCtxSetCurrent", "device");
  }

  Driver driver() {
    return driver;
  }

  /**
   * Calls a function of the kernel library on this device.
   *
   * @param operator the calling operator, for the error
   * @param function its name in latimer_kernels.h
   * @param arguments Long for pointers and 64-bit numbers (0 for NULL), Integer, String, long[] for
   *     results and for structures of 64-bit numbers
   * @throws DeviceException if it does not return 0
   */
  public void call(String operator, String function, Object... arguments) {
    makeCurrent();
    checkQueued(driver.callInt(function, arguments), function, operator);
  }

  /**
   * Calls a function of the kernel library that returns a 64-bit number and cannot fail.
   *
   * @param function its name in latimer_kernels.h
   */
  public long number(String function, Object... arguments) {
    return driver.callLong(function, arguments);
  }

  /**
   * Calls a function of the kernel library that returns nothing and cannot fail.
   *
   * @param function its name in latimer_kernels.h
   */
  public void run(String function, Object... arguments) {
    driver.callNothing(function, arguments);
  }

  /**
   * Checks the result of a call.
   *
   * @param result 0, an error of CUDA, or one of the kernel library's
   * @throws DeviceMemoryException if there was too little memory
   * @throws DeviceLostException if the device can no longer be used
   * @throws DeviceException for any other error
   */
  void check(int result, String call, String operator) {
    if (result == 0) {
      return;
    }
    boolean ours = result < 0 || call.startsWith("lat_");
    String error =
        ours ? driver.callText("lat_error_name", new Object[] {result}) : driver.errorName(result);
    String text =
        ours ? driver.callText("lat_error_text", new Object[] {result}) : driver.errorText(result);
    String message =
        operator + ": " + call + " failed on gpu:" + index + " with " + error + " (" + text + ")";
    if (result == OUT_OF_MEMORY) {
      throw new DeviceMemoryException(call, error, message);
    }
    if (LostGpus.isFatal(result)) {
      lost.add(index, call + ": " + error);
      throw new DeviceLostException(call, error, message + "; start this process again");
    }
    throw new DeviceException(call, error, message);
  }

  /**
   * Checks a call that queued work. If {@link #DEBUG} is set, waits for the work first, so that its
   * error is not reported by a later call, except while a stream is captured.
   */
  void checkQueued(int result, String call, String operator) {
    check(result, call, operator);
    if (debug && captures.get() == 0) {
      check(driver.synchronizeContext(), call, operator);
    }
  }

  void captureBegins() {
    captures.incrementAndGet();
  }

  /** Whether any thread captures work on this device. */
  boolean isCapturing() {
    return captures.get() > 0;
  }

  void captureEnds() {
    captures.decrementAndGet();
  }

  /** Whether an event has been reached. */
  boolean ready(int result, String call, String operator) {
    if (result == NOT_READY) {
      return false;
    }
    check(result, call, operator);
    return true;
  }

  /** Free memory in bytes. */
  public long freeMemory() {
    makeCurrent();
    long[] free = new long[1];
    check(driver.memoryInfo(free, new long[1]), "cuMemGetInfo", "device");
    return free[0];
  }

  /** Total memory in bytes. */
  public long totalMemory() {
    makeCurrent();
    long[] total = new long[1];
    check(driver.memoryInfo(new long[1], total), "cuMemGetInfo", "device");
    return total[0];
  }

  /** Waits for all work of this process on the device. */
  public void synchronize() {
    makeCurrent();
    check(driver.synchronizeContext(), "cuCtxSynchronize", "device");
  }

  /** Whether the device was lost. */
  public boolean isLost() {
    return lost.contains(index);
  }

  /** Counts a resource that must be released with {@link #release}. */
  void opened(Object resource, String owner) {
    resources.put(resource, owner);
  }

  /**
   * Releases a resource. A lost device has nothing to release, so that closing its users does not
   * hide the original error.
   *
   * @param release the driver's call; skipped if the device was lost
   */
  void release(Object resource, String call, String owner, IntSupplier release) {
    resources.remove(resource);
    if (isLost()) {
      return;
    }
    try {
      makeCurrent();
      check(release.getAsInt(), call, owner);
    } catch (DeviceLostException e) {
      LOG.warn("{} was lost before {} released its resources", this, owner, e);
    }
  }

  /** All open resources, such as "Stream of ngrams", with their number; empty if nothing leaks. */
  public Map<String, Integer> openResources() {
    Map<String, Integer> open = new TreeMap<>();
    resources.forEach(
        (resource, owner) ->
            open.merge(resource.getClass().getSimpleName() + " of " + owner, 1, Integer::sum));
    return open;
  }

  @Override
  public String toString() {
    return "gpu:" + index;
  }
}
