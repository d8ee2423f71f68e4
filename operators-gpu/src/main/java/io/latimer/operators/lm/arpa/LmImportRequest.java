package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmSections;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What to make a language model file of, and how.
 *
 * @param arpa the ARPA file, plain or gzip
 * @param out the file to write, {@code .llm}
 * @param layout how it is to hold the n-grams
 * @param keysPerNode the most keys of a B-tree's node, 3 to 63; only the layout of B-trees looks
 * @param version the producer's version of the model, at most 64 bytes of UTF-8, may be empty
 */
public record LmImportRequest(
    Path arpa, Path out, LmLayout layout, int keysPerNode, String version) {

  /** So many keys and the node's first word are 128 bytes, which a GPU reads at once. */
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

  /** The same for another layout. */
  public LmImportRequest with(LmLayout other) {
    return new LmImportRequest(arpa, out, other, keysPerNode, version);
  }

  /** The same with other nodes of B-trees. */
  public LmImportRequest withKeys(int keys) {
    return new LmImportRequest(arpa, out, layout, keys, version);
  }
}
