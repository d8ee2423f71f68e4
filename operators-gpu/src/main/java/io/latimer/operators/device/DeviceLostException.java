package io.latimer.operators.device;

/**
 * A device's context can no longer be used in this process (an illegal address, an ECC error):
 * every later call fails with this exception, too. The task must fail, and its process must be
 * restarted.
 */
public final class DeviceLostException extends DeviceException {
  private static final long serialVersionUID = 1L;

  DeviceLostException(String call, String error, String message) {
    super(call, error, message);
  }
}
