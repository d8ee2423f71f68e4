package io.latimer.operators.device.natives;

/** Lets the JVM's management server, which every class loader sees, hold a {@link NativeLoader}. */
public interface NativeLoaderMBean {

  /** The folder that the native libraries were loaded from. */
  String getFolder();
}
