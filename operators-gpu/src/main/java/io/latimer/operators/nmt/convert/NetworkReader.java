package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import java.util.Optional;

/** Reads networks in the names of the programs that trained them. */
public final class NetworkReader {
  private NetworkReader() {}

  /**
   * Reads a network in Amun's, Nematus' or Marian's names.
   *
   * @param cells the cells that Amun's configuration names, if there is one; they are checked
   *     against what the tensors show
   * @throws ModelFormatException if tensors are missing, misshapen or not finite, if settings and
   *     tensors disagree, or if the model is of a kind that is not supported
   */
  public static Network read(WeightSource source, Optional<AmunCells> cells) {
    if (!TransformerConverter.recognizes(source)) {
      return new RnnConverter(source, cells).convert();
    }
    if (cells.isPresent() && cells.get().namesAny()) {
      throw new ModelFormatException(
          source.origin()
              + " is a transformer model, and Amun's configuration names recurrent cells for it;"
              + " expected no such names");
    }
    return new TransformerConverter(source).convert();
  }
}
