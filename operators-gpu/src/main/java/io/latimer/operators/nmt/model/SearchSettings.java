package io.latimer.operators.nmt.model;

import java.util.Objects;

/**
 * How a model's authors search with it.
 *
 * @param rule what happens when a hypothesis ends
 * @param beamSize hypotheses per sentence, 1 to {@link BeamRule#MAX_BEAM}; 0 if they do not say
 */
public record SearchSettings(BeamRule rule, int beamSize) {
  /** Marian's search. */
  public static final SearchSettings MARIAN = new SearchSettings(BeamRule.SHRINK, 0);

  public SearchSettings {
    Objects.requireNonNull(rule, "rule");
    SettingRange.require("search.beamSize", beamSize, 0, BeamRule.MAX_BEAM);
  }
}
