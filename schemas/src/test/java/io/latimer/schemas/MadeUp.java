package io.latimer.schemas;

import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * A record that was released in two versions, as if the second had added {@code weight} and {@code
 * note}: what holds for it holds for all records once they change.
 */
public final class MadeUp extends SpecificRecordBase {
  private static final long serialVersionUID = 1L;

  /** The newest version; Avro looks for it by this name. */
  public static final Schema SCHEMA$ = ReleasedSchemas.of("MadeUp").version(2);

  private final transient Object[] values = new Object[SCHEMA$.getFields().size()];

  static MadeUp of(String text, List<MadeUp> parts, double weight, String note) {
    MadeUp record = new MadeUp();
    record.put(0, text);
    record.put(1, parts);
    record.put(2, weight);
    record.put(3, note);
    return record;
  }

  /** The record from which the golden bytes are made. */
  static MadeUp sample() {
    return of("whole", List.of(of("größer", List.of(), 0.75, null)), -2.5, "noted");
  }

  @Override
  public Schema getSchema() {
    return SCHEMA$;
  }

  @Override
  public Object get(int field) {
    return values[field];
  }

  @Override
  public void put(int field, Object value) {
    values[field] = value;
  }
}
