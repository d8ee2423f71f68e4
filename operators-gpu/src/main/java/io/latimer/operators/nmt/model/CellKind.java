package io.latimer.operators.nmt.model;

import java.util.Locale;

/** The kinds of recurrent cell; {@link RnnSettings} gives their equations. */
public enum CellKind {
  /** Gated recurrent unit; gate blocks in the order reset, update, candidate. */
  GRU(3),
  /** Long short-term memory; gate blocks in the order forget, input, output, candidate. */
  LSTM(4),
  /** Multiplicative LSTM: an LSTM whose recurrent input is {@code m = (h·Um) * (x·Wm)}. */
  MLSTM(4);

  private final int blocks;

  CellKind(int blocks) {
    this.blocks = blocks;
  }

  /** The number of H-wide column blocks in W and U. */
  public int blocks() {
    return blocks;
  }

  /** Whether the cell carries a second state, c. */
  public boolean hasCellState() {
    return this != GRU;
  }

  /**
   * Reads a cell's name in Amun's or Marian's settings.
   *
   * @param key the setting's name, for the message
   */
  public static CellKind parse(String origin, String key, String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "gru", "gru-nematus" -> GRU;
      case "lstm" -> LSTM;
      case "mlstm" -> MLSTM;
      default ->
          throw new ModelFormatException(
              origin
                  + ": "
                  + key
                  + " is \""
                  + name
                  + "\"; supported cells are gru, gru-nematus, lstm and mlstm");
    };
  }
}
