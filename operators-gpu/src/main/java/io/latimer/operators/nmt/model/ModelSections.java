package io.latimer.operators.nmt.model;

/** Section names of a model file. */
public final class ModelSections {
  /** The section version that this build writes, and the newest that it reads. */
  public static final int VERSION = 2;

  /** The oldest section version that this build reads. */
  public static final int OLDEST = 1;

  /** The version from which on a transformer says which variant it is; before, all are Marian's. */
  static final int VARIANTS = 2;

  public static final String SETTINGS = "settings";
  public static final String TEXT = "text";
  public static final String SOURCE_VOCABULARY = "vocab/source";
  public static final String TARGET_VOCABULARY = "vocab/target";
  public static final String SOURCE_SEGMENTATION = "segmentation/source";
  public static final String TARGET_SEGMENTATION = "segmentation/target";
  public static final String TRUECASE = "truecase";
  public static final String SHORTLIST = "shortlist";
  public static final String TENSOR = "tensor/";

  private ModelSections() {}
}
