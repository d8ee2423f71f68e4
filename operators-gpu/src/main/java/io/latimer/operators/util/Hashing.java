package io.latimer.operators.util;

/** Hashes of the tables in index files, which CPU and GPU compute alike. */
public final class Hashing {
  private Hashing() {}

  /** The finalizer of MurmurHash3: every bit of the key affects every bit of the result. */
  public static long mix(long x) {
    x ^= x >>> 33;
    x *= 0xff51afd7ed558ccdL;
    x ^= x >>> 33;
    x *= 0xc4ceb9fe1a85ec53L;
    x ^= x >>> 33;
    return x;
  }

  /** The slot where the search for a hash starts: its upper half, scaled to {@code places}. */
  public static long home(long hash, long places) {
    return ((hash >>> 32) * places) >>> 32;
  }
}
