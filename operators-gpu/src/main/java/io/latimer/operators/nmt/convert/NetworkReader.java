package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import java.util.Optional;

/** Reads networks that use the tensor names of other programs. */
public final class NetworkReader {
  private NetworkReader() {}

  /**
   * Reads a network with Amun's, Nematus' or Marian's tensor names.
   *
   * @param cells the cells named by Amun's configuration, if any; checked against the tensors
   * @throws ModelFormatException if tensors are missing, misshapen or not finite, if settings
   *     contradict tensors, or if the kind of model is not supported
   */
  public static Network read(WeightSource source, Optional<AmunCells> cells) {
    if (!TransformerConverter.recognizes(source)) {
      return new RnnConverter(source, cells).convert();
    }
    if (cells.isPresent() && cells.get().namesAny()) {
      throw new ModelFormatException(
          source.origin()
              + " is a transformer model, but Amun's configuration names recurrent cells for it;"
              + " expected no such names");
    }
    return new TransformerConverter(source).convert();
  }
}
