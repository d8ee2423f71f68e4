package io.latimer.operators.nmt.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.latimer.operators.index.SettingsJson;
import java.util.Locale;
import java.util.Map;

/**
 * The section {@code settings} of a model file: the network, and how each of its tensors is stored.
 * Specified in {@code docs/formats.md}.
 *
 * @param architecture {@value #RECURRENT} or {@value #TRANSFORMER}, matching the network
 * @param network shape and kind
 * @param tensors by name, in the order of their sections
 */
public record ModelSettings(
    String architecture, NetworkSettings network, Map<String, Stored> tensors) {
  static final String RECURRENT = "recurrent";
  static final String TRANSFORMER = "transformer";

  /** The key that decides how to read the rest. */
  private record Kind(String architecture) {}

  private record Recurrent(String architecture, RnnSettings network, Map<String, Stored> tensors) {}

  private record Transformer(
      String architecture, TransformerSettings network, Map<String, Stored> tensors) {}

  /** Storage formats of numbers. */
  public enum NumberType {
    @JsonProperty("float16")
    FLOAT16(2),
    @JsonProperty("float32")
    FLOAT32(4);

    private final int width;

    NumberType(int width) {
      this.width = width;
    }

    /** Size of a number in bytes. */
    public int width() {
      return width;
    }
  }

  /** One tensor in its section. */
  public record Stored(NumberType type, int rows, int cols) {
    /** The largest tensor of a model file, in bytes: one mapping holds it. */
    private static final long MAX_BYTES = Integer.MAX_VALUE;

    /** Size of its section. */
    long bytes() {
      return (long) rows * cols * type.width();
    }

    /** The same shape in 32 bits. */
    public Stored widened() {
      return new Stored(NumberType.FLOAT32, rows, cols);
    }

    /**
     * Checks its size.
     *
     * @param origin names the model in the message
     * @throws ModelFormatException if it is larger than 2^31 - 1 bytes
     */
    public void requireStorable(String origin, String name) {
      if ((long) rows * cols > MAX_BYTES || bytes() > MAX_BYTES) {
        throw new ModelFormatException(
            String.format(
                Locale.ROOT,
                "%s: tensor %s of %d x %d in %d bits has %,d bytes, but a tensor may have at most"
                    + " %,d",
                origin,
                name,
                rows,
                cols,
                8 * type.width(),
                bytes(),
                MAX_BYTES));
      }
    }
  }

  /** The section's bytes in a version, see {@link ModelSections#version}. */
  public byte[] toJson(int version) {
    return version < ModelSections.VARIANTS
        ? SettingsJson.writeOlder(this, "/network", "variant")
        : SettingsJson.write(this);
  }

  public static ModelSettings of(NetworkSettings network, Map<String, Stored> tensors) {
    return new ModelSettings(
        network instanceof RnnSettings ? RECURRENT : TRANSFORMER, network, tensors);
  }

  /**
   * Parses settings; requires exactly the known keys.
   *
   * @param origin names the file in messages
   * @param version of the file's sections
   */
  static ModelSettings fromJson(String origin, byte[] json, int version) {
    SettingsJson.Refusal refuse =
        (what, cause) -> new ModelFormatException(origin + ": the model's " + what, cause);
    String architecture = SettingsJson.readPart(json, Kind.class, refuse).architecture;
    switch (architecture) {
      case RECURRENT -> {
        Recurrent r = SettingsJson.read(json, Recurrent.class, refuse);
        return new ModelSettings(architecture, r.network, r.tensors);
      }
      case TRANSFORMER -> {
        Transformer t =
            version < ModelSections.VARIANTS
                ? SettingsJson.readOlder(
                    json,
                    Transformer.class,
                    "/network",
                    "variant",
                    TransformerVariant.MARIAN,
                    refuse)
                : SettingsJson.read(json, Transformer.class, refuse);
        return new ModelSettings(architecture, t.network, t.tensors);
      }
      default ->
          throw new ModelFormatException(
              origin
                  + ": expected architecture \"recurrent\" or \"transformer\", found \""
                  + architecture
                  + "\"");
    }
  }
}
