package io.latimer.operators.device.natives;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;

/** JCuda's objects by their native addresses, which all other code uses. */
final class Handles {
  private static final ConcurrentMap<Long, CUstream> STREAMS = new ConcurrentHashMap<>();
  private static final ConcurrentMap<Long, CUevent> EVENTS = new ConcurrentHashMap<>();
  private static final ConcurrentMap<Long, CUgraphExec> GRAPHS = new ConcurrentHashMap<>();
  private static final ConcurrentMap<Long, CUcontext> CONTEXTS = new ConcurrentHashMap<>();

  private Handles() {}

  static final class Context extends CUcontext {
    long keep() {
      CONTEXTS.put(getNativePointer(), this);
      return getNativePointer();
    }
  }

  static final class Stream extends CUstream {
    long keep() {
      STREAMS.put(getNativePointer(), this);
      return getNativePointer();
    }
  }

  static final class Event extends CUevent {
    long keep() {
      EVENTS.put(getNativePointer(), this);
      return getNativePointer();
    }
  }

  static final class Executable extends CUgraphExec {
    long keep() {
      GRAPHS.put(getNativePointer(), this);
      return getNativePointer();
    }
  }

  static final class Device extends CUdeviceptr {
    long address() {
      return getNativePointer() + getByteOffset();
    }
  }

  /** A pointer to host memory, from or to its address. */
  static final class Host extends Pointer {
    Host() {
      super(0L);
    }

    Host(long address) {
      super(address);
    }

    long address() {
      return getNativePointer() + getByteOffset();
    }
  }

  static CUdeviceptr device(long address) {
    return new CUdeviceptr().withByteOffset(address);
  }

  static CUstream stream(long address) {
    return known(STREAMS, address, "stream");
  }

  static CUevent event(long address) {
    return known(EVENTS, address, "event");
  }

  static CUgraphExec graph(long address) {
    return known(GRAPHS, address, "graph");
  }

  static CUcontext context(long address) {
    return known(CONTEXTS, address, "context");
  }

  static CUstream forgetStream(long address) {
    return forget(STREAMS, address, "stream");
  }

  static CUevent forgetEvent(long address) {
    return forget(EVENTS, address, "event");
  }

  static CUgraphExec forgetGraph(long address) {
    return forget(GRAPHS, address, "graph");
  }

  static CUgraph newGraph() {
    return new CUgraph();
  }

  private static <T> T known(ConcurrentMap<Long, T> map, long address, String what) {
    T found = map.get(address);
    if (found == null) {
      throw new IllegalStateException("no " + what + " is known at " + Long.toHexString(address));
    }
    return found;
  }

  private static <T> T forget(ConcurrentMap<Long, T> map, long address, String what) {
    T found = known(map, address, what);
    map.remove(address);
    return found;
  }
}
