package io.latimer.operators.nmt.decode;

import io.latimer.operators.RecordException;
import io.latimer.operators.nmt.model.NetworkSettings;
import java.util.List;

/** Error messages of {@link Decode} for records, on all devices. */
public final class SourceChecks {
  private SourceChecks() {}

  /**
   * Checks a record.
   *
   * @return the error, null if there is none
   */
  public static RecordException check(int[] ids, NetworkSettings network) {
    String wrong = wrong(ids, network.sourceVocabulary(), Math.min(Decode.MAX_SOURCE, network.longest()));
    return wrong == null ? null : new RecordException(wrong);
  }

  private static String wrong(int[] ids, int vocabulary, int longest) {
    if (ids.length == 0 || ids[ids.length - 1] != Decode.END) {
      return "the source ids do not end with the end token 0";
    }
    if (ids.length > longest) {
      return "the sentence has "
          + ids.length
          + " source tokens; at most "
          + longest
          + " can be translated at once";
    }
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] < 0 || ids[i] >= vocabulary) {
        return "source id "
            + ids[i]
            + " at position "
            + i
            + " is not below the vocabulary's "
            + vocabulary;
      }
      if (ids[i] == Decode.END && i < ids.length - 1) {
        return "the end token 0 stands at position " + i + " of " + ids.length + " source ids";
      }
    }
    return null;
  }

  /** The result for the empty sentence. */
  public static Decoded empty(DecodeOptions options) {
    return new Decoded(
        List.of(
            new Hypothesis(
                new int[] {Decode.END},
                options.scores() ? new float[1] : null,
                options.scores() ? 0 : Double.NaN,
                options.scores() ? 0 : Double.NaN,
                options.alignment() ? new float[][] {{1f}} : null)));
  }

  /** The error for a sentence whose scores are infinite or NaN. */
  public static RecordException notFinite() {
    return new RecordException("the model's scores for this sentence are not finite numbers");
  }

  /**
   * The error for a sentence that does not fit on its own.
   *
   * @param where what is too small, and what to do
   */
  public static RecordException tooLarge(int tokens, String where, Throwable reason) {
    return new RecordException(
        "the sentence of " + tokens + " tokens does not fit into " + where, reason);
  }
}
