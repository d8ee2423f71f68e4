package io.latimer.operators.nmt.cpu;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.dnnl.IntMemoryMap;
import org.bytedeco.dnnl.global.dnnl;
import org.bytedeco.dnnl.matmul;
import org.bytedeco.dnnl.memory;
import org.bytedeco.dnnl.primitive_attr;
import org.bytedeco.dnnl.reorder;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;

/**
 * A matrix of weights in 8 bits, in the order that oneDNN's kernels read. Each output has a scale:
 * its largest weight is 127. Immutable, so that any number of {@link Int8Product} may share it.
 */
final class Int8Matrix implements AutoCloseable {
  /** Numbers of rows for which there are kernels, most first; others are put together of them. */
  private static final int[] ROWS = {128, 64, 32, 16};

  /** The number of kernels. */
  static final int KERNELS = ROWS.length;

  /** The most rows of one call. */
  static final int MOST_ROWS = ROWS[0];

  private final int inputs;
  private final int outputs;
  private final List<Pointer> owned = new ArrayList<>();
  private final memory weights;
  private final memory scales;
  private final List<matmul.primitive_desc> descriptors = new ArrayList<>();
  private final List<matmul> products = new ArrayList<>();

  /**
   * Rounds weights.
   *
   * @param source outputs x inputs
   */
  Int8Matrix(int inputs, int outputs, FloatBuffer source) {
    this.inputs = inputs;
    this.outputs = outputs;
    OneDnn.useOneThread();
    primitive_attr settings = own(new primitive_attr());
    settings.set_scales_mask(dnnl.DNNL_ARG_WEIGHTS, 2); // one scale for each output
    // Without memory of their own, products may run in any thread
    settings.set_scratchpad_mode(dnnl.scratchpad_mode.user);
    memory.desc order =
        own(OneDnn.matrix(inputs, outputs, memory.data_type.s8, memory.format_tag.any));
    for (int rows : ROWS) {
      memory.desc x = own(OneDnn.matrix(rows, inputs, memory.data_type.s8, memory.format_tag.ab));
      memory.desc y = own(OneDnn.matrix(rows, outputs, memory.data_type.f32, memory.format_tag.ab));
      matmul.primitive_desc descriptor =
          own(new matmul.primitive_desc(OneDnn.cpu(), x, order, y, settings, false));
      order = own(descriptor.weights_desc());
      descriptors.add(descriptor);
      products.add(own(new matmul(descriptor)));
    }
    scales =
        own(
            new memory(
                own(
                    new memory.desc(
                        new long[] {outputs}, memory.data_type.f32, memory.format_tag.a)),
                OneDnn.cpu()));
    weights = own(new memory(order, OneDnn.cpu()));
    fill(source.duplicate());
  }

  private void fill(FloatBuffer source) {
    byte[] rounded = new byte[inputs];
    float[] row = new float[inputs];
    float[] scale = new float[outputs];
    Int8Rounding rounding = new Int8Rounding(inputs);
    try (BytePointer values = new BytePointer((long) inputs * outputs);
        memory.desc byOutput =
            OneDnn.matrix(inputs, outputs, memory.data_type.s8, memory.format_tag.ba);
        memory plain = new memory(byOutput, OneDnn.cpu(), values);
        reorder ordering = new reorder(plain, weights)) {
      for (int o = 0; o < outputs; o++) {
        source.get(o * inputs, row);
        scale[o] = rounding.round(row, 0, inputs, rounded, 0);
        values.position((long) o * inputs).put(rounded, 0, inputs);
      }
      values.position(0);
      ordering.execute(OneDnn.stream(), plain, weights);
      OneDnn.stream()._wait();
    }
    new FloatPointer(scales.get_data_handle()).put(scale, 0, outputs);
  }

  private <T extends Pointer> T own(T part) {
    owned.add(part);
    return part;
  }

  /** The kernel that computes the most of some rows, and at least one. */
  static int kernel(int rows) {
    int kernel = 0;
    while (kernel + 1 < ROWS.length && Rows.padded(rows) < ROWS[kernel]) {
      kernel++;
    }
    return kernel;
  }

  /** The number of rows that a kernel computes. */
  static int rows(int kernel) {
    return ROWS[kernel];
  }

  /** A product of one kernel with given arrays; not thread-safe. */
  final class Call implements AutoCloseable {
    private final matmul product;
    private final IntMemoryMap arguments = new IntMemoryMap();
    private final List<Pointer> memories = new ArrayList<>();

    /**
     * @param x receives rows x inputs
     * @param y rows x outputs
     */
    Call(int kernel, BytePointer x, FloatPointer y) {
      product = products.get(kernel);
      matmul.primitive_desc descriptor = descriptors.get(kernel);
      put(dnnl.DNNL_ARG_SRC, new memory(descriptor.src_desc(), OneDnn.cpu(), x));
      put(dnnl.DNNL_ARG_DST, new memory(descriptor.dst_desc(), OneDnn.cpu(), y));
      put(dnnl.DNNL_ARG_SCRATCHPAD, new memory(descriptor.scratchpad_desc(), OneDnn.cpu()));
      arguments.put(dnnl.DNNL_ARG_WEIGHTS, weights);
      arguments.put(dnnl.DNNL_ARG_ATTR_SCALES | dnnl.DNNL_ARG_WEIGHTS, scales);
    }

    private void put(int argument, memory value) {
      memories.add(value);
      arguments.put(argument, value);
    }

    void run() {
      product.execute(OneDnn.stream(), arguments);
    }

    @Override
    public void close() {
      arguments.close();
      memories.forEach(Pointer::close);
    }
  }

  @Override
  public void close() {
    for (int i = owned.size() - 1; i >= 0; i--) {
      owned.get(i).close();
    }
    owned.clear();
  }
}
