package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmSections;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The source, target and options of an import.
 *
 * @param arpa the ARPA file, plain or gzip
 * @param out the file to write, {@code .llm}
 * @param layout of the n-grams in the file
 * @param keysPerNode maximum keys per B-tree node, 3 to 63; used only by the B-tree layout
 * @param version the producer's version of the model, at most 64 bytes of UTF-8; may be empty
 */
public record LmImportRequest(
    Path arpa, Path out, LmLayout layout, int keysPerNode, String version) {

  /** A node of this many keys is 128 bytes, which a GPU reads in one transaction. */
  public static final int DEFAULT_KEYS = 31;

  public LmImportRequest {
    Objects.requireNonNull(arpa, "arpa");
    Objects.requireNonNull(out, "out");
    Objects.requireNonNull(layout, "layout");
    Objects.requireNonNull(version, "version");
    if (keysPerNode < LmSections.MIN_KEYS || keysPerNode > LmSections.MAX_KEYS) {
      throw new LmFormatException("a B-tree's node has 3 to 63 keys, not " + keysPerNode);
    }
  }

  /** A request for the default layout. */
  public static LmImportRequest of(Path arpa, Path out) {
    return new LmImportRequest(arpa, out, LmLayout.HASH, DEFAULT_KEYS, "");
  }

  /** A copy with another layout. */
  public LmImportRequest with(LmLayout other) {
    return new LmImportRequest(arpa, out, other, keysPerNode, version);
  }

  /** A copy with another number of keys per B-tree node. */
  public LmImportRequest withKeys(int keys) {
    return new LmImportRequest(arpa, out, layout, keys, version);
  }
}
