package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TensorShape;
import io.latimer.operators.nmt.model.TensorSource;
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
  /** Stored rows that are transposed together, so that they stay in the cache. */
  private static final int TILE = 32;

  private final ShapedWeights in;
  private final NetworkSettings settings;
  private final Map<String, TensorShape> shapes;
  private final Map<String, Supplier<Tensor.Numbers>> made = new HashMap<>();
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
    made.put(
        to, () -> Tensor.Numbers.of(transposed(values(from), part, shape.rows(), shape.cols())));
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
    made.put(to, () -> part(values(from), part * shapes.get(to).cols()));
  }

  /** A vector times a factor. */
  public void scaled(String to, String from, float factor) {
    int n = shapes.get(to).cols();
    require(from, n);
    made.put(
        to,
        () -> {
          float[] values = read(from, n);
          for (int i = 0; factor != 1 && i < n; i++) {
            values[i] *= factor;
          }
          return Tensor.Numbers.of(values);
        });
  }

  /** Zeros, where a program has no such tensor. */
  public void zeros(String to) {
    set(to, new float[shapes.get(to).cols()]);
  }

  /** Given values of one row. */
  public void set(String to, float[] values) {
    float[] given = values.clone();
    made.put(to, () -> Tensor.Numbers.of(given));
  }

  /** Reads a vector now: one row, or one dimension. */
  public float[] vector(String from, long n) {
    long[] shape = in.shape(from);
    boolean row = shape.length == 2 && shape[0] == 1 && shape[1] == n;
    if (!row) {
      require(from, n);
    }
    used.add(from);
    return read(from, Math.toIntExact(n));
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
    return new Tensor(name, shape.rows(), shape.cols(), made.get(name).get());
  }

  /** The numbers of a tensor of the file, which are checked when they are read. */
  private Tensor.Numbers values(String from) {
    Tensor tensor = in.floats(from);
    String origin = in.origin() + ": ";
    return (at, to, offset, count) -> {
      tensor.numbers().read(at, to, offset, count);
      TensorShape.requireFinite(origin, tensor, at, to, offset, count);
    };
  }

  private float[] read(String from, int n) {
    float[] values = new float[n];
    values(from).read(0, values, 0, n);
    return values;
  }

  private static float[] transposed(Tensor.Numbers from, int part, int rows, int cols) {
    float[] to = new float[rows * cols];
    float[] tile = new float[Math.min(TILE, cols) * rows];
    for (int j0 = 0; j0 < cols; j0 += TILE) {
      int n = Math.min(TILE, cols - j0);
      from.read(part * rows * cols + j0 * rows, tile, 0, n * rows);
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) {
          to[i * cols + j0 + j] = tile[j * rows + i];
        }
      }
    }
    return to;
  }

  private static Tensor.Numbers part(Tensor.Numbers from, int start) {
    return (at, to, offset, count) -> from.read(start + at, to, offset, count);
  }

  /** Reads neighbouring rows together: most have the same order in the file. */
  private static Tensor.Numbers selected(Tensor.Numbers from, int[] rows, int cols) {
    return (at, to, offset, count) -> {
      int done = 0;
      while (done < count) {
        int row = (at + done) / cols;
        int col = (at + done) % cols;
        int n = cols - col;
        for (int i = row + 1; n < count - done && rows[i] == rows[i - 1] + 1; i++) {
          n += cols;
        }
        n = Math.min(n, count - done);
        from.read(rows[row] * cols + col, to, offset + done, n);
        done += n;
      }
    };
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
