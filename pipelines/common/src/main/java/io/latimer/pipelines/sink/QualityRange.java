package io.latimer.pipelines.sink;

import io.latimer.schemas.Envelope;
import java.io.Serializable;

/**
 * Which records a sink takes by the quality of their translations. A record without a quality is in
 * every range that has no upper end: nobody has said that it is bad.
 *
 * @param from the lowest quality, 0 to 1
 * @param below what all are below, above {@code from}; 1 for no upper end, so that a range from 1
 *     has the translations that are certainly right
 */
public record QualityRange(double from, double below) implements Serializable {
  /** The end of all qualities, which belongs to the range. */
  static final double NO_END = 1;

  /** All records. */
  public static final QualityRange ALL = new QualityRange(0, NO_END);

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if no quality is in it
   */
  public QualityRange {
    if (!(from < below || (from == NO_END && below == NO_END))) {
      throw new IllegalArgumentException(
          SinkKeys.QUALITY_FROM.name()
              + " "
              + from
              + " is not below "
              + SinkKeys.QUALITY_BELOW.name()
              + " "
              + below
              + ": the sink would get nothing");
    }
  }

  /** Whether a record is in it. */
  public boolean contains(Envelope record) {
    Double quality = record.getTranslation() == null ? null : record.getTranslation().getQuality();
    return quality == null
        ? below == NO_END
        : from <= quality && (quality < below || below == NO_END);
  }
}
