package io.latimer.operators.testing;

import io.latimer.operators.index.IndexKind;

/** Kinds of index files for tests of what all kinds share. */
public final class TestKind {
  private TestKind() {}

  /** Files that call themselves translation models, of one version. */
  public static IndexKind of(int version) {
    return of(version, version);
  }

  /** The same, of a range of versions. */
  public static IndexKind of(int oldest, int version) {
    return new IndexKind("translation-model", oldest, version, file -> {});
  }
}
