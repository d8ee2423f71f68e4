package io.latimer.operators.phrases.index;

import io.latimer.operators.util.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * The sentence pairs that a job learned since the base of a phrase index was made, in the order in
 * which they were learned. They are numbered through the life of the job; those before {@link
 * #from} are in the base. Immutable and thread-safe: a list with more pairs shares those of this
 * one.
 */
public final class LearnedPairs {
  private static final LearnedPairs NONE = none(0);

  private final long from;
  private final LearnedPair[] pairs;
  private final byte[] digest;

  private LearnedPairs(long from, LearnedPair[] pairs, byte[] digest) {
    this.from = from;
    this.pairs = pairs;
    this.digest = digest;
  }

  /** No pairs, before any was learned. */
  public static LearnedPairs none() {
    return NONE;
  }

  /**
   * No pairs, when those before a number are in the base.
   *
   * @param from the number of the next pair, 0 or more
   */
  public static LearnedPairs none(long from) {
    if (from < 0) {
      throw new IllegalArgumentException("pairs are numbered from 0, found " + from);
    }
    byte[] digest = Sha256.digest().digest(ByteBuffer.allocate(Long.BYTES).putLong(from).array());
    return new LearnedPairs(from, new LearnedPair[0], digest);
  }

  /** These pairs and more. Copies only references. */
  public LearnedPairs with(List<LearnedPair> more) {
    LearnedPair[] all = Arrays.copyOf(pairs, Math.addExact(pairs.length, more.size()));
    MessageDigest sha = Sha256.digest();
    byte[] chained = digest;
    for (int i = 0; i < more.size(); i++) {
      LearnedPair pair = Objects.requireNonNull(more.get(i), "pair");
      all[pairs.length + i] = pair;
      sha.update(chained);
      sha.update(ByteBuffer.allocate(Long.BYTES).putLong(pair.time()).flip());
      update(sha, pair.id());
      update(sha, pair.source());
      update(sha, pair.target());
      update(sha, pair.alignment());
      if (pair.taught().isPresent()) { // pairs of words alone keep the digests that they had
        update(sha, pair.rawSource());
        update(sha, pair.rawTarget());
      }
      chained = sha.digest();
    }
    return new LearnedPairs(from, all, chained);
  }

  private static void update(MessageDigest sha, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    sha.update(bytes);
  }

  /**
   * The pairs from a number on, for a base that has those before it.
   *
   * @param number {@link #from} to {@link #to}
   */
  public LearnedPairs startingAt(long number) {
    Objects.checkIndex(number - from, pairs.length + 1L);
    return number == from
        ? this
        : none(number).with(Arrays.asList(pairs).subList((int) (number - from), pairs.length));
  }

  /**
   * The pairs before a number: the list as it was before that pair was learned.
   *
   * @param number {@link #from} to {@link #to}
   */
  public LearnedPairs endingAt(long number) {
    Objects.checkIndex(number - from, pairs.length + 1L);
    return number == to()
        ? this
        : none(from).with(Arrays.asList(pairs).subList(0, (int) (number - from)));
  }

  /**
   * The text of the pairs.
   *
   * @param links to which theirs are added
   * @param sourceIds gives source words their ids
   * @param targetIds gives target words their ids
   */
  SegmentText addTo(
      LinkCounts links, ParallelReader.Words sourceIds, ParallelReader.Words targetIds) {
    SegmentText text = new SegmentText();
    SentencePair ids = new SentencePair();
    for (LearnedPair pair : pairs) {
      pair.fill(ids, sourceIds, targetIds);
      text.add(ids);
      links.add(ids);
    }
    return text;
  }

  /** The number of the first pair; if there is none, the number of the next. */
  public long from() {
    return from;
  }

  /** The number of the next pair. */
  public long to() {
    return from + pairs.length;
  }

  /** How many pairs there are. */
  public int size() {
    return pairs.length;
  }

  public boolean isEmpty() {
    return pairs.length == 0;
  }

  /**
   * A pair.
   *
   * @param number {@link #from} to {@link #to} - 1
   * @throws IndexOutOfBoundsException if there is no such pair
   */
  public LearnedPair get(long number) {
    return pairs[(int) Objects.checkIndex(number - from, (long) pairs.length)];
  }

  /** The pairs, oldest first; a view. */
  public List<LearnedPair> pairs() {
    return Collections.unmodifiableList(Arrays.asList(pairs));
  }

  /** The texts of the pairs that have them, oldest first. */
  public List<TaughtPair> taught() {
    return pairs().stream().flatMap(pair -> pair.taught().stream()).toList();
  }

  /** The texts of all pairs, oldest first; the words of those that came without. */
  public List<TaughtPair> texts() {
    return pairs().stream()
        .map(
            pair ->
                pair.taught()
                    .orElseGet(
                        () -> new TaughtPair(pair.id(), pair.time(), pair.source(), pair.target())))
        .toList();
  }

  /**
   * The SHA-256 over the number of the first pair and all pairs, chained pair by pair: lists with
   * the same digest have the same pairs with the same numbers.
   *
   * @return 64 hexadecimal digits
   */
  public String digest() {
    return HexFormat.of().formatHex(digest);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LearnedPairs list && Arrays.equals(digest, list.digest);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(digest);
  }

  @Override
  public String toString() {
    return "learned pairs " + from + " to " + to() + ", " + digest();
  }
}
