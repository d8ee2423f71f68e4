package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.JsonSettings;

/** The kinds of Hugging Face's models that can be read. */
enum Family {
  MARIAN,
  M2M100,
  MBART,
  T5;

  /** The family that a configuration names. */
  static Family of(JsonSettings config) {
    String type = config.string("model_type").orElse("");
    return switch (type) {
      case "marian" -> MARIAN;
      case "m2m_100" -> M2M100;
      case "mbart" -> MBART;
      case "t5", "mt5" -> T5;
      case "nllb-moe" ->
          throw config.refuse(
              "the model is a mixture of experts (nllb-moe), but only dense models");
      default ->
          throw config.refuse(
              "model_type is \"" + type + "\", but only marian, m2m_100, mbart, t5 and mt5");
    };
  }
}
