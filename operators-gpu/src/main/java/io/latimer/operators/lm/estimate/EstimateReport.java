package io.latimer.operators.lm.estimate;

import java.util.List;

/**
 * The result of an estimation.
 *
 * @param sentences of the text
 * @param words of the text, without sentence marks
 * @param orders figures per order, from 1 on
 * @param runs number of sorted runs merged; 0 if the text fitted into memory
 * @param inFiles whether the n-grams were kept in temporary files
 */
public record EstimateReport(
    long sentences, long words, List<Order> orders, int runs, boolean inFiles) {

  /** Copies the list. */
  public EstimateReport {
    orders = List.copyOf(orders);
  }

  /**
   * Figures of one order, for which {@code <unk>}, {@code <s>} and {@code </s>} count as words.
   *
   * @param types distinct n-grams of the text
   * @param kept those that were not pruned
   * @param discounts that were applied
   * @param fallback whether the fallback discounts were used
   */
  public record Order(long types, long kept, Discounts discounts, boolean fallback) {}
}
