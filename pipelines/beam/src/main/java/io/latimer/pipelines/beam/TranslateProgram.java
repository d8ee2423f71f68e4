package io.latimer.pipelines.beam;

import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;

/**
 * {@code latimer beam translate}: runs {@link TranslationPipeline} with user-friendly messages. Its
 * exit code is 0, or 1 if anything failed, such as a line that could not be translated.
 */
public final class TranslateProgram {
  private TranslateProgram() {}

  /** Takes the options of the pipeline. */
  public static void main(String[] args) {
    ParentWatch.start();
    System.exit(run(args));
  }

  private static int run(String... args) {
    try {
      TranslationOptions options = TranslationPipeline.options(args);
      String parts = OrderedLines.parts(options.getOutput());
      if (options.isOrdered()) {
        // whether it fails or is stopped; a complete translation has left nothing to delete
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OrderedLines.deleteLocal(parts)));
      }
      PipelineResult result = TranslationPipeline.build(options, parts).run();
      PipelineResult.State state = result.waitUntilFinish();
      long failed = options.isOrdered() ? deadLetters(result) : 0;
      if (failed > 0) {
        System.err.println(
            "latimer: "
                + failed
                + (failed == 1 ? " line was" : " lines were")
                + " not translated.");
      }
      return state == PipelineResult.State.DONE && failed == 0 ? 0 : 1;
    } catch (RuntimeException | Error e) { // uncaught, other threads would keep it alive
      System.err.println("latimer: " + reason(e));
      if (System.getenv("LATIMER_DEBUG") != null) {
        e.printStackTrace();
      }
      return 1;
    }
  }

  private static long deadLetters(PipelineResult result) {
    MetricNameFilter name =
        MetricNameFilter.named(TranslationPipeline.class, ReportFn.DEAD_LETTERS);
    long sum = 0;
    for (MetricResult<Long> one :
        result
            .metrics()
            .queryMetrics(MetricsFilter.builder().addNameFilter(name).build())
            .getCounters()) {
      sum += one.getAttempted();
    }
    return sum;
  }

  /** The innermost message: runners wrap exceptions several times. */
  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
  }
}
