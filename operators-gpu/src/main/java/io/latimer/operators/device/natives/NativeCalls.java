package io.latimer.operators.device.natives;

import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUgraph;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * The driver's calls through JCuda, and the kernel library's through JNA, with JDK types. Every
 * method of the driver returns its CUresult; outputs are one-element arrays. {@code Driver} in the
 * parent package declares and describes them.
 */
public final class NativeCalls {
  private static final ConcurrentMap<String, Function> FUNCTIONS = new ConcurrentHashMap<>();
  private static final int RTLD_LAZY = 1;
  private static NativeLibrary kernels;

  private NativeCalls() {}

  // ---- the kernel library

  /** Loads the kernel library from a file. */
  public static synchronized void loadKernels(String path) {
    if (kernels == null) {
      // LOCAL, so that two versions of the library in one process do not call into each other
      kernels = NativeLibrary.getInstance(path, Map.of(Library.OPTION_OPEN_FLAGS, RTLD_LAZY));
    }
  }

  /**
   * Calls a function of the kernel library that returns an int. Arguments are Long, Integer, long[]
   * or String.
   */
  public static int callInt(String function, Object[] arguments) {
    return function(function).invokeInt(arguments);
  }

  /** Calls a function that returns a 64-bit number. */
  public static long callLong(String function, Object[] arguments) {
    return function(function).invokeLong(arguments);
  }

  /** Calls a function that returns nothing. */
  public static void callNothing(String function, Object[] arguments) {
    function(function).invokeVoid(arguments);
  }

  /** Calls a function that returns a static string. */
  public static String callText(String function, Object[] arguments) {
    Pointer text = function(function).invokePointer(arguments);
    return text == null ? "" : text.getString(0, "UTF-8");
  }

  private static Function function(String name) {
    return FUNCTIONS.computeIfAbsent(name, n -> kernels.getFunction(n));
  }

  // ---- the driver

  /** Loads JCuda's library, which needs the driver's, and starts the driver. */
  public static int init() {
    JCudaDriver.setExceptionsEnabled(false);
    return JCudaDriver.cuInit(0);
  }

  public static String errorName(int result) {
    String[] name = new String[1];
    JCudaDriver.cuGetErrorName(result, name);
    return name[0] == null ? CUresult.stringFor(result) : name[0];
  }

  public static String errorText(int result) {
    String[] text = new String[1];
    JCudaDriver.cuGetErrorString(result, text);
    return text[0] == null ? "" : text[0];
  }

  public static int driverVersion(int[] version) {
    return JCudaDriver.cuDriverGetVersion(version);
  }

  public static int deviceCount(int[] count) {
    return JCudaDriver.cuDeviceGetCount(count);
  }

  public static int deviceName(int index, String[] name) {
    byte[] bytes = new byte[256];
    int result = JCudaDriver.cuDeviceGetName(bytes, bytes.length, device(index));
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    name[0] = new String(bytes, 0, length, java.nio.charset.StandardCharsets.UTF_8);
    return result;
  }

  public static int attribute(int index, int attribute, int[] value) {
    return JCudaDriver.cuDeviceGetAttribute(value, attribute, device(index));
  }

  public static int totalMemory(int index, long[] bytes) {
    return JCudaDriver.cuDeviceTotalMem(bytes, device(index));
  }

  public static int retainPrimary(int index, long[] context) {
    Handles.Context made = new Handles.Context();
    int result = JCudaDriver.cuDevicePrimaryCtxRetain(made, device(index));
    context[0] = result == 0 ? made.keep() : 0;
    return result;
  }

  /** Releases one {@link #retainPrimary}; the handle stays valid for other retainers. */
  public static int releasePrimary(int index) {
    return JCudaDriver.cuDevicePrimaryCtxRelease(device(index));
  }

  public static int setCurrent(long context) {
    return JCudaDriver.cuCtxSetCurrent(context == 0 ? new CUcontext() : Handles.context(context));
  }

  public static int synchronizeContext() {
    return JCudaDriver.cuCtxSynchronize();
  }

  public static int memoryInfo(long[] free, long[] total) {
    return JCudaDriver.cuMemGetInfo(free, total);
  }

  public static int allocate(long bytes, long[] address) {
    Handles.Device made = new Handles.Device();
    int result = JCudaDriver.cuMemAlloc(made, bytes);
    address[0] = result == 0 ? made.address() : 0;
    return result;
  }

