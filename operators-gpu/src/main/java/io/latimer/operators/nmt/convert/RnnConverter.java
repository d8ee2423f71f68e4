package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.convert.RnnNames.Layer;
import io.latimer.operators.nmt.convert.RnnNames.Role;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Converts a model with Amun's, Nematus' or Marian's names and conventions to canonical form.
 *
 * <p>The tensors determine the kind of model; accompanying settings must agree with them, because a
 * wrong flag would give fluent garbage instead of an error.
 */
final class RnnConverter {
  private static final Pattern STACKED =
      Pattern.compile(
          "(encoder|decoder)(_bi)?(_r)?_l\\d+_.*|(encoder|decoder)(_r)?_[2-9]_(?!(Wm|bm|Um|bmu)$).*");
  private static final Pattern STRUCTURAL =
      Pattern.compile(
          "(encoder|decoder|ff)_.*(_drt_\\d.*|gamma.*|_lns|_lnb|_ln_s|_ln_b|_cell\\d+_.*)");

  private final WeightReader in;
  private final Optional<AmunCells> cells;
  private final Optional<MarianSettings> marian;
  private final Map<String, Tensor> out = new LinkedHashMap<>();

  RnnConverter(WeightSource source, Optional<AmunCells> cells) {
    this.in = new WeightReader(source);
    this.cells = cells;
    this.marian =
        source.text(MarianSettings.ENTRY).map(t -> MarianSettings.parse(source.origin(), t));
  }

  Network convert() {
    marian.ifPresent(MarianSettings::requireRecurrent);
    requireRecurrent();
    boolean s2s = in.has("encoder_Wemb") || in.has("encoder_bi_W");
    RnnNames names = s2s ? RnnNames.MARIAN : RnnNames.AMUN;

    String sourceName = in.has("Wemb") || !s2s ? "Wemb" : "encoder_Wemb";
    Tensor source = in.any(sourceName, "source words x embedding");
    put("source.embedding", source.rows(), source.cols(), source);
    String targetName =
        in.has("Wemb_dec") ? "Wemb_dec" : in.has("decoder_Wemb") ? "decoder_Wemb" : sourceName;
    boolean shared = targetName.equals("Wemb");
    if (!shared && targetName.equals(sourceName)) {
      throw in.missing("decoder_Wemb", "target words x embedding");
    }
    int e = source.cols();
    int v = source.rows();
    if (!shared) {
      Tensor target = in.any(targetName, "target words x " + e);
      v = target.rows();
      if (target.cols() != e) {
        throw in.shape(target, v + " x " + e);
      }
      put("target.embedding", v, e, target);
    }
    int h = stateWidth(names);
    RnnCellConverter converter = new RnnCellConverter(in, names, normalization(names), h, out);
    CellKind forward = cell(converter, Role.FORWARD, e);
    CellKind backward = cell(converter, Role.BACKWARD, e);
    CellKind cell1 = cell(converter, Role.CELL1, e);
    CellKind cell2 = cell(converter, Role.CELL2, 2 * h);
    int encoderTransitions = converter.transitions("encoder", "_drt_", "encoder.forward", false);
    int backwardTransitions =
        converter.transitions("encoder_r", "_drt_", "encoder.backward", false);
    if (backwardTransitions != encoderTransitions) {
      throw new ModelFormatException(
          in.origin()
              + ": the forward encoder has "
              + encoderTransitions
              + " transition cells (encoder_U_drt_N), the backward encoder "
              + backwardTransitions
              + "; expected equal numbers");
    }
    int decoderTransitions = converter.transitions("decoder", "_nl_drt_", "decoder", true);

    converter.layer(Layer.START, 2 * h, h);
    int attention = converter.attention();
    converter.layer(Layer.STATE, h, e);
    converter.layer(Layer.PREVIOUS, e, e);
    converter.layer(Layer.CONTEXT, 2 * h, e);
    boolean tied = output(names, v, e);

    RnnSettings settings =
        new RnnSettings(
            source.rows(),
            v,
            e,
            h,
            attention,
            forward,
            backward,
            encoderTransitions,
            cell1,
            cell2,
            decoderTransitions,
            converter.normalization(),
            s2s,
            shared,
            tied);
    requireAgreement(settings);
    in.requireRead(STRUCTURAL);
    return Network.of(settings, out);
  }

  private void put(String canonical, int rows, int cols, Tensor tensor) {
    out.put(canonical, new Tensor(canonical, rows, cols, tensor.numbers()));
  }

  private void requireRecurrent() {
    for (String name : in.names()) {
      if (TransformerConverter.isLayer(name)) {
        throw in.refuse(name, "belongs to a transformer, but only recurrent models");
      }
      if (STACKED.matcher(name).matches()) {
        throw in.refuse(name, "belongs to a second stacked layer, but only models with one layer");
      }
      if (name.matches("(encoder_)?Wemb[1-9]\\d*")) {
        throw in.refuse(
            name, "is the embedding of a source factor, but only models without factors");
      }
    }
  }

