package io.latimer.operators.nmt.convert;

/** The files' names for the tensors of a recurrent model. */
enum RnnNames {
  /** Amun, Nematus, and Marian's types amun and nematus. */
  AMUN {
    @Override
    String cell(Role role, String part) {
      if (part.startsWith("gamma")) {
        return (role.decoder ? role.marian : role.amun) + "_" + part;
      }
      if (role != Role.CELL2) {
        return role.amun
            + "_"
            + switch (part) {
              case "bxm" -> "bm";
              case "bhm" -> "bmu";
              default -> part;
            };
      }
      return switch (part) {
        case "W" -> "decoder_Wc";
        case "Wx" -> "decoder_Wcx";
        case "Wm" -> "decoder_2_Wm";
        case "bxm" -> "decoder_2_bm";
        case "Um" -> "decoder_2_Um";
        case "bhm" -> "decoder_2_bmu";
        default -> "decoder_" + part + "_nl";
      };
    }

    @Override
    String layer(Layer layer, String part) {
      if (part.equals("gamma") && layer.readout >= 0) {
        return "ff_logit_l1_gamma" + layer.readout;
      }
      return layer.amun + "_" + part;
    }
  },
  /** Marian's type s2s. */
  MARIAN {
    @Override
    String cell(Role role, String part) {
      return role.marian
          + "_"
          + switch (part) {
            case "bxm" -> "bwm";
            case "bhm" -> "bm";
            default -> part;
          };
    }

    @Override
    String layer(Layer layer, String part) {
      return layer.readout >= 0
          ? "decoder_ff_logit_l1_" + part + layer.readout
          : "decoder_" + layer.amun + "_" + part;
    }
  };

  /** The four cells with an input. */
  enum Role {
    FORWARD("encoder.forward", "encoder", "encoder_bi", false),
    BACKWARD("encoder.backward", "encoder_r", "encoder_bi_r", false),
    CELL1("decoder.cell1", "decoder", "decoder_cell1", true),
    CELL2("decoder.cell2", "decoder", "decoder_cell2", true);

    final String canonical;
    final String amun;
    final String marian;
    final boolean decoder;

    Role(String canonical, String amun, String marian, boolean decoder) {
      this.canonical = canonical;
      this.amun = amun;
      this.marian = marian;
      this.decoder = decoder;
    }
  }

  /** The layers that share a naming scheme: decoder start and the three parts of the readout. */
  enum Layer {
    START("start", "ff_state", -1),
    PREVIOUS("readout.previous", "ff_logit_prev", 0),
    STATE("readout.state", "ff_logit_lstm", 1),
    CONTEXT("readout.context", "ff_logit_ctx", 2);

    final String canonical;
    final String amun;

    /** Marian's number of a part of the readout, or -1. */
    final int readout;

    Layer(String canonical, String amun, int readout) {
      this.canonical = canonical;
      this.amun = amun;
      this.readout = readout;
    }
  }

  /**
   * The name of a part of a cell.
   *
   * @param part W, U, b; Wx, Ux, bx (candidate); Wm, bxm, Um, bhm (multiplicative part, biases of
   *     the product with x and with h); gamma1, gamma2, gamma1m, gamma2m
   */
  abstract String cell(Role role, String part);

  /**
   * The name of a part of a layer.
   *
   * @param part W, b, gamma
   */
  abstract String layer(Layer layer, String part);
}
