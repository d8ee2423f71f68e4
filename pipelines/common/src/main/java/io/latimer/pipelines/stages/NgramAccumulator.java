package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramSnapshot;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.ngram.WordIds;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.schemas.Envelope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Counts byte or word n-grams of records' texts with an operator. */
abstract class NgramAccumulator<T> implements Accumulator {
  private final CountNgrams<T> counter;
  private final Function<Envelope, String> text;

  private NgramAccumulator(CountNgrams<T> counter, Function<Envelope, String> text) {
    this.counter = counter;
    this.text = text;
  }

  /**
   * Creates a accumulator.
   *
   * @param text gives the text of a record to count
   */
  static Accumulator of(NgramOptions options, Device device, Function<Envelope, String> text) {
    return options.unit() == NgramUnit.BYTES
        ? new OfBytes(CountNgrams.ofBytes(options, device), text)
        : new OfWords(CountNgrams.ofWords(options, device), text);
  }

  /**
   * Creates a accumulator that counts sentences like {@link EstimateLm}.
   *
   * @param order the model's order
   * @param text gives the text of a record, one sentence
   */
  static Accumulator ofSentences(int order, Device device, Function<Envelope, String> text) {
    NgramOptions options = NgramOptions.of(NgramUnit.WORDS, order);
    return new OfSentences(order, CountNgrams.ofWords(options, device), text);
  }

  abstract T units(String text);

  abstract NgramSnapshot snapshot(CountNgrams<T> counter);

  @Override
  public List<Result<Long>> add(List<Envelope> batch) {
    List<T> texts = new ArrayList<>(batch.size());
    for (Envelope envelope : batch) {
      texts.add(units(text.apply(envelope)));
    }
    return counter.apply(texts);
  }

  @Override
  public byte[] take() {
    byte[] bytes = snapshot(counter).toBytes();
    counter.clear();
    return bytes;
  }

  @Override
  public void close() {
    counter.close();
  }

  private static final class OfBytes extends NgramAccumulator<byte[]> {
    OfBytes(CountNgrams<byte[]> counter, Function<Envelope, String> text) {
      super(counter, text);
    }

    @Override
    byte[] units(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    NgramSnapshot snapshot(CountNgrams<byte[]> counter) {
      return NgramSnapshot.ofBytes(counter.counts());
    }
  }

  private static final class OfWords extends NgramAccumulator<int[]> {
    private WordIds ids = new WordIds();

    OfWords(CountNgrams<int[]> counter, Function<Envelope, String> text) {
      super(counter, text);
    }

    @Override
    int[] units(String text) {
      return ids.ids(text);
    }

    @Override
    NgramSnapshot snapshot(CountNgrams<int[]> counter) {
      NgramSnapshot snapshot = NgramSnapshot.ofWords(counter.counts(), ids);
      // new words for the next counts, because a permanent dictionary would grow without bound
      ids = new WordIds();
      return snapshot;
    }
  }

  private static final class OfSentences extends NgramAccumulator<int[]> {
    private final int order;
    private WordIds ids = EstimateLm.dictionary();
    private final int symbols = ids.size();

    OfSentences(int order, CountNgrams<int[]> counter, Function<Envelope, String> text) {
      super(counter, text);
      this.order = order;
    }

    /** Removes the model's reserved symbols from a text. */
    @Override
    int[] units(String text) {
      int[] words = Arrays.stream(ids.ids(text)).filter(id -> id >= symbols).toArray();
      return EstimateLm.record(words, order);
    }

    @Override
    NgramSnapshot snapshot(CountNgrams<int[]> counter) {
      NgramSnapshot snapshot = NgramSnapshot.ofWords(counter.counts(), ids);
      ids = EstimateLm.dictionary();
      return snapshot;
    }
  }
}
