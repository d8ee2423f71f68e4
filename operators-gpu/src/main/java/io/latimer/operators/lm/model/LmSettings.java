package io.latimer.operators.lm.model;

import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.index.WordTable;
import java.util.List;

/**
 * The section {@code settings} of a language model file, specified in {@code docs/formats.md}.
 *
 * @param layout of the n-grams
 * @param order words of the longest n-gram, 1 to 8
 * @param arpa n-grams per order, as declared by the ARPA file
 * @param stored n-grams per order, as stored: more if missing suffixes were added, fewer if
 *     duplicates were dropped
 * @param wordSlots slots of {@code vocab/table}
 * @param beginSentence the id of {@code <s>}
 * @param endSentence the id of {@code </s>}
 * @param buckets of {@code hash/table}, 0 in the B-tree layout
 * @param keysPerNode maximum keys per B-tree node, 0 in the hash layout
 */
public record LmSettings(
    LmLayout layout,
    int order,
    List<Long> arpa,
    List<Long> stored,
    long wordSlots,
    int beginSentence,
    int endSentence,
    long buckets,
    int keysPerNode) {

  /** V plus the slots are node numbers, which must stay below 2^31. */
  public static final long MAX_NODES = Integer.MAX_VALUE;

  public LmSettings {
    arpa = List.copyOf(arpa);
    stored = List.copyOf(stored);
  }

  /** Words of the vocabulary, including the unknown word. */
  public int words() {
    return Math.toIntExact(stored.get(0));
  }

  /** N-grams of two or more words. */
  long longer() {
    return stored.stream().skip(1).mapToLong(Long::longValue).sum();
  }

  /**
   * Parses settings; requires exactly the known keys, and every number in its range.
   *
   * @param origin names the file in messages
   */
  static LmSettings fromJson(String origin, byte[] json) {
    SettingsJson.Refusal refuse =
        (message, cause) -> new LmFormatException(origin + ": the model's " + message, cause);
    LmSettings settings = SettingsJson.read(json, LmSettings.class, refuse);
    settings.check(refuse);
    return settings;
  }

  private void check(SettingsJson.Refusal refuse) {
    refuse.requireRange("order", order, 1, LmSections.MAX_ORDER);
    refuse.requireRange("the length of arpa", arpa.size(), order, order);
    refuse.requireRange("the length of stored", stored.size(), order, order);
    for (int n = 1; n <= order; n++) {
      refuse.requireRange("arpa", arpa.get(n - 1), 0, Long.MAX_VALUE);
      refuse.requireRange("stored", stored.get(n - 1), 0, MAX_NODES);
    }
    refuse.requireRange("stored unigrams", stored.get(0), 3, WordTable.MAX_WORDS);
    refuse.requireRange("wordSlots", wordSlots, words() + 1L, MAX_NODES / 8);
    refuse.requireRange("beginSentence", beginSentence, 1, words() - 1L);
    refuse.requireRange("endSentence", endSentence, 1, words() - 1L);
    if (layout == LmLayout.HASH) {
      refuse.requireRange("buckets", buckets, longer() / 2 + 1, (MAX_NODES - words()) / 2);
      refuse.requireRange("keysPerNode", keysPerNode, 0, 0);
    } else {
      refuse.requireRange("buckets", buckets, 0, 0);
      refuse.requireRange("keysPerNode", keysPerNode, LmSections.MIN_KEYS, LmSections.MAX_KEYS);
    }
  }
}
