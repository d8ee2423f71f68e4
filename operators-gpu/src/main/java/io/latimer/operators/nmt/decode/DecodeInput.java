package io.latimer.operators.nmt.decode;

import java.util.List;
import java.util.Objects;

/**
 * A sentence to decode. Its arrays are not copied and must not be modified.
 *
 * @param ids source ids as the encoder reads them, at least one; for most models, the last is
 *     {@link Decode#END}
 * @param prefix target ids that every translation begins with; mostly none. With {@link
 *     DecodeOptions.Switch#GIVEN}, the whole translation, with its end token
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record DecodeInput(int[] ids, int[] prefix) {
  private static final int[] NONE = {};

  public DecodeInput {
    Objects.requireNonNull(ids, "ids");
    Objects.requireNonNull(prefix, "prefix");
  }

  /** A sentence whose translations may begin with any word. */
  public static DecodeInput of(int... ids) {
    return new DecodeInput(ids, NONE);
  }

  /** Sentences whose translations may begin with any word. */
  public static List<DecodeInput> all(List<int[]> sentences) {
    return sentences.stream().map(DecodeInput::of).toList();
  }

  /** Whether its translations may loop, because it does: see {@link RepeatedIds}. */
  public boolean mayLoop() {
    return RepeatedIds.anywhere(ids) || RepeatedIds.anywhere(prefix);
  }

  /** The number of source ids. */
  public int length() {
    return ids.length;
  }
}
