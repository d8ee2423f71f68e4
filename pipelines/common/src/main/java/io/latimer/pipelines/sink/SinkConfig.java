package io.latimer.pipelines.sink;

import io.latimer.pipelines.client.ClientProperties;

/** Where a job's records, tables or dead letters go. */
public sealed interface SinkConfig {
  /** Its name in the job's state, unique within a job; {@code dead-letters} for that one. */
  String name();

  /** Which records it takes. */
  default QualityRange takes() {
    return QualityRange.ALL;
  }

  /**
   * A Kafka topic.
   *
   * @param format of the values
   * @param exactlyOnce whether to write in transactions, which readers with {@code
   *     isolation.level=read_committed} see after each checkpoint; otherwise at least once,
   *     immediately
   * @param transactionalIdPrefix prefix of its transactional ids; no other id within the Kafka
   *     cluster begins with it; not empty
   * @param acceptsLostTransactions whether a restored job goes on without the records of
   *     transactions that can no longer be committed
   * @param properties client properties, such as SASL and SSL, passed on unchanged
   * @param takes which records it takes
   */
  record Kafka(
      String name,
      String bootstrapServers,
      String topic,
      Format format,
      boolean exactlyOnce,
      String transactionalIdPrefix,
      boolean acceptsLostTransactions,
      ClientProperties properties,
      QualityRange takes)
      implements SinkConfig {

    /** A topic of all records. */
    public Kafka(
        String name,
        String bootstrapServers,
        String topic,
        Format format,
        boolean exactlyOnce,
        String transactionalIdPrefix,
        boolean acceptsLostTransactions,
        ClientProperties properties) {
      this(
          name,
          bootstrapServers,
          topic,
          format,
          exactlyOnce,
          transactionalIdPrefix,
          acceptsLostTransactions,
          properties,
          QualityRange.ALL);
    }
  }

  /**
   * Files in a folder, each finished at a checkpoint.
   *
   * @param path the folder: an absolute path or a URI
   * @param format Avro object container files, or one record a line
   */
  record Files(String name, String path, Format format, QualityRange takes) implements SinkConfig {

    /** A folder of all records. */
    public Files(String name, String path, Format format) {
      this(name, path, format, QualityRange.ALL);
    }
  }

  /**
   * One line per record on standard output.
   *
   * @param format JSON or text; dead letters are JSON in any case
   */
  record Print(String name, Format format, QualityRange takes) implements SinkConfig {
    /** Lines of all records. */
    public Print(String name, Format format) {
      this(name, format, QualityRange.ALL);
    }

    public Print {
      if (format == Format.AVRO) {
        throw new IllegalArgumentException("sinks: print writes json or text, and no avro");
      }
    }
  }

  /** A sink for dead letters; the first one fails the job. */
  record Fail(String name) implements SinkConfig {}
}
