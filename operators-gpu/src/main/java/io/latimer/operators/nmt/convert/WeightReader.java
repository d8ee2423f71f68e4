package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TensorShape;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Takes tensors from a file by name; checks shapes and that all numbers are finite. */
final class WeightReader {
  /** Multipliers of activations, with which 8-bit products are faster: no weights. */
  private static final String ACTIVATIONS = "_QuantMultA";

  private final WeightSource source;
  private final Set<String> names;
  private final Set<String> used = new HashSet<>();

  WeightReader(WeightSource source) {
    this.source = source;
    this.names = source.names();
  }

  String origin() {
    return source.origin();
  }

  Set<String> names() {
    return names;
  }

  boolean has(String name) {
    return names.contains(name);
  }

  /** The error for a tensor that a model has, but cannot be read. */
  ModelFormatException refuse(String name, String what) {
    return new ModelFormatException(origin() + ": tensor " + name + " " + what + " can be read");
  }

  /** Requires that all tensors with such a name are read: others belong to another variant. */
  void requireRead(Pattern meant) {
    for (String name : names) {
      if (!used.contains(name) && !name.endsWith(ACTIVATIONS) && meant.matcher(name).matches()) {
        throw refuse(name, "belongs to an unsupported variant, but only models without it");
      }
    }
  }

  ModelFormatException missing(String name, String expected) {
    return new ModelFormatException(
        origin() + ": tensor " + name + " is missing, expected " + expected);
  }

  /** Reads a tensor of any shape. */
  Tensor any(String name, String expected) {
    if (!has(name)) {
      throw missing(name, expected);
    }
    Tensor tensor = source.floats(name);
    used.add(name);
    TensorShape.requireFinite(origin() + ": ", tensor);
    return tensor;
  }

  /** Reads a matrix of this shape. */
  float[] matrix(String name, int rows, int cols) {
    String expected = rows + " x " + cols;
    Tensor tensor = any(name, expected);
    if (tensor.rows() != rows || tensor.cols() != cols) {
      throw shape(tensor, expected);
    }
    return tensor.floats();
  }

  /** Reads a matrix of cols x rows and transposes it to this shape. */
  float[] transposed(String name, int rows, int cols) {
    float[] w = matrix(name, cols, rows);
    float[] t = new float[w.length];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        t[i * cols + j] = w[j * rows + i];
      }
    }
    return t;
  }

  /** Reads a vector, stored as a row or as a column. */
  float[] vector(String name, int n) {
    String expected = "1 x " + n;
    Tensor tensor = any(name, expected);
    boolean row = tensor.rows() == 1 && tensor.cols() == n;
    boolean column = tensor.rows() == n && tensor.cols() == 1;
    if (!row && !column) {
      throw shape(tensor, expected);
    }
    return tensor.floats();
  }

  ModelFormatException shape(Tensor tensor, String expected) {
    return new ModelFormatException(
        String.format(
            Locale.ROOT,
            "%s: tensor %s: expected %s, found %s",
            origin(),
            tensor.name(),
            expected,
            tensor.shape()));
  }
}
