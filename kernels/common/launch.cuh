// Host code shared by all operators: argument checks and the limits of the current device.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "common/both.cuh"
#include "latimer_kernels.h"

#define LAT_REQUIRE(condition) \
  do {                         \
    if (!(condition)) {        \
      return LAT_BAD_ARGUMENT; \
    }                          \
  } while (0)

/* An error is reported only by the status that a function returns; a kernel has none to forget. */
#ifdef __CUDA_ARCH__
#define LAT_FORGET_ERROR() static_cast<void>(0)
#else
#define LAT_FORGET_ERROR() static_cast<void>(cudaGetLastError())
#endif
#define LAT_TRY(call)                 \
  do {                                \
    const int lat_try_error = (call); \
    if (lat_try_error != LAT_OK) {    \
      LAT_FORGET_ERROR();             \
      return lat_try_error;           \
    }                                 \
  } while (0)

namespace lat {

inline cudaStream_t stream_of(lat_stream stream) { return static_cast<cudaStream_t>(stream); }

/* Returns and clears the error of the last launch. */
inline int launched() { return cudaGetLastError(); }

inline cudaError_t multiprocessors(int *count) {
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  return error != cudaSuccess ? error : cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device);
}

/* A number of blocks or warps that was measured to suit an H100 or H200, as a share of another device. */
constexpr int64_t share_of_device(int64_t on_hopper, int multiprocessors) {
  constexpr int kHopper = 132; /* multiprocessors */
  return on_hopper * multiprocessors / kHopper;
}

/* ---- shared memory per block ---- */

/* Every card from sm_80 on gives a block at least this on request; sm_86, 89 and 120 give no more. */
constexpr size_t kLeastSharedMemory = 99 * 1024;

/* Maximum size in bytes of a block's shared memory, on request and including static arrays, on the current device. For
 * tests, the environment variable LATIMER_SHARED_KB caps it in KiB, and larger requests fail as on a card with that
 * limit. The variable is read once per process. */
inline cudaError_t shared_memory(int *bytes) {
  static const char *const kPretended = std::getenv("LATIMER_SHARED_KB");
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) {
    return error;
  }
  const cudaError_t found = cudaDeviceGetAttribute(bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (found == cudaSuccess && kPretended != nullptr) {
    char *end = nullptr;
    const long kib = std::strtol(kPretended, &end, 10);
    if (end == kPretended || *end != '\0' || kib < 1) {
      return cudaErrorInvalidValue; /* a typo must not silently lift the cap */
    }
    if (kib < *bytes / 1024) {
      *bytes = static_cast<int>(kib) * 1024;
    }
  }
  return found;
}

/* A device's limits: multiprocessors, and bytes of shared memory that a block can request. */
struct DeviceSizes {
  int multiprocessors;
  int shared;
};
/* Where there is no device, those of a Hopper GPU: what is made for it can be asked how large it is. */
inline cudaError_t device_sizes(DeviceSizes *sizes) {
  const cudaError_t error = multiprocessors(&sizes->multiprocessors);
  if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice) {
    cudaGetLastError();
    *sizes = {132, 96 * 1024};
    return cudaSuccess;
  }
  return error != cudaSuccess ? error : shared_memory(&sizes->shared);
}

/* ---- kernels that start before the previous one has ended (programmatic dependent launch, from sm_90 on) ---- */

/* Lets the device set up the stream's next kernel; whatever that does before its await_previous() overlaps. */
__device__ __forceinline__ void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/* After this, everything written by earlier kernels of the stream is visible. Before it, a kernel launched by
 * launch_early may read
 * - what was there when the last normally launched kernel of the stream started: weights, and data made when sentences
 *   joined, because joining ends with such a kernel;
 * - with load_early, what was written up to and including the last kernel that does not let the next one start, or
 *   after which the next one waits before it lets another start: that kernel has ended by now, and each of its threads
 *   executed a __threadfence(). A plain load might hit stale data of the previous step in L1.
 * Data written while a kernel may already be running must not be read with __ldg, not even after the wait. */
__device__ __forceinline__ void await_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Reads 32 bits before await_previous(), coherently across multiprocessors; see there. The compiler keeps it in place,
 * so that the load is in flight while the kernel waits for the previous one. */
__device__ __forceinline__ int32_t load_early(const int32_t *from) {
  int32_t v;
  asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(from));
  return v;
}

/* Whether the current device supports that and a kernel's code waits: code for older devices, which the driver may have
 * compiled from PTX for this one, does not, and would read what is not written yet. All kernels of a library are
 * compiled for the same devices, so this is queried once a device. */
inline cudaError_t begins_early(const void *kernel, bool *answer) {
  constexpr int kDevices = 64;
  constexpr int kNo = 1;
  constexpr int kYes = 2;
  static std::atomic<int> known[kDevices];
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) {
    return error;
  }
  int found = device < kDevices ? known[device].load(std::memory_order_relaxed) : 0;
  if (found == 0) {
    int major = 0;
    cudaFuncAttributes code;
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error != cudaSuccess) {
      return error;
    }
    error = cudaFuncGetAttributes(&code, kernel);
    if (error != cudaSuccess) {
      return error;
    }
    found = major >= 9 && code.ptxVersion >= 90 ? kYes : kNo;
    if (device < kDevices) {
      known[device].store(found, std::memory_order_relaxed);
    }
  }
  *answer = found == kYes;
  return cudaSuccess;
}

constexpr size_t kSharedForAll = 40 * 1024; /* available to every kernel: below 48 KiB, including its static arrays */

/* Raises a kernel's limit of shared memory to a number of bytes on the current device; LAT_UNSUPPORTED if a block
 * cannot have that many. The limit belongs to the kernel, not to a launch, and only ever grows, so that no thread
 * lowers a limit that another is about to use. */
