package io.latimer.operators.nmt.model;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;

/**
 * A named matrix of numbers, which are read as 32-bit floats, wherever and however they are stored.
 *
 * @param name the tensor's name in its file
 * @param rows number of rows, 0 or more; a vector of n numbers has one row and n columns, a scalar
 *     one row and one column
 * @param cols number of columns, 0 or more; {@code rows * cols} is below 2^31
 * @param numbers row major
 */
public record Tensor(String name, int rows, int cols, Numbers numbers) {
  /** Numbers that are widened together: their floats stay in the cache. */
  private static final int PIECE = 1 << 13;

  /** Stored numbers. Thread-safe if their storage is. */
  @FunctionalInterface
  public interface Numbers {
    /**
     * Reads some of them, widened exactly.
     *
     * @param from index of the first, row major
     * @param to receives them from {@code offset} on
     */
    void read(int from, float[] to, int offset, int count);

    /** Whether some of them are all finite. */
    default boolean areFinite(int from, int count) {
      float[] piece = new float[Math.min(PIECE, count)];
      float zeros = 0; // stays 0 until an infinity or NaN makes it NaN
      for (int done = 0; done < count; done += piece.length) {
        int n = Math.min(piece.length, count - done);
        read(from + done, piece, 0, n);
        for (int i = 0; i < n; i++) {
          zeros += piece[i] * 0;
        }
      }
      return zeros == 0;
    }

    /** The numbers of an array, which is not copied. */
    static Numbers of(float[] values) {
      return (from, to, offset, count) -> System.arraycopy(values, from, to, offset, count);
    }
  }

  /** A consumer of consecutive numbers. */
  @FunctionalInterface
  public interface Pieces {
    /**
     * Takes a piece.
     *
     * @param from index of its first number in the tensor, row major
     * @param values the numbers, from 0 to {@code count - 1}; overwritten by the next piece
     */
    void accept(int from, float[] values, int count);
  }

  public Tensor {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(numbers, "numbers");
    if (rows < 0 || cols < 0 || (long) rows * cols > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "tensor " + name + " of " + rows + " x " + cols + ": expected 0 to 2^31 - 1 numbers");
    }
  }

  /** Makes a tensor over an array, which is not copied. */
  public static Tensor of(String name, int rows, int cols, float[] values) {
    return new Tensor(name, rows, cols, Numbers.of(values)).requireStored(values.length);
  }

  /** Makes a tensor over the numbers from position 0 of a buffer, which is not copied. */
  static Tensor float32(String name, int rows, int cols, FloatBuffer values) {
    return new Tensor(
            name, rows, cols, (from, to, offset, count) -> values.get(from, to, offset, count))
        .requireStored(values.limit());
  }

  /** The same for binary16 numbers, which are widened whenever they are read. */
  static Tensor float16(String name, int rows, int cols, ShortBuffer bits) {
    return new Tensor(name, rows, cols, new Halves(bits)).requireStored(bits.limit());
  }

  private record Halves(ShortBuffer bits) implements Numbers {
    @Override
    public void read(int from, float[] to, int offset, int count) {
      short[] piece = new short[Math.min(PIECE, count)];
      for (int done = 0; done < count; done += piece.length) {
        int n = Math.min(piece.length, count - done);
        bits.get(from + done, piece, 0, n);
        for (int i = 0; i < n; i++) {
          to[offset + done + i] = Float16.toFloat(piece[i]);
        }
      }
    }

    /** Without widening: when a model is opened, this is all that its weights are read for. */
    @Override
    public boolean areFinite(int from, int count) {
      short[] piece = new short[Math.min(PIECE, count)];
      boolean finite = true;
      for (int done = 0; finite && done < count; done += piece.length) {
        int n = Math.min(piece.length, count - done);
        bits.get(from + done, piece, 0, n);
        for (int i = 0; i < n; i++) {
          finite &= Float16.isFinite(piece[i]);
        }
      }
      return finite;
    }
  }

  private Tensor requireStored(int found) {
    if (found != count()) {
      throw new IllegalArgumentException(
          "tensor " + name + " of " + shape() + " needs that many numbers, found " + found);
    }
    return this;
  }

  /** The number of its numbers. */
  public int count() {
    return rows * cols;
  }

  /** The number at a 0-based row and column. */
  public float get(int row, int col) {
    Objects.checkIndex(row, rows);
    float[] one = new float[1];
    numbers.read(row * cols + Objects.checkIndex(col, cols), one, 0, 1);
    return one[0];
  }

  /** A new array of all numbers, row major: for tensors that are small, or needed as a whole. */
  public float[] floats() {
    float[] values = new float[count()];
    numbers.read(0, values, 0, values.length);
    return values;
  }

  /** Passes all numbers on, in order, a bounded number at a time. */
  public void forEachPiece(Pieces consumer) {
    forEachPiece(0, count(), consumer);
  }

  /** Fills a buffer from its position to its limit with the numbers from an index on. */
  public void read(int from, FloatBuffer to) {
    forEachPiece(from, to.remaining(), (at, values, count) -> to.put(values, 0, count));
  }

  private void forEachPiece(int from, int count, Pieces consumer) {
    float[] values = new float[Math.min(PIECE, count)];
    int done = 0;
    while (done < count) {
      int n = Math.min(values.length, count - done);
      numbers.read(from + done, values, 0, n);
      consumer.accept(from + done, values, n);
      done += n;
    }
  }

  /** The shape for messages, such as {@code 512 x 1024}. */
  public String shape() {
    return rows + " x " + cols;
  }
}