  private int stateWidth(RnnNames names) {
    Optional<Integer> set = marian.flatMap(m -> m.integer("dim-rnn"));
    if (set.isPresent() && set.get() > 0) {
      return set.get();
    }
    return in.any(names.cell(Role.FORWARD, "U"), "state x gates").rows();
  }

  private LayerNormalization normalization(RnnNames names) {
    boolean joint = in.has(names.cell(Role.FORWARD, "gamma1"));
    boolean separate = in.has(names.cell(Role.FORWARD, "W") + "_lns");
    if (joint && separate) {
      throw new ModelFormatException(
          in.origin() + " holds layer normalization in Amun's and in Nematus' names; expected one");
    }
    boolean found = joint || separate;
    Optional<Boolean> set = marian.flatMap(m -> m.flag("layer-normalization"));
    if (set.isPresent() && set.get() != found) {
      throw disagree(
          "layer-normalization is " + set.get(),
          (found ? "tensor " : "no tensor ") + names.cell(Role.FORWARD, separate ? "W" : "gamma1"));
    }
    return joint
        ? LayerNormalization.JOINT
        : separate ? LayerNormalization.SEPARATE : LayerNormalization.NONE;
  }

  private CellKind cell(RnnCellConverter converter, Role role, int input) {
    CellKind found = converter.kind(role);
    String key = role.decoder ? "dec-cell" : "enc-cell";
    Optional<MarianSettings> settings = marian;
    if (settings.isPresent()) {
      Optional<String> name = settings.get().string(key);
      if (name.isPresent()) {
        CellKind set = CellKind.parse(settings.get().origin(), key, name.get());
        if (set != found) {
          throw disagree(key + " is " + name.get(), role.canonical + " is a " + found);
        }
      }
    }
    cells
        .flatMap(
            c ->
                switch (role) {
                  case FORWARD -> c.forward();
                  case BACKWARD -> c.backward();
                  case CELL1 -> c.decoder1();
                  case CELL2 -> c.decoder2();
                })
        .filter(set -> set != found)
        .ifPresent(
            set -> {
              throw new ModelFormatException(
                  in.origin()
                      + ": Amun's configuration says that "
                      + role.canonical
                      + " is a "
                      + set
                      + ", its tensors are those of a "
                      + found);
            });
    converter.cell(role, found, input);
    return found;
  }

  /** Finds the output matrix and bias; returns whether the matrix is the target embedding. */
  private boolean output(RnnNames names, int v, int e) {
    boolean tied = false;
    if (in.has("ff_logit_W")) {
      putTransposed("ff_logit_W", v, e);
    } else if (in.has("decoder_ff_logit_l2_W")) {
      putTransposed("decoder_ff_logit_l2_W", v, e);
    } else if (in.has("decoder_ff_logit_l2_Wt")) {
      out.put("output.Wt", Tensor.of("output.Wt", v, e, in.matrix("decoder_ff_logit_l2_Wt", v, e)));
    } else {
      boolean untied =
          marian
              .filter(m -> m.flag("tied-embeddings").isPresent())
              .filter(m -> !m.isSet("tied-embeddings") && !m.isSet("tied-embeddings-all"))
              .isPresent();
      if (untied) {
        throw in.missing(
            "decoder_ff_logit_l2_Wt", v + " x " + e + " (the settings say that it is not tied)");
      }
      tied = true;
    }
    String bias =
        names == RnnNames.MARIAN || (!in.has("ff_logit_b") && in.has("decoder_ff_logit_l2_b"))
            ? "decoder_ff_logit_l2_b"
            : "ff_logit_b";
    boolean omitted = !in.has(bias) && marian.filter(m -> m.isSet("output-omit-bias")).isPresent();
    float[] values = omitted ? new float[v] : in.vector(bias, v);
    out.put("output.bias", Tensor.of("output.bias", 1, v, values));
    return tied;
  }

  private void putTransposed(String name, int v, int e) {
    out.put("output.Wt", Tensor.of("output.Wt", v, e, in.transposed(name, v, e)));
  }

  private void requireAgreement(RnnSettings s) {
    if (marian.isEmpty()) {
      return;
    }
    MarianSettings m = marian.get();
    m.requireAgreement("dim-emb", m.integer("dim-emb"), s.embedding());
    m.requireAgreement("enc-cell-depth", m.integer("enc-cell-depth"), s.encoderTransitions() + 1);
    m.requireAgreement(
        "dec-cell-base-depth", m.integer("dec-cell-base-depth"), s.decoderTransitions() + 2);
    m.requireVocabularies(s.sourceVocabulary(), s.targetVocabulary());
  }

  private ModelFormatException disagree(String setting, String found) {
    return new ModelFormatException(
        in.origin()
            + ": "
            + MarianSettings.ENTRY
            + " says that "
            + setting
            + ", but the file holds "
            + found);
  }
}
