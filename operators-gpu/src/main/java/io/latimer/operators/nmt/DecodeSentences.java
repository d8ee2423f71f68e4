package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.text.SourceSentence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Decodes prepared sentences by their ids. Hypotheses and attention are those of the sentences' own
 * tokens: without what the model's format adds before them.
 *
 * @param decode closed with this object
 * @param alignsNext whether a word's row of the attention is that of the next step
 * @param given whether the words that a translation begins with are all of it, which are scored
 */
public record DecodeSentences(Decode decode, boolean alignsNext, boolean given)
    implements BatchOperator<SourceSentence, Decoded> {

  /** For translations that are searched. */
  public DecodeSentences(Decode decode, boolean alignsNext) {
    this(decode, alignsNext, false);
  }

  @Override
  public List<Result<Decoded>> apply(List<SourceSentence> batch) {
    List<Result<Decoded>> decoded = decode.apply(batch.stream().map(this::input).toList());
    List<Result<Decoded>> own = new ArrayList<>(decoded.size());
    for (int i = 0; i < batch.size(); i++) {
      SourceSentence sentence = batch.get(i);
      boolean added = alignsNext || sentence.leading() > 0 || sentence.targetLeading() > 0;
      own.add(
          added && decoded.get(i) instanceof Result.Value<Decoded> value
              ? Result.of(own(value.value(), sentence))
              : decoded.get(i));
    }
    return own;
  }

  private DecodeInput input(SourceSentence sentence) {
    int[] prefix = sentence.targetIds();
    int[] whole = given ? Arrays.copyOf(prefix, prefix.length + 1) : prefix;
    if (given) {
      whole[prefix.length] = Decode.END;
    }
    return new DecodeInput(sentence.ids(), whole);
  }

  private Decoded own(Decoded decoded, SourceSentence sentence) {
    int rows = sentence.targetLeading();
    int columns = sentence.leading();
    return new Decoded(
        decoded.nBest().stream().map(hypothesis -> own(hypothesis, rows, columns)).toList());
  }

  private Hypothesis own(Hypothesis whole, int rows, int columns) {
    float[][] attention = null;
    if (whole.attention() != null) {
      attention = new float[whole.attention().length - rows][];
      for (int i = 0; i < attention.length; i++) {
        int row = Math.min(rows + i + (alignsNext ? 1 : 0), whole.attention().length - 1);
        float[] weights = whole.attention()[row];
        attention[i] = Arrays.copyOfRange(weights, columns, weights.length);
      }
    }
    return new Hypothesis(
        Arrays.copyOfRange(whole.ids(), rows, whole.ids().length),
        whole.wordScores() == null
            ? null
            : Arrays.copyOfRange(whole.wordScores(), rows, whole.wordScores().length),
        whole.score(),
        whole.normalizedScore(),
        attention);
  }

  @Override
  public int inFlight() {
    return decode.inFlight();
  }

  @Override
  public void abandon() {
    decode.abandon();
  }

  @Override
  public void close() {
    decode.close();
  }
}
