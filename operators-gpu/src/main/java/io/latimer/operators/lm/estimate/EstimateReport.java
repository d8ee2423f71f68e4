package io.latimer.operators.lm.estimate;

import java.util.List;

/**
 * What came out of an estimation.
 *
 * @param sentences of the text
 * @param words of the text, without begins and ends of sentences
 * @param orders what there is of each order, from 1 on
 * @param runs how many sorted runs were merged; 0 where the text fitted memory
 * @param inFiles whether the n-grams were kept in temporary files
 */
public record EstimateReport(
    long sentences, long words, List<Order> orders, int runs, boolean inFiles) {

  /** Keeps a copy of the list. */
  public EstimateReport {
    orders = List.copyOf(orders);
  }

  /**
   * What there is of one order; {@code <unk>}, {@code <s>} and {@code </s>} are words, too.
   *
   * @param types different n-grams of the text
   * @param kept those that were not pruned
   * @param discounts that were taken
   * @param fallback whether these could not be computed
   */
  public record Order(long types, long kept, Discounts discounts, boolean fallback) {}
}
