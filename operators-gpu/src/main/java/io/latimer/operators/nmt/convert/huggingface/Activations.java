package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.model.Activation;
import java.util.Optional;

/** The activation functions by the names of Hugging Face's configurations. */
final class Activations {
  private Activations() {}

  static Activation of(JsonSettings config, Optional<String> name) {
    return switch (name.orElse("")) {
      case "relu" -> Activation.RELU;
      case "swish", "silu" -> Activation.SWISH;
      case "gelu" -> Activation.GELU_ERF;
      case "gelu_new", "gelu_pytorch_tanh" -> Activation.GELU_TANH;
      default ->
          throw config.refuse(
              "the activation is \""
                  + name.orElse("")
                  + "\", but only relu, swish (silu), gelu and gelu_new");
    };
  }
}
