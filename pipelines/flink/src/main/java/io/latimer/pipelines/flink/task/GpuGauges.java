package io.latimer.pipelines.flink.task;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.Gpu;
import io.latimer.pipelines.metrics.BatchMetrics;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** Gauges of the device of a stage. */
public final class GpuGauges {
  /** The value where there is no GPU. */
  private static final int NONE = -1;

  private GpuGauges() {}

  /** Registers the gauge of the GPU's index. */
  public static void addIndex(MetricGroup group, Supplier<Device> device) {
    Gauge<Integer> index = () -> index(device.get());
    group.gauge(BatchMetrics.GPU.id(), index);
  }

  private static int index(Device device) {
    return device.kind() == Device.Kind.GPU ? device.index() : NONE;
  }

  /** Registers the gauges of the GPU's memory, for a stage. */
  public static void addMemory(MetricGroup operator, String stage, Supplier<Device> device) {
    MetricGroup group = Labels.add(operator, BatchMetrics.GPU_MEMORY, stage);
    Gauge<Long> all = () -> bytes(device.get(), Gpu::totalMemory);
    Gauge<Long> used = () -> bytes(device.get(), gpu -> gpu.totalMemory() - gpu.freeMemory());
    group.gauge(BatchMetrics.GPU_MEMORY.id(), all);
    group.gauge(BatchMetrics.GPU_MEMORY_USED.id(), used);
  }

  private static long bytes(Device device, ToLongFunction<Gpu> memory) {
    if (device.kind() != Device.Kind.GPU) {
      return NONE;
    }
    try {
      return memory.applyAsLong(Gpu.open(device));
    } catch (OperatorException e) {
      return NONE; // the tasks that use it say why
    }
  }
}
