package io.latimer.operators.index;

/**
 * The kinds of index file there are. The id is what stands in the file and in an {@link IndexRef}.
 */
public enum IndexKind {
  TRANSLATION_MODEL("translation-model"),
  LANGUAGE_MODEL("language-model");

  private final String id;

  IndexKind(String id) {
    this.id = id;
  }

  /** The name in files and references: lower-case ASCII, at most 32 bytes. */
  public String id() {
    return id;
  }
}
