package io.latimer.pipelines.beam;

import io.latimer.schemas.DeadLetter;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;

/** Counts dead letters, and optionally prints which lines could not be translated. */
final class ReportFn extends DoFn<DeadLetter, Void> {
  private static final long serialVersionUID = 1L;

  static final String DEAD_LETTERS = "dead_letters";

  private final boolean lines;
  private final Counter letters = Metrics.counter(TranslationPipeline.class, DEAD_LETTERS);

  /**
   * Creates the function.
   *
   * @param lines whether to print the numbers of lines to standard error
   */
  ReportFn(boolean lines) {
    this.lines = lines;
  }

  @ProcessElement
  public void process(@Element DeadLetter letter) {
    letters.inc();
    if (lines) {
      System.err.println(
          "latimer: line "
              + (letter.getOrigin().getOffset() + 1)
              + " cannot be translated: "
              + letter.getErrorMessage());
    }
  }
}
