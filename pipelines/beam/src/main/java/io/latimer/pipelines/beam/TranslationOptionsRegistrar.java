package io.latimer.pipelines.beam;

import java.util.List;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsRegistrar;

/** Lets Beam know {@link TranslationOptions}, as for its help. Beam finds it by itself. */
public final class TranslationOptionsRegistrar implements PipelineOptionsRegistrar {
  /** For Beam. */
  public TranslationOptionsRegistrar() {}

  @Override
  public Iterable<Class<? extends PipelineOptions>> getPipelineOptions() {
    return List.of(TranslationOptions.class);
  }
}
