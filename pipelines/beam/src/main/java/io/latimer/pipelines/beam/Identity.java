package io.latimer.pipelines.beam;

import java.util.Map;

/** "Translates" every sentence into itself, to measure the cost of a pipeline without a model. */
public final class Identity extends StageTransform<Identity> {
  private static final long serialVersionUID = 1L;

  private Identity(Map<String, String> settings, IndexUpdates updates) {
    super("identity", settings, updates);
  }

  /** The transform with its defaults. */
  public static Identity create() {
    return new Identity(Map.of(), IndexUpdates.NONE);
  }

  @Override
  Identity copy(Map<String, String> settings, IndexUpdates updates) {
    return new Identity(settings, updates);
  }
}
