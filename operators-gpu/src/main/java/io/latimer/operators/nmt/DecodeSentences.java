package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.text.SourceSentence;
import java.util.List;

/** Decodes prepared sentences by their ids. */
public final class DecodeSentences implements BatchOperator<SourceSentence, Decoded> {
  private final Decode decode;

  /**
   * Makes the operator.
   *
   * @param decode closed with this object
   */
  public DecodeSentences(Decode decode) {
    this.decode = decode;
  }

  @Override
  public List<Result<Decoded>> apply(List<SourceSentence> batch) {
    return decode.apply(batch.stream().map(SourceSentence::ids).toList());
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
