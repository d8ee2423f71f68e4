package io.latimer.pipelines.flink;

import java.lang.reflect.Field;
import org.apache.kafka.clients.admin.AdminClient;

/**
 * Closes the administrative client that Flink's exactly-once writer opens to list transactions, and
 * that it does not close itself (flink-connector-kafka 5.0). Each restart of a job would leave a
 * thread per sink and subtask, with connections and the job's classes.
 */
final class WriterAdmin {
  private static final String FIELD = "adminClient";

  private WriterAdmin() {}

  /** Closes the client of a writer, if it has one. */
  static void close(Object writer) {
    for (Class<?> type = writer.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(FIELD) && field.trySetAccessible()) {
          close(field, writer);
        }
      }
    }
  }

  private static void close(Field field, Object writer) {
    try {
      if (field.get(writer) instanceof AdminClient admin) {
        admin.close();
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " is accessible, but cannot be read", e);
    }
  }
}
