package io.latimer.operators.nmt.model;

import io.latimer.operators.OperatorException;
import java.util.function.Supplier;

/** A model's files are unusable. The message names file and tensor, what was expected and found. */
public class ModelFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public ModelFormatException(String message) {
    super(message);
  }

  public ModelFormatException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Runs something whose errors may not say which file they are about, and adds it to them.
   *
   * @param file as messages name it
   */
  public static <T> T within(String file, Supplier<T> what) {
    try {
      return what.get();
    } catch (ModelFormatException e) {
      throw e.getMessage().startsWith(file)
          ? e
          : new ModelFormatException(file + ": " + e.getMessage(), e);
    }
  }
}
