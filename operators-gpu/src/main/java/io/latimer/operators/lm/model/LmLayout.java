package io.latimer.operators.lm.model;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How a model file holds its n-grams. {@code docs/formats.md} gives both byte by byte. */
public enum LmLayout {
  /** One table of buckets of 32 bytes, two n-grams each, found by the hash of (suffix, word). */
  @JsonProperty("hash")
  HASH,

  /**
   * A trie whose nodes hold their children in B-trees, after Bogoychev and Lopez, "N-gram language
   * models for massively parallel devices" (ACL 2016).
   */
  @JsonProperty("btree")
  BTREE
}
