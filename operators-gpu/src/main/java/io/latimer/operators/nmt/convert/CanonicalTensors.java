package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TensorShape;
import io.latimer.operators.nmt.model.TensorSource;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The canonical tensors of a network made from another program's, each when it is asked for. Shapes
 * are compared when a tensor is named, before any is read.
 */
public final class CanonicalTensors implements TensorSource {
  /** Rows and columns that are transposed together, so that they stay in the cache. */
  private static final int TILE = 32;

  private final ShapedWeights in;
  private final NetworkSettings settings;
  private final Map<String, TensorShape> shapes;
  private final Map<String, Supplier<float[]>> made = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  /**
   * Names no tensor yet.
   *
   * @param in must stay open as long as this is used
   */
  public CanonicalTensors(ShapedWeights in, NetworkSettings settings) {
    this.in = in;
    this.settings = settings;
    this.shapes = settings.shapes();
  }

  /** A matrix as it is. */
  public void matrix(String to, String from) {
    TensorShape shape = shapes.get(to);
    require(from, shape.rows(), shape.cols());
    made.put(to, () -> values(from));
  }

  /** A matrix that is stored with its outputs as rows. */
  public void transposed(String to, String from) {
    transposed(to, from, 0, 1);
  }

  /**
   * A matrix that is stored with its outputs as rows, together with others of its shape: one after
   * the other.
   *
   * @param part its place among them, from 0
   * @param parts their number
   */
  public void transposed(String to, String from, int part, int parts) {
    TensorShape shape = shapes.get(to);
    require(from, (long) parts * shape.cols(), shape.rows());
    made.put(to, () -> transposed(part(values(from), part, parts), shape.rows(), shape.cols()));
  }

  /** Selected rows of a matrix: row i is the file's row {@code rows[i]}. */
  public void rows(String to, String from, int[] rows) {
    TensorShape shape = shapes.get(to);
    long[] found = in.shape(from);
    int last = Arrays.stream(rows).max().orElse(-1);
    if (found.length != 2 || found[0] <= last || found[1] != shape.cols()) {
      throw wrong(from, "at least " + (last + 1) + " x " + shape.cols());
    }
    used.add(from);
    made.put(to, () -> selected(values(from), rows, shape.cols()));
  }

  /** A vector. */
  public void vector(String to, String from) {
    scaled(to, from, 1);
  }

  /** A vector that is stored together with others of its length, as a transposed matrix can be. */
  public void vector(String to, String from, int part, int parts) {
    require(from, (long) parts * shapes.get(to).cols());
    made.put(to, () -> part(values(from), part, parts));
  }

  /** A vector times a factor. */
  public void scaled(String to, String from, float factor) {
    int n = shapes.get(to).cols();
    require(from, n);
    made.put(
        to,
        () -> {
          float[] values = values(from);
          for (int i = 0; factor != 1 && i < n; i++) {
            values[i] *= factor;
          }
          return values;
        });
  }

  /** Zeros, where a program has no such tensor. */
  public void zeros(String to) {
    set(to, new float[shapes.get(to).cols()]);
  }

  /** Given values of one row. */
  public void set(String to, float[] values) {
    made.put(to, values::clone);
  }

  /** Reads a vector now: one row, or one dimension. */
  public float[] vector(String from, long n) {
    long[] shape = in.shape(from);
    boolean row = shape.length == 2 && shape[0] == 1 && shape[1] == n;
    if (!row) {
      require(from, n);
    }
    used.add(from);
    return values(from);
  }

  /** Whether the file has such a tensor. */
  public boolean has(String from) {
    return in.names().contains(from);
  }

  /**
   * Ends the naming.
   *
   * @param unread names of tensors that may be there, unread
   * @throws ModelFormatException if a tensor is missing, or the file has one that is not known: it
   *     would change what the model computes
   */
  public void complete(Pattern unread) {
    for (String name : shapes.keySet()) {
      if (!made.containsKey(name)) {
        throw new ModelFormatException(in.origin() + ": no tensor for " + name);
      }
    }
    for (String name : in.names()) {
      if (!used.contains(name) && !unread.matcher(name).matches()) {
        throw new ModelFormatException(
            in.origin()
                + ": tensor "
                + name
                + " belongs to an unsupported variant, but only models without it can be read");
      }
    }
  }

  @Override
  public NetworkSettings settings() {
    return settings;
  }

  @Override
  public Tensor tensor(String name) {
    TensorShape shape = shapes.get(name);
    return new Tensor(name, shape.rows(), shape.cols(), FloatBuffer.wrap(made.get(name).get()));
  }

  private float[] values(String from) {
    Tensor tensor = in.floats(from);
    TensorShape.requireFinite(in.origin() + ": ", tensor);
    return tensor.data().array();
  }

  private static float[] transposed(float[] from, int rows, int cols) {
    float[] to = new float[from.length];
    for (int i0 = 0; i0 < rows; i0 += TILE) {
      for (int j0 = 0; j0 < cols; j0 += TILE) {
        int i1 = Math.min(rows, i0 + TILE);
        int j1 = Math.min(cols, j0 + TILE);
        for (int i = i0; i < i1; i++) {
          for (int j = j0; j < j1; j++) {
            to[i * cols + j] = from[j * rows + i];
          }
        }
      }
    }
    return to;
  }

  private static float[] part(float[] from, int part, int parts) {
    int n = from.length / parts;
    return parts == 1 ? from : Arrays.copyOfRange(from, part * n, (part + 1) * n);
  }

  private static float[] selected(float[] from, int[] rows, int cols) {
    float[] to = new float[Math.multiplyExact(rows.length, cols)];
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(from, rows[i] * cols, to, i * cols, cols);
    }
    return to;
  }

  private void require(String from, long... expected) {
    if (!in.names().contains(from)) {
      throw new ModelFormatException(
          in.origin()
              + ": tensor "
              + from
              + " is missing, expected "
              + ShapedWeights.text(expected));
    }
    if (!Arrays.equals(in.shape(from), expected)) {
      throw wrong(from, ShapedWeights.text(expected));
    }
    used.add(from);
  }

  private ModelFormatException wrong(String from, String expected) {
    return new ModelFormatException(
        in.origin()
            + ": tensor "
            + from
            + ": expected "
            + expected
            + ", found "
            + ShapedWeights.text(in.shape(from)));
  }
}
