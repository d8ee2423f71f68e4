package io.latimer.pipelines.beam;

import java.util.List;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsRegistrar;

/**
 * Registers {@link TranslationOptions} with Beam, such as for its help. Beam loads it as a service.
 */
public final class TranslationOptionsRegistrar implements PipelineOptionsRegistrar {
  /** Called by Beam. */
  public TranslationOptionsRegistrar() {}

  @Override
  public Iterable<Class<? extends PipelineOptions>> getPipelineOptions() {
    return List.of(TranslationOptions.class);
  }
}
