package io.latimer.operators.nmt.model;

import io.latimer.operators.nmt.convert.AmunCells;
import io.latimer.operators.nmt.convert.TransformerConverter;
import io.latimer.operators.nmt.convert.WeightSource;
import java.util.Map;
import java.util.Optional;

/**
 * A translation network in canonical form: its settings and its weights under one set of names,
 * whatever program wrote them. Immutable; may be shared by threads.
 */
public sealed interface Network permits RnnModel, TransformerModel {

  /** The network's shape and kind. */
  NetworkSettings settings();

  /** Returns the canonical tensors in a fixed order, by name. */
  Map<String, Tensor> tensors();

  /** Which words a sentence may say; empty if it may say all. */
  Optional<Shortlist> shortlist();

  /**
   * The same network, whose sentences may only say what a shortlist has for them.
   *
   * @throws ModelFormatException if it is made for vocabularies of other sizes
   */
  Network withShortlist(Shortlist shortlist);

  /** Rows of the source embedding: source ids are below it. */
  default int sourceVocabulary() {
    return settings().sourceVocabulary();
  }

  /** Rows of the target embedding: target ids are below it. */
  default int targetVocabulary() {
    return settings().targetVocabulary();
  }

  /** Returns a tensor that the settings say exists. */
  default Tensor tensor(String name) {
    Tensor tensor = tensors().get(name);
    if (tensor == null) {
      throw new IllegalArgumentException("no tensor " + name + " in a model of these settings");
    }
    return tensor;
  }

  /** Returns a tensor of one row that the settings say exists. */
  default float[] vector(String name) {
    Tensor tensor = tensor(name);
    float[] values = new float[tensor.cols()];
    tensor.data().get(0, values);
    return values;
  }

  /** Returns the target embedding, whether it is shared or not. */
  default Tensor targetEmbedding() {
    return tensor(settings().sharesEmbeddings() ? "source.embedding" : "target.embedding");
  }

  /** Returns the output matrix, one row a word, whether it is tied or not. */
  default Tensor output() {
    return settings().tiesOutput() ? targetEmbedding() : tensor("output.Wt");
  }

  /**
   * Reads a network in Amun's, Nematus' or Marian's names.
   *
   * @param cells the cells that Amun's configuration names, if there is one; they are checked
   *     against what the tensors show
   * @throws ModelFormatException if tensors are missing, misshapen or not finite, if settings and
   *     tensors disagree, or if the model is of a kind that is not supported
   */
  static Network from(WeightSource source, Optional<AmunCells> cells) {
    if (!TransformerConverter.recognizes(source)) {
      return RnnModel.from(source, cells);
    }
    if (cells.isPresent() && cells.get().namesAny()) {
      throw new ModelFormatException(
          source.origin()
              + " is a transformer model, and Amun's configuration names recurrent cells for it;"
              + " expected no such names");
    }
    return TransformerModel.from(source);
  }

  /**
   * Makes a network of canonical tensors; see {@link RnnModel#of} and {@link TransformerModel#of}.
   */
  static Network of(NetworkSettings settings, Map<String, Tensor> tensors) {
    return settings instanceof RnnSettings rnn
        ? RnnModel.of(rnn, tensors)
        : TransformerModel.of((TransformerSettings) settings, tensors);
  }
}
