package io.latimer.operators.nmt.gpu;

/**
 * Places for tokens and attention that sentences of like length which joined together share. They
 * are given back as one, when the last of them has left.
 */
final class SentenceBlock {
  final long firstToken;
  final long tokens;
  final long firstWeight;
  final long weights;
  int sentences;

  SentenceBlock(long firstToken, long tokens, long firstWeight, long weights, int sentences) {
    this.firstToken = firstToken;
    this.tokens = tokens;
    this.firstWeight = firstWeight;
    this.weights = weights;
    this.sentences = sentences;
  }
}
