package io.latimer.operators.device;

/**
 * A device has too little memory for a request. A smaller batch may fit: see {@link SplitRetry}.
 */
public final class DeviceMemoryException extends DeviceException {
  private static final long serialVersionUID = 1L;

  DeviceMemoryException(String call, String error, String message) {
    super(call, error, message);
  }
}
