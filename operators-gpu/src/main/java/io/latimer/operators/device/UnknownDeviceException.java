package io.latimer.operators.device;

import io.latimer.operators.OperatorException;

/** An invalid device name, as opposed to a device that this machine lacks. */
public final class UnknownDeviceException extends OperatorException {
  private static final long serialVersionUID = 1L;

  UnknownDeviceException(String message) {
    super(message);
  }
}
