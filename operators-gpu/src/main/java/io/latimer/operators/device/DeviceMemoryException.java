package io.latimer.operators.device;

/**
 * A device has too little memory for a request. A smaller batch may fit: see {@link SplitRetry}.
 */
public final class DeviceMemoryException extends DeviceException {
  private static final long serialVersionUID = 1L;

  /** Makes the error for a batch with more results than can be counted. */
  public static DeviceMemoryException tooMany(String owner, String what, long found, long most) {
    return new DeviceMemoryException(
        "count",
        "limit",
        owner + ": the batch has " + found + " " + what + ", more than the " + most + " that fit");
  }

  /** Makes the error for what would not fit a device's free memory, before it is taken. */
  public static DeviceMemoryException notFree(String message) {
    return new DeviceMemoryException("allocate", "limit", message);
  }

  DeviceMemoryException(String call, String error, String message) {
    super(call, error, message);
  }
}
