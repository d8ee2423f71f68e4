package io.latimer.operators.device;

import io.latimer.operators.OperatorException;

/** A call to a device failed. The message names the call, CUDA's error and the operator. */
public class DeviceException extends OperatorException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final String error;

  DeviceException(String call, String error, String message) {
    super(message);
    this.call = call;
    this.error = error;
  }

  /** The call that failed, such as {@code cuMemAlloc}. */
  public String call() {
    return call;
  }

  /** CUDA's name for the error, such as {@code CUDA_ERROR_INVALID_VALUE}. */
  public String error() {
    return error;
  }
}
