package io.latimer.operators.nmt.cpu;

import com.sun.jna.NativeLibrary;
import io.latimer.operators.OperatorException;
import java.util.List;
import org.bytedeco.dnnl.engine;
import org.bytedeco.dnnl.global.dnnl;
import org.bytedeco.dnnl.matmul;
import org.bytedeco.dnnl.memory;
import org.bytedeco.dnnl.primitive_attr;
import org.bytedeco.dnnl.stream;

/**
 * Products of 8-bit integers by oneDNN, loaded once per process and only if a model asks for them.
 *
 * <p>The library is optional: it is as large as OpenBLAS, and only processors with instructions for
 * such products gain.
 */
final class OneDnn {
  /** Words in the names of oneDNN's kernels that use such instructions. */
  private static final List<String> FAST = List.of("vnni", "amx");

  private static final int PROBE = 64;

  private static final class Loaded {
    static final engine CPU;
    static final stream STREAM;

    static {
      CPU = new engine(engine.kind.cpu, 0);
      STREAM = new stream(CPU);
    }
  }

  private OneDnn() {}

  /**
   * Checks that this machine multiplies 8-bit integers fast.
   *
   * @throws OperatorException if the library is missing, or the processor has no instructions for
   *     it
   */
  static void check() {
    String kernel;
    try {
      kernel = kernel();
    } catch (LinkageError e) {
      throw new OperatorException(
          "the precision int8 on the CPU needs oneDNN, which cannot be loaded on "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch")
              + "; put the jars of org.bytedeco's dnnl and opencl on the class path, with their"
              + " natives, or omit the precision: "
              + e,
          e);
    }
    if (FAST.stream().noneMatch(kernel::contains)) {
      throw new OperatorException(
          "the precision int8 needs a processor with VNNI or AMX, which this one lacks: omit the"
              + " precision");
    }
  }

  /** The name of the kernel that would multiply. */
  private static String kernel() {
    useOneThread();
    try (memory.desc x = matrix(PROBE, PROBE, memory.data_type.s8, memory.format_tag.ab);
        memory.desc w = matrix(PROBE, PROBE, memory.data_type.s8, memory.format_tag.any);
        memory.desc y = matrix(PROBE, PROBE, memory.data_type.f32, memory.format_tag.ab);
        primitive_attr plain = new primitive_attr();
        matmul.primitive_desc product = new matmul.primitive_desc(cpu(), x, w, y, plain, false)) {
      return product.impl_info_str().getString();
    }
  }

  static memory.desc matrix(int rows, int columns, memory.data_type type, memory.format_tag order) {
    return new memory.desc(new long[] {rows, columns}, type, order);
  }

  static engine cpu() {
    return Loaded.CPU;
  }

  static stream stream() {
    return Loaded.STREAM;
  }

  /**
   * Keeps oneDNN from starting threads for the calling thread: like OpenBLAS' they would spin while
   * they wait.
   */
  static void useOneThread() {
    OpenBlas.load(); // sets where JavaCPP unpacks, and that it does not limit memory
    dnnl.dnnl_version(); // loads the library with its OpenMP
    NativeLibrary.getInstance("libgomp.so.1")
        .getFunction("omp_set_num_threads")
        .invokeVoid(new Object[] {1});
  }
}
