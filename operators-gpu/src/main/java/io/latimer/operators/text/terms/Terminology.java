package io.latimer.operators.text.terms;

import java.util.List;

/** What a translation must do with the terms of a sentence. Thread-safe. */
public interface Terminology extends AutoCloseable {
  /** Has no terms. */
  Terminology NONE =
      new Terminology() {
        @Override
        public List<TermMatch> find(String sentence) {
          return List.of();
        }

        @Override
        public List<TermMatch> unmet(List<TermMatch> matches, String translation) {
          return List.copyOf(matches);
        }

        @Override
        public String form(TermMatch match) {
          return match.text();
        }

        @Override
        public String id() {
          return "";
        }

        @Override
        public String version() {
          return "";
        }

        @Override
        public void close() {}
      };

  /**
   * The terms of a sentence: of those that begin first, the longest, without overlaps.
   *
   * @param sentence raw text of any length
   * @return in the order of the sentence
   */
  List<TermMatch> find(String sentence);

  /**
   * The terms whose rule a translation breaks. Each match needs a place of its own in the
   * translation, so a term that a sentence has twice must be there twice.
   *
   * @param matches of one source sentence
   * @param translation raw text
   * @return those without a place, in their order
   */
  List<TermMatch> unmet(List<TermMatch> matches, String translation);

  /** Whether a translation has what the rule of a term asks for. */
  default boolean satisfied(TermMatch match, String translation) {
    return unmet(List.of(match), translation).isEmpty();
  }

  /**
   * What to write for a term where a translation must be made to have it: the first target form; if
   * a capital begins a sentence with the term, and its case does not count, with a capital. For
   * {@link TargetRule#KEEP} the sentence's own text.
   */
  String form(TermMatch match);

  /** Identifies the content of the file; empty where there is none. */
  String id();

  /** The producer's version of it; may be empty. */
  String version();

  @Override
  void close();
}
