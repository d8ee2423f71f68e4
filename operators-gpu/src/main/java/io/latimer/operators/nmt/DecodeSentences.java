package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.text.SourceSentence;
import java.util.List;

/**
 * Decodes prepared sentences by their ids.
 *
 * @param decode closed with this object
 */
public record DecodeSentences(Decode decode) implements BatchOperator<SourceSentence, Decoded> {
  @Override
  public List<Result<Decoded>> apply(List<SourceSentence> batch) {
    return decode.decode(batch.stream().map(SourceSentence::ids).toList());
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