  public static int free(long address) {
    return JCudaDriver.cuMemFree(Handles.device(address));
  }

  public static int allocateHost(long bytes, long[] address, ByteBuffer[] view) {
    Handles.Host made = new Handles.Host();
    int result = JCudaDriver.cuMemHostAlloc(made, bytes, 0);
    if (result == 0) {
      address[0] = made.address();
      view[0] = made.getByteBuffer(0, bytes);
    }
    return result;
  }

  public static int freeHost(long address) {
    return JCudaDriver.cuMemFreeHost(new Handles.Host(address));
  }

  public static int copyIn(long device, long host, long bytes, long stream) {
    return JCudaDriver.cuMemcpyHtoDAsync(
        Handles.device(device), new Handles.Host(host), bytes, Handles.stream(stream));
  }

  public static int copyOut(long host, long device, long bytes, long stream) {
    return JCudaDriver.cuMemcpyDtoHAsync(
        new Handles.Host(host), Handles.device(device), bytes, Handles.stream(stream));
  }

  public static int copy(long to, long from, long bytes, long stream) {
    return JCudaDriver.cuMemcpyDtoDAsync(
        Handles.device(to), Handles.device(from), bytes, Handles.stream(stream));
  }

  public static int fill(long address, byte value, long bytes, long stream) {
    return JCudaDriver.cuMemsetD8Async(
        Handles.device(address), value, bytes, Handles.stream(stream));
  }

  public static int createStream(long[] stream) {
    Handles.Stream made = new Handles.Stream();
    int result = JCudaDriver.cuStreamCreate(made, 1); // 1: does not wait for the legacy stream
    stream[0] = result == 0 ? made.keep() : 0;
    return result;
  }

  public static int synchronizeStream(long stream) {
    return JCudaDriver.cuStreamSynchronize(Handles.stream(stream));
  }

  public static int streamWaits(long stream, long event) {
    return JCudaDriver.cuStreamWaitEvent(Handles.stream(stream), Handles.event(event), 0);
  }

  public static int destroyStream(long stream) {
    return JCudaDriver.cuStreamDestroy(Handles.forgetStream(stream));
  }

  public static int createEvent(long[] event, int flags) {
    Handles.Event made = new Handles.Event();
    int result = JCudaDriver.cuEventCreate(made, flags);
    event[0] = result == 0 ? made.keep() : 0;
    return result;
  }

  public static int recordEvent(long event, long stream) {
    return JCudaDriver.cuEventRecord(Handles.event(event), Handles.stream(stream));
  }

  public static int queryEvent(long event) {
    return JCudaDriver.cuEventQuery(Handles.event(event));
  }

  public static int synchronizeEvent(long event) {
    return JCudaDriver.cuEventSynchronize(Handles.event(event));
  }

  public static int elapsed(long start, long end, float[] milliseconds) {
    return JCudaDriver.cuEventElapsedTime(milliseconds, Handles.event(start), Handles.event(end));
  }

  public static int destroyEvent(long event) {
    return JCudaDriver.cuEventDestroy(Handles.forgetEvent(event));
  }

  public static int beginCapture(long stream) {
    return JCudaDriver.cuStreamBeginCapture(Handles.stream(stream), 1); // 1: of this thread only
  }

  /** Ends a capture and instantiates its graph. */
  public static int endCapture(long stream, long[] graph) {
    CUgraph captured = Handles.newGraph();
    int result = JCudaDriver.cuStreamEndCapture(Handles.stream(stream), captured);
    if (result != 0) {
      return result;
    }
    Handles.Executable made = new Handles.Executable();
    result = JCudaDriver.cuGraphInstantiate(made, captured, 0);
    graph[0] = result == 0 ? made.keep() : 0;
    int destroyed = JCudaDriver.cuGraphDestroy(captured);
    return result != 0 ? result : destroyed;
  }

  public static int launchGraph(long graph, long stream) {
    return JCudaDriver.cuGraphLaunch(Handles.graph(graph), Handles.stream(stream));
  }

  public static int destroyGraph(long graph) {
    return JCudaDriver.cuGraphExecDestroy(Handles.forgetGraph(graph));
  }

  private static CUdevice device(int index) {
    CUdevice device = new CUdevice();
    JCudaDriver.cuDeviceGet(device, index);
    return device;
  }
}
