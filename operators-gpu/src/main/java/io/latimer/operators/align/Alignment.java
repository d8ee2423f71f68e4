package io.latimer.operators.align;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The word alignment of a sentence pair.
 *
 * @param links the linked words, sorted by source, then by target position, without duplicates
 */
public record Alignment(List<Link> links) {
  /**
   * Two linked words.
   *
   * @param source position in the source sentence, from 0
   * @param target position in the target sentence, from 0
   */
  public record Link(int source, int target) {
    /** The link in Pharaoh's format, such as {@code 3-4}. */
    @Override
    public String toString() {
      return source + "-" + target;
    }
  }

  public Alignment {
    links = List.copyOf(links);
  }

  /** The links in Pharaoh's format, such as {@code 0-0 1-2}. */
  @Override
  public String toString() {
    return links.stream().map(Link::toString).collect(Collectors.joining(" "));
  }
}
