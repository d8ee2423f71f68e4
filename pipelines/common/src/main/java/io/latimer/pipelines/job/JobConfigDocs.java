package io.latimer.pipelines.job;

import io.latimer.pipelines.config.ConfigDocs;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.metrics.Metric;
import io.latimer.pipelines.metrics.TableMetrics;
import java.util.List;
import java.util.Locale;

/** Documentation of job files, made of the very table by which they are read. */
public final class JobConfigDocs {
  private JobConfigDocs() {}

  /** A job file with every key, its default or an example, and what it means as comments. */
  public static String yaml() {
    return "# A job file. Every key is here; only source and stages must be given.\n"
        + ConfigDocs.yaml(JobKeys.JOB);
  }

  /** The page {@code docs/job-config.md}. */
  static String markdown() {
    return """
        # Job files

        <!-- Made by JobConfigDocs of the tables of keys in the code; JobConfigDocsTest says how to renew it. -->

        A job is one YAML file: a source, a list of stages, sinks, and a place for dead letters. Everything has a
        default but the source and the stages. The smallest job file translates a Kafka topic and prints what it gets:

        ```yaml
        source:
          kafka:
            topics: sentences
        stages:
          - translate:
              model: models/en-de.lmx
        ```

        - An unknown key, a wrong type or a value out of range is refused with the key's path and line, and all of a
          file's problems are named at once.
        - Where a value is one of several kinds (`source`, `stages`, `sinks`, `dead-letters`), it is a mapping of the
          kind to its keys; `print` alone is short for `print: {}`.
        - Relative paths belong to the folder of the job file. URIs (`s3://...`) stay as they are.
        - Durations have a unit: `20ms`, `5s`, `10min`, `1h`, `1d`; 0 needs none.
        - Values of `properties` and `engine` may hold `${ENV:NAME}`, in whose place the environment variable NAME of
          the process that starts the job is put. They appear in no message and no log.
        - Records that cannot be read or processed are dead letters, with their bytes, their place and the reason. A
          dead letter is larger than its record: where records come near to the largest message that Kafka takes, raise
          `max.request.size` in the `properties` of the dead letters, and `max.message.bytes` of their topic.

        - Jobs can be chained: a job reads the `Translation` records of another, from Kafka or files. The text becomes
          the sentence, in the translation's language; id, feed, event time, headers and key stay as they were, and the
          texts that it was translated from are kept in `translatedFrom`.

        ## Keys

        """
        + ConfigDocs.markdown(JobKeys.JOB)
        + "## Metrics\n\nThe operators of stages that work on batches have these metrics.\n\n"
        + table(BatchMetrics.ALL)
        + "\nThe operators of stages that make tables have these.\n\n"
        + table(TableMetrics.ALL);
  }

  private static String table(List<Metric> metrics) {
    StringBuilder rows =
        new StringBuilder("| metric | kind | unit | meaning |\n|---|---|---|---|\n");
    for (Metric metric : metrics) {
      rows.append("| `").append(metric.id()).append("` | ");
      rows.append(metric.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
      rows.append(metric.unit()).append(" | ").append(metric.doc()).append(" |\n");
    }
    return rows.toString();
  }
}
