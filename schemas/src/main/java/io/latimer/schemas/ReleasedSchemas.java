package io.latimer.schemas;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * The released versions of one record, 1 and up without gaps: {@code
 * released/<name>/<version>.avsc} beside this class. Immutable and safe for use by several threads.
 */
public final class ReleasedSchemas {
  /** The records that are encoded separately; all others are parts of these. */
  public static final List<String> NAMES =
      LatimerRecords.PROTOCOL.getTypes().stream()
          .map(Schema::getName)
          .filter(name -> ReleasedSchemas.class.getResource(resource(name, 1)) != null)
          .toList();

  private final String name;
  private final List<Schema> versions;

  private ReleasedSchemas(String name, List<Schema> versions) {
    this.name = name;
    this.versions = List.copyOf(versions);
  }

  /**
   * Loads the released versions of a record.
   *
   * @param name one of {@link #NAMES}
   * @throws IllegalArgumentException if no version of it was ever released
   */
  public static ReleasedSchemas of(String name) {
    List<Schema> versions = new ArrayList<>();
    while (true) {
      String resource = resource(name, versions.size() + 1);
      try (InputStream in = ReleasedSchemas.class.getResourceAsStream(resource)) {
        if (in == null) {
          break;
        }
        versions.add(new Schema.Parser().parse(in));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + resource, e);
      }
    }
    if (versions.isEmpty()) {
      throw new IllegalArgumentException(
          "no version of a record '" + name + "' was ever released; there are " + NAMES);
    }
    return new ReleasedSchemas(name, versions);
  }

  private static String resource(String name, int version) {
    return "released/" + name + "/" + version + ".avsc";
  }

  /** The record's name. */
  public String name() {
    return name;
  }

  /** Number of the newest version, 1 or more. */
  public int newest() {
    return versions.size();
  }

  /**
   * One version's schema.
   *
   * @param version from 1 to {@link #newest()}
   */
  public Schema version(int version) {
    return versions.get(version - 1);
  }

  /**
   * The version that has this fingerprint.
   *
   * @param fingerprint CRC-64-AVRO of the schema's parsing canonical form
   * @return the version, or 0 if none has it
   */
  public int versionOf(long fingerprint) {
    for (int version = newest(); version >= 1; version--) {
      if (SchemaNormalization.parsingFingerprint64(version(version)) == fingerprint) {
        return version;
      }
    }
    return 0;
  }
}
