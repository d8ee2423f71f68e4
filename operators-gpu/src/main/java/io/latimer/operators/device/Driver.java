package io.latimer.operators.device;

import java.nio.ByteBuffer;

/**
 * The interface to native code: the methods of {@code natives.NativeCalls}, by name, with types
 * that every class loader shares. Those of the driver return its CUresult, 0 for success. Streams,
 * events and graphs are native addresses; sizes are in bytes.
 */
interface Driver {
  void loadKernels(String path);

  int callInt(String function, Object[] arguments);

  long callLong(String function, Object[] arguments);

  void callNothing(String function, Object[] arguments);

  String callText(String function, Object[] arguments);

  int init();

  String errorName(int result);

  String errorText(int result);

  int driverVersion(int[] version);

  int deviceCount(int[] count);

  int deviceName(int index, String[] name);

  int attribute(int index, int attribute, int[] value);

  int totalMemory(int index, long[] bytes);

  int retainPrimary(int index, long[] context);

  int releasePrimary(int index);

  /** Makes a context current for the calling thread; 0 for none. */
  int setCurrent(long context);

  int synchronizeContext();

  int memoryInfo(long[] free, long[] total);

  int allocate(long bytes, long[] address);

  int free(long address);

  int allocateHost(long bytes, long[] address, ByteBuffer[] view);

  int freeHost(long address);

  int copyIn(long device, long host, long bytes, long stream);

  int copyOut(long host, long device, long bytes, long stream);

  int copy(long to, long from, long bytes, long stream);

  int fill(long address, byte value, long bytes, long stream);

  int createStream(long[] stream);

  int synchronizeStream(long stream);

  int streamWaits(long stream, long event);

  int destroyStream(long stream);

  /**
   * Makes an event.
   *
   * @param flags CUevent_flags
   */
  int createEvent(long[] event, int flags);

  int recordEvent(long event, long stream);

  int queryEvent(long event);

  int synchronizeEvent(long event);

  int elapsed(long start, long end, float[] milliseconds);

  int destroyEvent(long event);

  int beginCapture(long stream);

  int endCapture(long stream, long[] graph);

  int launchGraph(long graph, long stream);

  int destroyGraph(long graph);
}
