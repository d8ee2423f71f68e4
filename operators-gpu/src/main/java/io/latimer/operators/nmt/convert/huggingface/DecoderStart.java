package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.JsonSettings;

/** The word that decoders begin with. */
final class DecoderStart {
  private DecoderStart() {}

  /**
   * Our id of the word.
   *
   * @param otherwise names the setting that counts if there is no {@code decoder_start_token_id}
   */
  static int of(JsonSettings config, String otherwise, int words, IdOrder ids) {
    int id = config.integer("decoder_start_token_id").or(() -> config.integer(otherwise)).orElse(0);
    if (id < 0 || id >= words) {
      throw config.refuse(
          "decoder_start_token_id is " + id + ", but only ids below vocab_size, " + words + ",");
    }
    return ids.of(id);
  }
}
