package io.latimer.operators.device.natives;

/**
 * Registers a {@link NativeLoader} with the JVM's management server, which every class loader sees.
 */
public interface NativeLoaderMBean {

  /** The folder that the native libraries were loaded from. */
  String getFolder();
}
