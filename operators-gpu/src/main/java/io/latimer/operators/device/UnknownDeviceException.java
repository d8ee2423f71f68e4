package io.latimer.operators.device;

import io.latimer.operators.OperatorException;

/** A device's name that means no device anywhere, in contrast to one that this machine lacks. */
public final class UnknownDeviceException extends OperatorException {
  private static final long serialVersionUID = 1L;

  UnknownDeviceException(String message) {
    super(message);
  }
}
