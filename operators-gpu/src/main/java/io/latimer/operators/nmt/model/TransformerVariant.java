package io.latimer.operators.nmt.model;

import java.util.Objects;

/**
 * What distinguishes the transformers of other programs, and how these search with them, from
 * Marian's; {@link TransformerSettings} gives the equations.
 *
 * @param positions how the model knows where a word stands
 * @param firstPosition number of a sentence's first word, 0 to 1,024: 0 unless sinusoidal
 * @param positionRows rows of the tables of trained positions; 0 if and only if there are none
 * @param relativeBuckets number of distances that relative positions tell apart: even, 4 to 1,024;
 *     0 if there are none
 * @param relativeDistance distance from which on all are one: above half of the buckets, at most
 *     65,536; 0 if there are none
 * @param scalesEmbeddings whether embeddings are multiplied by the square root of the width
 * @param normalizesEmbeddings whether the sums of embeddings and positions are normalized
 * @param rootMeanSquare whether normalization only divides by the root mean square (RMSNorm)
 * @param epsilon what normalization adds to the variance or the mean square: 0 to 0.1
 * @param gatedFeedForward whether the inner layer of feed-forward networks is gated
 * @param middleLayers activated layers between the inner and the outer one of feed-forward
 *     networks: 0 to 8
 * @param scalesAttention whether attention divides by the square root of the head's width
 * @param headWidth columns of a head; 0: the width divided by the number of heads
 * @param start the decoder's first input, a target id; -1: an embedding of zeros
 * @param alignmentHeads number of heads, from the first, whose attention to the source is averaged
 *     for the alignment: at least 1
 * @param alignsNext whether the alignment of a word is the attention of the step after the one that
 *     chose it, in which it is the input (Chen et al. 2020, "Accurate Word Alignment Induction from
 *     Neural Machine Translation", Shift-Att)
 * @param search how its authors search with it
 */
public record TransformerVariant(
    Positions positions,
    int firstPosition,
    int positionRows,
    int relativeBuckets,
    int relativeDistance,
    boolean scalesEmbeddings,
    boolean normalizesEmbeddings,
    boolean rootMeanSquare,
    double epsilon,
    boolean gatedFeedForward,
    int middleLayers,
    boolean scalesAttention,
    int headWidth,
    int start,
    int alignmentHeads,
    boolean alignsNext,
    SearchSettings search) {

  /** {@link #start} of models that begin with an embedding of zeros. */
  public static final int NO_START = -1;

  /** Marian's transformers. */
  public static final TransformerVariant MARIAN =
      new TransformerVariant(
          Positions.SINUSOIDAL,
          0,
          0,
          0,
          0,
          true,
          false,
          false,
          1e-6,
          false,
          0,
          true,
          0,
          NO_START,
          1,
          false,
          SearchSettings.MARIAN);

  /** The maximum of {@link #middleLayers}. */
  public static final int MAX_MIDDLE = 8;

  private static final int MAX_FIRST = 1 << 10;
  private static final int MAX_BUCKETS = 1 << 10;
  private static final int MAX_DISTANCE = 1 << 16;

  public TransformerVariant {
    Objects.requireNonNull(positions, "positions");
    Objects.requireNonNull(search, "search");
    boolean sinusoidal = positions == Positions.SINUSOIDAL;
    boolean learned = positions == Positions.LEARNED;
    boolean relative = positions == Positions.RELATIVE;
    SettingRange.require("firstPosition", firstPosition, 0, sinusoidal ? MAX_FIRST : 0);
    SettingRange.require(
        "positionRows", positionRows, learned ? 1 : 0, learned ? SettingRange.MAX_WIDTH : 0);
    SettingRange.require(
        "relativeBuckets", relativeBuckets, relative ? 4 : 0, relative ? MAX_BUCKETS : 0);
    if (relativeBuckets % 2 != 0) {
      throw new ModelFormatException(
          "model setting relativeBuckets must be even, found " + relativeBuckets);
    }
    SettingRange.require(
        "relativeDistance",
        relativeDistance,
        relative ? relativeBuckets / 2 + 1 : 0,
        relative ? MAX_DISTANCE : 0);
    if (!(epsilon >= 0 && epsilon <= 0.1)) {
      throw new ModelFormatException(
          "model setting epsilon must be from 0 to 0.1, found " + epsilon);
    }
    SettingRange.require("middleLayers", middleLayers, 0, MAX_MIDDLE);
    SettingRange.require("headWidth", headWidth, 0, SettingRange.MAX_WIDTH);
    SettingRange.require("start", start, NO_START, SettingRange.MAX_WIDTH);
    SettingRange.require("alignmentHeads", alignmentHeads, 1, SettingRange.MAX_WIDTH);
  }
}
