package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.ShapedWeights;

/**
 * The tensors that hold the embeddings of a model's two sides. Files may have one for both, one for
 * each, or copies of the same under several names.
 *
 * @param source of the encoder
 * @param target of the decoder; the same tensor if both sides share it
 */
record Embeddings(String source, String target) {

  /**
   * Finds them.
   *
   * @param prefix of the names
   * @param tied whether the configuration says that both are one
   */
  static Embeddings of(ShapedWeights in, String prefix, boolean tied) {
    String shared = prefix + "shared.weight";
    String source = prefix + "encoder.embed_tokens.weight";
    String target = prefix + "decoder.embed_tokens.weight";
    boolean hasShared = in.names().contains(shared);
    if (tied && hasShared) {
      return new Embeddings(shared, shared);
    }
    String first = in.names().contains(source) || !hasShared ? source : shared;
    String second = in.names().contains(target) ? target : hasShared ? shared : first;
    boolean same = first.equals(second) || tied || in.isEqual(first, second);
    return new Embeddings(first, same ? first : second);
  }

  boolean areShared() {
    return source.equals(target);
  }
}
