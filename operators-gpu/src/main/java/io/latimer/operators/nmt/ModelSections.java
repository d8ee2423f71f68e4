package io.latimer.operators.nmt;

/** The names of the sections of a model file. */
final class ModelSections {
  /** The version of the sections that this version of Latimer writes, and the only one it reads. */
  static final int VERSION = 1;

  static final String SETTINGS = "settings";
  static final String TEXT = "text";
  static final String SOURCE_VOCABULARY = "vocab/source";
  static final String TARGET_VOCABULARY = "vocab/target";
  static final String SOURCE_SEGMENTATION = "segmentation/source";
  static final String TARGET_SEGMENTATION = "segmentation/target";
  static final String TRUECASE = "truecase";
  static final String SHORTLIST = "shortlist";
  static final String TENSOR = "tensor/";

  private ModelSections() {}
}
