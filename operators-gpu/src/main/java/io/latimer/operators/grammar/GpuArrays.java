package io.latimer.operators.grammar;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.UploadRing;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

/** Arrays of 32-bit numbers that are copied to a device together. */
final class GpuArrays {
  private final List<int[]> ints = new ArrayList<>();
  private final List<float[]> floats = new ArrayList<>();

  /** Adds an array; {@link #upload} puts its address at the place that this returns. */
  int add(int[] array) {
    return add(array, null);
  }

  /** The same for floats. */
  int add(float[] array) {
    return add(null, array);
  }

  private int add(int[] ofInts, float[] ofFloats) {
    ints.add(ofInts);
    floats.add(ofFloats);
    return ints.size() - 1;
  }

  private long bytes(int i) {
    return 4L * (ints.get(i) != null ? ints.get(i).length : floats.get(i).length);
  }

  /**
   * Copies all.
   *
   * @param addresses receives the addresses
   * @return their memory
   * @throws io.latimer.operators.device.DeviceMemoryException if they do not fit
   */
  Arena upload(Gpu gpu, String owner, long[] addresses) {
    long[] sizes = new long[ints.size()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = bytes(i);
    }
    Arena arena = Arena.exact(gpu, owner, sizes);
    try (UploadRing ring = new UploadRing(gpu, owner)) {
      for (int i = 0; i < sizes.length; i++) {
        DeviceBuffer there = arena.allocate(sizes[i]);
        if (ints.get(i) != null) {
          ring.upload(IntBuffer.wrap(ints.get(i)), there);
        } else {
          ring.upload(FloatBuffer.wrap(floats.get(i)), there);
        }
        addresses[i] = there.address();
      }
      ring.stream().synchronize();
      return arena;
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** The number of arrays. */
  int size() {
    return ints.size();
  }
}
