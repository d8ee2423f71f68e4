package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.model.ModelFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a model says beside its weights: in {@code config.json} from binary version 6 on, before in
 * scalars of {@code model.bin}.
 *
 * <p>Source: OpenNMT/CTranslate2, src/models/sequence_to_sequence.cc.
 *
 * @param origin names the model in messages
 * @param unknown the token of unknown words
 * @param begin the token of a sentence's begin
 * @param end the token of a sentence's end
 * @param start the decoder's first token; empty if each text gives its own
 * @param addsSourceBegin whether sources begin with {@code begin}
 * @param addsSourceEnd whether sources end with {@code end}
 * @param epsilon what normalization adds; empty if it is the default
 */
public record Ctranslate2Settings(
    String origin,
    String unknown,
    String begin,
    String end,
    Optional<String> start,
    boolean addsSourceBegin,
    boolean addsSourceEnd,
    OptionalDouble epsilon) {
  private static final String UNKNOWN = "<unk>";
  private static final String BLANK = "<blank>";
  private static final String BEGIN = "<s>";
  private static final String END = "</s>";

  /** From this version on, config.json says it. */
  private static final int WITH_CONFIG = 6;

  /**
   * Reads them.
   *
   * @param config of {@code config.json}, if there is one
   * @throws ModelFormatException if they are not sound, or of a model that cannot be read
   */
  public static Ctranslate2Settings of(Ctranslate2File in, Optional<JsonSettings> config) {
    OptionalDouble epsilon = OptionalDouble.empty();
    if (config.isPresent()) {
      JsonSettings json = config.get();
      if (json.integer("quantization_type").orElse(0) != 0) {
        throw json.refuse("the weights are quantized by AWQ, but only int8 and int16 weights");
      }
      Optional<Double> given = json.number("layer_norm_epsilon");
      epsilon = given.map(OptionalDouble::of).orElse(epsilon);
    }
    if (in.version() < WITH_CONFIG) {
      String begin = in.text("bos_token").orElse(BEGIN);
      String end = in.text("eos_token").orElse(END);
      String start = flag(in, "with_target_bos", true) ? begin : end;
      return new Ctranslate2Settings(
          in.origin(),
          in.text("unk_token").orElse(UNKNOWN),
          begin,
          end,
          flag(in, "user_decoder_start_tokens", false) ? Optional.empty() : Optional.of(start),
          flag(in, "with_source_bos", false),
          flag(in, "with_source_eos", false),
          epsilon);
    }
    if (config.isEmpty()) {
      return new Ctranslate2Settings(
          in.origin(), UNKNOWN, BEGIN, END, Optional.of(BEGIN), false, false, epsilon);
    }
    JsonSettings json = config.get();
    return new Ctranslate2Settings(
        in.origin(),
        json.string("unk_token").orElse(UNKNOWN),
        json.string("bos_token").orElse(BEGIN),
        json.string("eos_token").orElse(END),
        json.string("decoder_start_token"),
        json.flag("add_source_bos"),
        json.flag("add_source_eos"),
        epsilon);
  }

  private static boolean flag(Ctranslate2File in, String name, boolean ifAbsent) {
    return in.number(name).orElse(ifAbsent ? 1 : 0) != 0;
  }

  /**
   * A vocabulary as the program has it: where its file lists no unknown word, that is the last.
   *
   * @param listed the file's tokens
   * @param rows of its embeddings
   * @throws ModelFormatException if it has not one token a row
   */
  List<String> words(List<String> listed, int rows) {
    List<String> words = new ArrayList<>(listed);
    if (listed.size() == rows - 1 && !listed.contains(unknown)) {
      words.add(unknown);
    }
    if (words.size() != rows) {
      throw new ModelFormatException(
          origin + ": expected a vocabulary of " + rows + " tokens, found " + listed.size());
    }
    return words;
  }

  /**
   * The ids of a vocabulary in Latimer's order. Where it has no unknown word, the blank one serves.
   *
   * @throws ModelFormatException if it lacks the end of a sentence, or both others
   */
  IdOrder order(List<String> words) {
    int endId = id(words, end);
    int found = words.indexOf(unknown);
    int unknownId = found >= 0 ? found : id(words, BLANK);
    if (endId == unknownId) {
      throw new ModelFormatException(
          origin + ": expected a token for unknown words beside " + end + ", found the same");
    }
    return IdOrder.of(words.size(), endId, unknownId);
  }

  /** The id of a token. */
  int id(List<String> words, String token) {
    int id = words.indexOf(token);
    if (id < 0) {
      throw new ModelFormatException(
          origin + ": expected the token " + token + " in the vocabulary of " + words.size());
    }
    return id;
  }
}
