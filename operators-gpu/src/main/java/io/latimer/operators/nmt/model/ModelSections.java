package io.latimer.operators.nmt.model;

import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.TextSettings;

/** Section names of a model file. */
public final class ModelSections {
  /** The section version that this build writes, and the newest that it reads. */
  public static final int VERSION = 2;

  /** The oldest section version that this build reads. */
  public static final int OLDEST = 1;

  /**
   * The version from which on a transformer says which variant it is, and texts in which format the
   * network reads them; before, all are Marian's and plain.
   */
  static final int VARIANTS = 2;

  public static final String SETTINGS = "settings";
  public static final String TEXT = "text";
  public static final String SOURCE_VOCABULARY = "vocab/source";
  public static final String TARGET_VOCABULARY = "vocab/target";
  public static final String SOURCE_SEGMENTATION = "segmentation/source";
  public static final String TARGET_SEGMENTATION = "segmentation/target";
  public static final String TRUECASE = "truecase";
  public static final String SHORTLIST = "shortlist";
  public static final String QUALITY = "quality";
  public static final String TENSOR = "tensor/";

  private ModelSections() {}

  /** Whether files of a version say in which format a network reads sentences. */
  public static boolean haveFormat(int version) {
    return version >= VARIANTS;
  }

  /** The oldest version that can say what a model is. */
  public static int version(NetworkSettings network, TextSettings text) {
    boolean marian =
        !(network instanceof TransformerSettings transformer)
            || transformer.variant().equals(TransformerVariant.MARIAN);
    return marian && text.format().equals(SentenceFormat.PLAIN) ? OLDEST : VARIANTS;
  }
}
