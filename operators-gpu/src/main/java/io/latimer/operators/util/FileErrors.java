package io.latimer.operators.util;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Describes why a file cannot be read: Java's own messages are often only the file's name. */
public final class FileErrors {
  private FileErrors() {}

  /** The reason without the file's name, to follow "X cannot be read: ". */
  public static String reason(IOException error) {
    if (error instanceof NoSuchFileException) {
      return "no such file";
    }
    if (error instanceof AccessDeniedException) {
      return "permission denied";
    }
    String message =
        error instanceof FileSystemException e ? e.getReason() : error.getLocalizedMessage();
    return message == null ? error.getClass().getSimpleName() : message;
  }
}
