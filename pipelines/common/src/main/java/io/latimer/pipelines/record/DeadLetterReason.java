package io.latimer.pipelines.record;

import io.latimer.schemas.DeadLetter;
import java.util.List;

/** The reason why a record became a dead letter, coarse enough for a metric label. */
public enum DeadLetterReason {
  /** It cannot be read. */
  UNREADABLE("unreadable"),
  /** A stage refused it. */
  REFUSED("refused"),
  /** A stage hangs on it. */
  TIMEOUT("timeout"),
  /** It is too long for a sink. */
  TOO_LONG("too-long");

  /** The stage of dead letters that cannot be read. */
  public static final String READ = "read";

  /** The stage of dead letters that are too long for a sink. */
  public static final String SINK = "sink";

  private final String label;

  DeadLetterReason(String label) {
    this.label = label;
  }

  /** Its name in metrics. */
  public String label() {
    return label;
  }

  /** The reason of a dead letter. */
  public static DeadLetterReason of(DeadLetter letter) {
    return switch (letter.getStage()) {
      case READ -> UNREADABLE;
      case SINK -> TOO_LONG;
      default ->
          letter.getErrorClass().equals(HangingRecordException.class.getName()) ? TIMEOUT : REFUSED;
    };
  }

  /** The possible reasons of a stage's dead letters. */
  public static List<DeadLetterReason> ofStage(String stage) {
    return switch (stage) {
      case READ -> List.of(UNREADABLE);
      case SINK -> List.of(TOO_LONG);
      default -> List.of(REFUSED, TIMEOUT);
    };
  }
}
