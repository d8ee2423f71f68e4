package io.latimer.operators.lm.model;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The layout of a model file's n-grams. {@code docs/formats.md} specifies both byte by byte. */
public enum LmLayout {
  /** One table of 32-byte buckets with two n-grams each, found by the hash of (suffix, word). */
  @JsonProperty("hash")
  HASH,

  /**
   * A trie whose nodes store their children in B-trees, after Bogoychev and Lopez, "N-gram language
   * models for massively parallel devices" (ACL 2016).
   */
  @JsonProperty("btree")
  BTREE
}
