package io.latimer.operators.nmt.gpu;

/**
 * Ranges for tokens and attention, shared by sentences of similar length that joined together. They
 * are freed when the last of these has left.
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