inline int allow_shared(const void *kernel, size_t bytes) {
  if (bytes <= kSharedForAll) {
    return LAT_OK;
  }
  // Never destroyed: daemon threads may still launch while the process ends.
  static auto &mutex = *new std::mutex;
  static auto &allowed = *new std::map<std::pair<int, const void *>, size_t>;
  int device = 0;
  LAT_TRY(cudaGetDevice(&device));
  const std::lock_guard<std::mutex> lock(mutex);
  size_t &most = allowed[{device, kernel}];
  if (bytes > most) {
    int available = 0;
    cudaFuncAttributes attributes;
    LAT_TRY(shared_memory(&available));
    LAT_TRY(cudaFuncGetAttributes(&attributes, kernel));
    if (attributes.sharedSizeBytes + bytes > static_cast<size_t>(available)) {
      return LAT_UNSUPPORTED;
    }
    LAT_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    most = bytes;
  }
  return LAT_OK;
}

/* How a kernel is launched. */
struct LaunchShape {
  dim3 grid;
  unsigned threads;
  size_t shared; /* bytes */
  cudaStream_t stream;
  bool early; /* before the previous kernel has ended, where the device can; it calls await_previous() */
  unsigned cluster = 1; /* blocks of a cluster */
};

template <typename... PARAMETERS, typename... ARGUMENTS>
int launch(void (*kernel)(PARAMETERS...), const LaunchShape &shape, const ARGUMENTS &...arguments) {
  bool early = false;
  if (shape.early) {
    LAT_TRY(begins_early(reinterpret_cast<const void *>(kernel), &early));
  }
  LAT_TRY(allow_shared(reinterpret_cast<const void *>(kernel), shape.shared));
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (early) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {shape.cluster, 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream = shape.stream;
  config.attrs = attributes;
  config.numAttrs = count;
  LAT_TRY(cudaLaunchKernelEx(&config, kernel, arguments...));
  return LAT_OK;
}

/* ---- clusters: blocks that run at the same time and wait for each other, from sm_90 on ---- */

constexpr int kClusterBlocks = 8; /* which every device with clusters can have */

/* Whether the current device can run clusters of kClusterBlocks blocks of a kernel: not before sm_90, nor with too few
 * multiprocessors next to each other. Queried once a device and kernel.
 *
 * shared: bytes of shared memory per block, including static arrays */
template <typename... PARAMETERS>
int has_clusters(void (*kernel)(PARAMETERS...), unsigned threads, size_t shared, bool *answer) {
  static const bool kNone = std::getenv("LATIMER_NO_CLUSTERS") != nullptr; /* for tests */
  static auto &mutex = *new std::mutex;
  static auto &known = *new std::map<std::pair<int, const void *>, bool>;
  const auto *code = reinterpret_cast<const void *>(kernel);
  int device = 0;
  LAT_TRY(cudaGetDevice(&device));
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find({device, code});
  if (found != known.end()) {
    *answer = found->second;
    return LAT_OK;
  }
  int clusters = 0;
  bool newer = false;
  LAT_TRY(begins_early(code, &newer)); /* has code for sm_90 or newer */
  if (newer && !kNone) {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(kClusterBlocks), 1, 1};
    config.gridDim = dim3(kClusterBlocks);
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaFuncAttributes attributes;
    LAT_TRY(cudaFuncGetAttributes(&attributes, code));
    config.dynamicSmemBytes = shared > attributes.sharedSizeBytes ? shared - attributes.sharedSizeBytes : 0;
    LAT_TRY(allow_shared(code, config.dynamicSmemBytes));
    LAT_TRY(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
  }
  *answer = known[{device, code}] = clusters > 0;
  return LAT_OK;
}

/* Waits for the threads of all blocks of the cluster; sees what they wrote to shared and to device memory. */
__device__ __forceinline__ void await_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* Launches a kernel that calls await_previous(), with the given bytes of shared memory. */
template <typename... PARAMETERS, typename... ARGUMENTS>
int launch_early(void (*kernel)(PARAMETERS...), dim3 grid, unsigned threads, size_t shared, cudaStream_t stream,
                 const ARGUMENTS &...arguments) {
  return launch(kernel, {grid, threads, shared, stream, true}, arguments...);
}

/* Number of blocks for a number of items, at most a few waves of the device; kernels loop with a grid stride. */
inline unsigned blocks_for(uint64_t items, unsigned per_block, int multiprocessors, unsigned waves) {
  const uint64_t needed = (items + per_block - 1) / per_block;
  const uint64_t most = static_cast<uint64_t>(multiprocessors) * waves;
  return static_cast<unsigned>(needed < 1 ? 1 : needed < most ? needed : most);
}

/* Calls a function with a number from 1 to MOST as a compile-time constant, std::integral_constant<int, number>. */
template <int MOST, typename CALL>
int with_number(int number, CALL call) {
  if constexpr (MOST > 1) {
    if (number < MOST) {
      return with_number<MOST - 1>(number, call);
    }
  }
  return call(std::integral_constant<int, MOST>());
}

/* Divides the caller's scratch into aligned parts; without scratch it only adds up their sizes. */
class Scratch {
 public:
  LAT_BOTH explicit Scratch(void *base) : base_(static_cast<char *>(base)) {}
  template <typename T>
  LAT_BOTH T *take(uint64_t count) {
    const size_t at = aligned(size_);
    size_ = at + count * sizeof(T);
    return reinterpret_cast<T *>(base_ + at);
  }
  LAT_BOTH size_t size() const { return aligned(size_); }
  static LAT_BOTH size_t aligned(size_t size) { return (size + 255) / 256 * 256; }

 private:
  char *base_;
  size_t size_ = 0;
};

}  // namespace lat
