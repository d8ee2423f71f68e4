package io.latimer.pipelines.flink.sink;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.AdminClient;

/**
 * Creates Flink's exactly-once writers in a way that all of them can be closed. To list
 * transactions, they open an admin client that they never close (flink-connector-kafka 5.0), not
 * even if they fail to start, when Flink's sink returns no writer to close. Each restart of a job
 * would leak a thread per sink and subtask, with connections and the job's classes.
 */
final class TransactionalWriters {
  private static final String TYPE = "org.apache.flink.connector.kafka.sink.ExactlyOnceKafkaWriter";

  private TransactionalWriters() {}

  /**
   * Does the same as {@link KafkaSink#restoreWriter} for exactly-once delivery.
   *
   * @param states none for a new writer
   */
  @SuppressWarnings("unchecked") // the type is not public
  static <T> StatefulSinkWriter<T, KafkaWriterState> start(
      KafkaSink<T> sink, WriterInitContext context, Collection<KafkaWriterState> states) {
    StatefulSinkWriter<T, KafkaWriterState> writer =
        (StatefulSinkWriter<T, KafkaWriterState>) make(sink, context, states);
    try {
      call(writer, "initialize");
    } catch (Throwable e) {
      closeAdmin(writer);
      throw e;
    }
    return writer;
  }

  private static Object make(
      KafkaSink<?> sink, WriterInitContext context, Collection<KafkaWriterState> states) {
    Object naming = field(sink, "transactionNamingStrategy");
    try {
      Class<?> type = Class.forName(TYPE, true, KafkaSink.class.getClassLoader());
      Constructor<?> constructor = accessible(type.getDeclaredConstructors()[0]);
      return constructor.newInstance(
          field(sink, "deliveryGuarantee"),
          field(sink, "kafkaProducerConfig"),
          field(sink, "transactionalIdPrefix"),
          context,
          field(sink, "recordSerializer"),
          context.asSerializationSchemaInitializationContext(),
          call(naming, "getAbortImpl"),
          call(naming, "getImpl"),
          states);
    } catch (InvocationTargetException e) {
      throw unchecked(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw changed(e);
    }
  }

  /** Closes the admin client of a writer, if it has one. */
  static void closeAdmin(Object writer) {
    if (writer.getClass().getName().equals(TYPE)
        && field(writer, "adminClient") instanceof AdminClient admin) {
      admin.close();
    }
  }

  private static Object field(Object object, String name) {
    try {
      return accessible(object.getClass().getDeclaredField(name)).get(object);
    } catch (ReflectiveOperationException e) {
      throw changed(e);
    }
  }

  private static Object call(Object object, String name) {
    try {
      Method method = accessible(object.getClass().getDeclaredMethod(name));
      return method.invoke(object);
    } catch (InvocationTargetException e) {
      throw unchecked(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw changed(e);
    }
  }

  private static <T extends AccessibleObject> T accessible(T member) {
    member.setAccessible(true);
    return member;
  }

  /** Wraps an exception, because Flink's methods here declare no checked exceptions. */
  private static RuntimeException unchecked(Throwable cause) {
    ExceptionUtils.rethrow(cause);
    throw new AssertionError(cause);
  }

  private static IllegalStateException changed(ReflectiveOperationException e) {
    return new IllegalStateException(
        "flink-connector-kafka is not the version that Latimer was built with: " + e, e);
  }
}
