package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.CellKind;
import java.util.Objects;
import java.util.Optional;

/**
 * The recurrent cells that Amun's configuration names. Cells that it does not name are inferred
 * from the tensors; Amun itself assumes {@code gru} and misreads the weights of an LSTM.
 *
 * @param forward {@code enc-cell}
 * @param backward {@code enc-cell-r}
 * @param decoder1 {@code dec-cell}
 * @param decoder2 {@code dec-cell-2}
 */
public record AmunCells(
    Optional<CellKind> forward,
    Optional<CellKind> backward,
    Optional<CellKind> decoder1,
    Optional<CellKind> decoder2) {
  public AmunCells {
    Objects.requireNonNull(forward, "forward");
    Objects.requireNonNull(backward, "backward");
    Objects.requireNonNull(decoder1, "decoder1");
    Objects.requireNonNull(decoder2, "decoder2");
  }

  /**
   * Reads the cell names of a configuration.
   *
   * @param origin names the configuration in messages
   * @param encCell each may be null, if the key is absent
   */
  public static AmunCells parse(
      String origin, String encCell, String encCellR, String decCell, String decCell2) {
    return new AmunCells(
        cell(origin, "enc-cell", encCell),
        cell(origin, "enc-cell-r", encCellR),
        cell(origin, "dec-cell", decCell),
        cell(origin, "dec-cell-2", decCell2));
  }

  /** Whether any cell is named. */
  public boolean namesAny() {
    return forward.isPresent()
        || backward.isPresent()
        || decoder1.isPresent()
        || decoder2.isPresent();
  }

  private static Optional<CellKind> cell(String origin, String key, String name) {
    return name == null ? Optional.empty() : Optional.of(CellKind.parse(origin, key, name));
  }
}
