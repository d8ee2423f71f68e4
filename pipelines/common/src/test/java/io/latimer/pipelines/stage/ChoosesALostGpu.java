package io.latimer.pipelines.stage;

import io.latimer.operators.device.DeviceLostException;
import io.latimer.operators.device.GpuLoss;

/** A process that asks for its GPU again after that was lost; {@link StageDeviceTest} runs it. */
final class ChoosesALostGpu {
  private ChoosesALostGpu() {}

  public static void main(String[] arguments) {
    for (int subtask = 0; subtask < 2; subtask++) {
      try {
        StageDevice.choose(
            () -> {
              GpuLoss.fail(1, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
              return null;
            });
      } catch (DeviceLostException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
