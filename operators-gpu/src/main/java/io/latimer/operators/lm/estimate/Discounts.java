package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import java.util.List;
import java.util.Locale;

/**
 * The discounts of modified Kneser-Ney smoothing for one order (Chen and Goodman, "An empirical
 * study of smoothing techniques for language modeling", 1998, equation 26).
 *
 * @param one for an adjusted count of 1; 0 to 1
 * @param two for 2; 0 to 2
 * @param threePlus for 3 and more; 0 to 3
 */
public record Discounts(float one, float two, float threePlus) {
  /** lmplz's values for when the discounts cannot be computed and it was told to continue. */
  public static final Discounts FALLBACK = new Discounts(0.5f, 1f, 1.5f);

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if a discount is out of range
   */
  public Discounts {
    check(1, one);
    check(2, two);
    check(3, threePlus);
  }

  private static void check(int count, float discount) {
    if (!(discount >= 0 && discount <= count)) {
      throw new OperatorException(
          "the discount of the adjusted count "
              + count
              + " is "
              + discount
              + ", but must be between 0 and "
              + count);
    }
  }

  /**
   * Computes the discounts of an order.
   *
   * @param order for the message
   * @param n number of n-grams with the adjusted count 0, 1, 2, 3, 4
   * @throws SmallTextException if they cannot be computed
   */
  static Discounts of(int order, List<Long> n) {
    for (int count = 1; count <= 3; count++) {
      if (n.get(count) == 0) {
        throw new SmallTextException(
            String.format(
                Locale.ROOT,
                "the discounts of %d-grams cannot be computed: none has the adjusted count %d, so"
                    + " the text is too small or not natural language; use more text, a lower order"
                    + " or --discount-fallback",
                order,
                count));
      }
    }
    // In float32 and in this order, like lmplz.
    float y = n.get(1).floatValue() / (float) (n.get(1) + 2.0 * n.get(2));
    float[] amounts = new float[4];
    for (int count = 1; count <= 3; count++) {
      amounts[count] = count - (count + 1) * y * n.get(count + 1) / n.get(count);
    }
    try {
      return new Discounts(amounts[1], amounts[2], amounts[3]);
    } catch (OperatorException e) {
      throw new SmallTextException(
          "the discounts of "
              + order
              + "-grams cannot be computed: "
              + e.getMessage()
              + "; use more text, a lower order or --discount-fallback",
          e);
    }
  }

  /** The discount of an adjusted count. */
  float of(long count) {
    if (count >= 3) {
      return threePlus;
    }
    return count == 2 ? two : count == 1 ? one : 0;
  }
}
