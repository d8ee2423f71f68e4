package io.latimer.cli.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Error messages for the user of a command. */
public final class Errors {
  private Errors() {}

  /** Describes an error in one sentence: what is wrong, with what and, if known, what to do. */
  public static String sentence(Throwable error) {
    if (error instanceof FileSystemException e) {
      return ofFile(e);
    }
    String message = error.getMessage();
    if (message == null || message.isBlank()) {
      return error.getClass().getSimpleName() + ", without a message; --debug shows where.";
    }
    return isOurs(error) ? message : error.getClass().getSimpleName() + ": " + message;
  }

  /** The stack trace of the error. */
  public static String stackTrace(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static String ofFile(FileSystemException e) {
    String file = e.getFile();
    if (e instanceof NoSuchFileException) {
      return file + ": no such file.";
    }
    if (e instanceof AccessDeniedException) {
      return file + ": permission denied.";
    }
    if (e instanceof FileAlreadyExistsException) {
      return file + ": already exists.";
    }
    return file + ": " + (e.getReason() == null ? e.getClass().getSimpleName() : e.getReason());
  }

  /** Whether the message is our own, written for users, instead of a library's for its callers. */
  public static boolean isOurs(Throwable error) {
    StackTraceElement[] trace = error.getStackTrace();
    return error.getClass().getName().startsWith("io.latimer.")
        || (trace.length > 0 && trace[0].getClassName().startsWith("io.latimer."));
  }
}
