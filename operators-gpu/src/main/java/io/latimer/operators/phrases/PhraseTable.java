package io.latimer.operators.phrases;

import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.IntFunction;

/** The phrases of one sentence that occur in the index; a view of its batch's results. */
public final class PhraseTable {
  private final ExtractedPhrases batch;
  private final int sentence;

  PhraseTable(ExtractedPhrases batch, int sentence) {
    this.batch = batch;
    this.sentence = sentence;
  }

  /** The distinct phrases, by their first place in the sentence, then by length. */
  public List<SourcePhrase> phrases() {
    int[] starts = batch.places.starts;
    int first = starts[sentence];
    int size = starts[sentence + 1] - first;
    return new PhraseList<>(size, i -> new SourcePhrase(batch, sentence, first + i));
  }

  /** A list of views. */
  static final class PhraseList<T> extends AbstractList<T> implements RandomAccess {
    private final int size;
    private final IntFunction<T> get;

    PhraseList(int size, IntFunction<T> get) {
      this.size = size;
      this.get = get;
    }

    @Override
    public T get(int i) {
      return get.apply(Objects.checkIndex(i, size));
    }

    @Override
    public int size() {
      return size;
    }
  }
}
