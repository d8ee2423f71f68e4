package io.latimer.operators.nmt.convert.ctranslate2;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A kind of transformer that no network here computes, by names that only such models have.
 *
 * @param names of variables; scalars count if they are not zero
 * @param what they make of a model
 */
record UnsupportedVariant(Pattern names, String what) {
  private static final List<UnsupportedVariant> ALL =
      List.of(
          UnsupportedVariant.of("rotary_\\w+", "has rotary positions"),
          UnsupportedVariant.of("multi_query(_attention)?", "has multi-query attention"),
          UnsupportedVariant.of("sliding_window", "attends to a sliding window"),
          UnsupportedVariant.of("(experts|experts_\\d+|moe|router)/.*", "is a mixture of experts"),
          UnsupportedVariant.of("weight_zero", "has weights quantized by AWQ"),
          UnsupportedVariant.of("alibi", "has linear biases of attention (ALiBi)"),
          UnsupportedVariant.of(
              "relative_(asymmetric_)?position_(keys|values)",
              "has relative positions in keys and values"),
          UnsupportedVariant.of("[qkv]_norm/.*", "normalizes queries, keys or values"),
          UnsupportedVariant.of(
              "(\\w+_)?(input|shared|post_attention|(pre|post)_feedforward)_layer_norm/.*",
              "has parallel or doubly normalized layers"),
          UnsupportedVariant.of(
              "layer_norm_use_residual", "adds one to the gains of normalization"),
          UnsupportedVariant.of("project_(in|out)/.*", "has embeddings of a width of their own"),
          UnsupportedVariant.of("embeddings_[1-9]\\d*/.*", "reads several features a word"));

  private static UnsupportedVariant of(String names, String what) {
    return new UnsupportedVariant(Pattern.compile("(.*/)?(" + names + ")"), what);
  }

  /** What such a variant makes of a model, and the variable that shows it; empty if none does. */
  static Optional<String> find(Ctranslate2File in) {
    for (String name : in.names()) {
      for (UnsupportedVariant variant : ALL) {
        if (variant.names.matcher(name).matches()
            && (in.shape(name).length > 0 || in.number(name).orElseThrow() != 0)) {
          return Optional.of(variant.what + " (" + name + ")");
        }
      }
    }
    return Optional.empty();
  }
}
