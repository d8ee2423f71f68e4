package io.latimer.pipelines.batch;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/**
 * Decides when a micro-batch is closed: at N records, at M tokens or after T milliseconds,
 * whichever comes first. Pure policy: it starts no timers; the caller queries the {@link
 * #deadline}. Records keep their order. Not thread-safe.
 *
 * @param <T> type of the records
 */
public final class MicroBatcher<T> {
  private Limits limits;
  private final ToIntFunction<T> tokens;
  private final LongSupplier clock;
  private List<T> records = new ArrayList<>();
  private int gatheredTokens;
  private long openedAt;

  /** Why a batch was closed. */
  public enum Fill {
    /** It had the maximum number of records. */
    RECORDS,
    /** It had the maximum number of tokens, or another record would have exceeded it. */
    TOKENS,
    /** Its first record had waited for the maximum time. */
    TIME,
    /** A checkpoint barrier was about to pass. */
    BARRIER,
    /** The input became idle or active. */
    WATERMARK,
    /** Later records use another index. */
    SWAP,
    /** Later batches have other limits. */
    SET,
    /** The input ended. */
    END
  }

  /**
   * The limits of a batch.
   *
   * @param records maximum records, 1 or more
   * @param tokens maximum tokens, 1 or more; a single record with more forms a batch of its own
   * @param millis maximum time that a batch stays open, in milliseconds, 0 or more
   */
  public record Limits(int records, int tokens, long millis) implements Serializable {
    public Limits {
      if (records < 1 || tokens < 1 || millis < 0) {
        throw new IllegalArgumentException(
            "a batch needs at least 1 record, 1 token and 0 milliseconds, found "
                + records
                + ", "
                + tokens
                + " and "
                + millis);
      }
    }
  }

  /**
   * A closed batch.
   *
   * @param records in order of arrival; at least one
   * @param tokens their number of tokens
   * @param openedAt when the first one arrived, by the clock
   * @param fill why it was closed
   */
  public record Closed<T>(List<T> records, int tokens, long openedAt, Fill fill) {}

  /**
   * Creates an empty batcher.
   *
   * @param limits when to close a batch
   * @param tokens number of tokens of a record, 0 or more; may be an estimate
   * @param clock milliseconds; read once per batch, when its first record arrives
   */
  public MicroBatcher(Limits limits, ToIntFunction<T> tokens, LongSupplier clock) {
    this.limits = limits;
    this.tokens = tokens;
    this.clock = clock;
  }

  /**
   * Adds a record.
   *
   * @return the batches that this closes, in order: none, one, or two if the record has so many
   *     tokens that it closes both the open batch and its own
   */
  public List<Closed<T>> add(T record) {
    List<Closed<T>> closed = new ArrayList<>(2);
    int size = tokens.applyAsInt(record);
    if (!records.isEmpty() && size > limits.tokens() - gatheredTokens) {
      closed.add(close(Fill.TOKENS));
    }
    if (records.isEmpty()) {
      openedAt = clock.getAsLong();
    }
    records.add(record);
    gatheredTokens +=
        size; // cannot overflow: only the first record of a batch may exceed the limit
    if (records.size() >= limits.records()) {
      closed.add(close(Fill.RECORDS));
    } else if (gatheredTokens >= limits.tokens()) {
      closed.add(close(Fill.TOKENS));
    }
    return closed;
  }

  /**
   * Changes the limits of later batches.
   *
   * @throws IllegalStateException if a batch is open
   */
  public void setLimits(Limits limits) {
    if (!records.isEmpty()) {
      throw new IllegalStateException("a batch is open");
    }
    this.limits = limits;
  }

  /** Whether it holds no record. */
  public boolean isEmpty() {
    return records.isEmpty();
  }

  /** Number of records in the open batch. Another thread may see an earlier number. */
  public int size() {
    return records.size();
  }

  /** When to close the open batch, by the clock; empty if no record is held. */
  public OptionalLong deadline() {
    return records.isEmpty() ? OptionalLong.empty() : OptionalLong.of(openedAt + limits.millis());
  }

  /**
   * Closes the open batch.
   *
   * @throws IllegalStateException if no record is held
   */
  public Closed<T> close(Fill fill) {
    if (records.isEmpty()) {
      throw new IllegalStateException("there is no open batch");
    }
    Closed<T> closed = new Closed<>(records, gatheredTokens, openedAt, fill);
    records = new ArrayList<>();
    gatheredTokens = 0;
    return closed;
  }
}
