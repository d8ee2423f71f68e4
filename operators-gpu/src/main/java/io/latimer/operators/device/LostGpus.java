package io.latimer.operators.device;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The GPUs that a process has lost: after some errors CUDA offers no recovery, and every later call
 * fails until another process begins. Thread-safe.
 */
final class LostGpus {
  /** Those of this process, as far as this class loader's classes have noticed. */
  static final LostGpus PROCESS = new LostGpus();

  /**
   * Errors after which a context cannot be used: the driver's numbers, which are also the
   * runtime's.
   */
  private static final Set<Integer> FATAL =
      Set.of(
          214, // ECC_UNCORRECTABLE
          220, // NVLINK_UNCORRECTABLE
          226, // CONTAINED (an ECC error)
          700, // ILLEGAL_ADDRESS
          702, // LAUNCH_TIMEOUT
          709, // CONTEXT_IS_DESTROYED
          710, // ASSERT
          714, // HARDWARE_STACK_ERROR
          715, // ILLEGAL_INSTRUCTION
          716, // MISALIGNED_ADDRESS
          717, // INVALID_ADDRESS_SPACE
          718, // INVALID_PC
          719, // LAUNCH_FAILED
          721, // TENSOR_MEMORY_LEAK
          805, // MPS_CONNECTION_FAILED
          806, // MPS_RPC_FAILURE
          807, // MPS_SERVER_NOT_READY
          810, // MPS_CLIENT_TERMINATED
          911, // EXTERNAL_DEVICE
          999); // UNKNOWN

  private final ConcurrentMap<Integer, String> reasons = new ConcurrentHashMap<>();

  /** Whether a device is lost after an error. */
  static boolean isFatal(int result) {
    return FATAL.contains(result);
  }

  /**
   * Adds a GPU, unless it was added before.
   *
   * @param reason the call that failed, and its error
   */
  void add(int gpu, String reason) {
    reasons.putIfAbsent(gpu, reason);
  }

  boolean contains(int gpu) {
    return reasons.containsKey(gpu);
  }

  /** Says that a GPU was lost, why, and what to do; empty if it was not. */
  Optional<String> problem(int gpu) {
    return Optional.ofNullable(reasons.get(gpu))
        .map(reason -> "gpu:" + gpu + " was lost (" + reason + "); start this process again");
  }

  /**
   * Requires that a GPU was not lost.
   *
   * @throws DeviceLostException if it was
   */
  void check(int gpu) {
    if (contains(gpu)) {
      throw new DeviceLostException("use", "lost", problem(gpu).orElseThrow());
    }
  }
}
