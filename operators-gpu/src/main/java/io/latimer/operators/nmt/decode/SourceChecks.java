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
  public static RecordException check(
      DecodeInput input, NetworkSettings network, DecodeOptions options) {
    int longest = Math.min(Decode.MAX_SOURCE, network.longest());
    String wrong = wrong(input.ids(), network.sourceVocabulary(), longest);
    if (wrong == null) {
      int limit = limit(input, network, options);
      boolean given = options.has(DecodeOptions.Switch.GIVEN);
      wrong = given ? wrongLength(input, network, options) : longPrefix(input.prefix(), limit);
      if (wrong == null) {
        wrong = wrong("target prefix", input.prefix(), network.targetVocabulary());
      }
    }
    return wrong == null ? null : new RecordException(wrong);
  }

  /** The maximum number of a sentence's target tokens, including the end token. */
  public static int limit(DecodeInput input, NetworkSettings network, DecodeOptions options) {
    return options.has(DecodeOptions.Switch.GIVEN)
        ? input.prefix().length
        : longest(input, network, options);
  }

  private static int longest(DecodeInput input, NetworkSettings network, DecodeOptions options) {
    return Math.min(options.limit(input.length()), network.longest());
  }

  private static String wrongLength(
      DecodeInput input, NetworkSettings network, DecodeOptions options) {
    int length = input.prefix().length;
    int most = longest(input, network, options);
    return length >= 1 && length <= most
        ? null
        : "the given translation has "
            + length
            + " tokens; a sentence of "
            + input.length()
            + " source tokens may have a translation of 1 to "
            + most;
  }

  private static String longPrefix(int[] prefix, int limit) {
    if (prefix.length >= limit) {
      return "the target prefix has "
          + prefix.length
          + " tokens, and translations of this sentence have at most "
          + limit
          + "; allow longer ones (the maximum length factor), or use a shorter prefix";
    }
    return null;
  }

  private static String wrong(int[] ids, int vocabulary, int longest) {
    if (ids.length == 0) {
      return "the sentence has no source ids";
    }
    if (ids.length > longest) {
      return "the sentence has "
          + ids.length
          + " source tokens; at most "
          + longest
          + " can be translated at once";
    }
    return wrong("source", ids, vocabulary);
  }

  private static String wrong(String what, int[] ids, int vocabulary) {
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] < 0 || ids[i] >= vocabulary) {
        return what
            + " id "
            + ids[i]
            + " at position "
            + i
            + " is not below the vocabulary's "
            + vocabulary;
      }
    }
    return null;
  }

  /** Whether it is the empty sentence, whose translation needs no model. */
  public static boolean isEmpty(DecodeInput input, DecodeOptions options) {
    return input.length() == 1
        && input.ids()[0] == Decode.END
        && !options.has(DecodeOptions.Switch.GIVEN);
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
