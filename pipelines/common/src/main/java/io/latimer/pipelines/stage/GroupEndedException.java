package io.latimer.pipelines.stage;

/**
 * Thrown if a call of a {@link StageGroup} stops between two stages because the group was ended.
 */
public final class GroupEndedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  GroupEndedException() {
    super("the group of stages was ended");
  }
}
