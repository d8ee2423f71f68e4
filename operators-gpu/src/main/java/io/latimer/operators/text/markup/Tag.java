package io.latimer.operators.text.markup;

/**
 * A piece of markup: a tag, which has no characters in the plain text, or an entity that stands for
 * one.
 *
 * @param at its offset in the plain text, in UTF-16 units
 * @param literal its text
 * @param length number of the characters in the plain text that it stands for; 0 for a tag
 * @param partner index of the tag that closes or opens it; -1 for one that stands alone
 * @param opens whether it opens a pair; false for one that closes a pair or stands alone
 */
public record Tag(int at, String literal, int length, int partner, boolean opens) {
  /** Whether it stands for characters of the plain text. */
  public boolean isEntity() {
    return length > 0;
  }

  /** Whether it has a partner. */
  public boolean isPaired() {
    return partner >= 0;
  }
}
