package io.latimer.pipelines.beam;

import io.latimer.schemas.ReleasedSchemas;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.beam.sdk.coders.CannotProvideCoderException;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderProvider;
import org.apache.beam.sdk.coders.CoderProviderRegistrar;
import org.apache.beam.sdk.values.TypeDescriptor;

/**
 * Registers {@link RecordCoder} as the default coder of our records. Beam loads it as a service.
 */
public final class RecordCoders extends CoderProvider implements CoderProviderRegistrar {
  /** Called by Beam. */
  public RecordCoders() {}

  @Override
  public List<CoderProvider> getCoderProviders() {
    return List.of(this);
  }

  @Override
  public <T> Coder<T> coderFor(
      TypeDescriptor<T> type, List<? extends Coder<?>> ignoredComponentCoders)
      throws CannotProvideCoderException {
    Class<? super T> raw = type.getRawType();
    if (!SpecificRecord.class.isAssignableFrom(raw)
        || !raw.getPackage().equals(ReleasedSchemas.class.getPackage())
        || !ReleasedSchemas.NAMES.contains(raw.getSimpleName())) {
      throw new CannotProvideCoderException(raw.getName() + " is no record of Latimer's");
    }
    @SuppressWarnings("unchecked") // a coder of the raw class, because records are not generic
    Coder<T> coder = (Coder<T>) RecordCoder.of(raw.asSubclass(SpecificRecord.class));
    return coder;
  }
}
