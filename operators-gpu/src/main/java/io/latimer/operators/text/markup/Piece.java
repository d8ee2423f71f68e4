package io.latimer.operators.text.markup;

/**
 * A range of a marked-up text that is not plain text.
 *
 * @param name pairs it with others of the same name
 * @param replacement its characters in the plain text; mostly none
 * @param ends whether a sentence ends here
 */
record Piece(int start, int end, HtmlTag.Kind kind, String name, String replacement, boolean ends) {

  private static final String KEPT = "kept text";

  static Piece of(int start, HtmlTag tag) {
    return new Piece(start, tag.end(), tag.kind(), tag.name(), "", tag.isBreak());
  }

  /** A tag of Markdown, which has its partner's name. */
  static Piece markdown(int start, int end, HtmlTag.Kind kind, String name) {
    return new Piece(start, end, kind, name, "", false);
  }

  /** Text that only looks like markup. */
  static Piece kept(int start, int end) {
    return new Piece(start, end, HtmlTag.Kind.ALONE, KEPT, "", false);
  }

  boolean isKept() {
    return name.equals(KEPT);
  }

  /** A block without text for readers. */
  static Piece block(int start, int end) {
    return new Piece(start, end, HtmlTag.Kind.ALONE, "", "", true);
  }

  /** An entity that is a part of a word. */
  static Piece character(int start, int end, String character) {
    return new Piece(start, end, HtmlTag.Kind.ALONE, "", character, false);
  }
}
