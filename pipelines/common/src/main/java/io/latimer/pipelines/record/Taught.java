package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.schemas.Correction;

/** What the corrections of a stage are, by the index beside which it learns them. */
public enum Taught {
  /** Sentence pairs. */
  PAIRS("pairs") {
    @Override
    public Correction normalized(Correction correction) {
      return Corrections.normalized(correction);
    }
  },
  /** Terms, beside a glossary. */
  TERMS("terms") {
    @Override
    public Correction normalized(Correction correction) {
      return TermCorrections.normalized(correction);
    }
  };

  private final String plural;

  Taught(String plural) {
    this.plural = plural;
  }

  /** What is learned beside an index of a kind. */
  public static Taught beside(String indexKind) {
    return indexKind.equals(GlossaryIndex.KIND.id()) ? TERMS : PAIRS;
  }

  /** What messages call them: {@code pairs} or {@code terms}. */
  public final String plural() {
    return plural;
  }

  /**
   * Checks a correction, and removes the white space around its texts.
   *
   * @throws RecordException saying why it cannot be learned, without its id
   */
  public abstract Correction normalized(Correction correction);

  /** Why a correction cannot be learned, with its id; null if it can be. */
  public final String problem(Correction correction) {
    try {
      normalized(correction);
      return null;
    } catch (RecordException e) {
      return Corrections.problem(correction.getId(), e);
    }
  }
}
