// Number formats of the decoder: conversions, activations, and the operations after a product (bias, layer
// normalization).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>

#include "common/warp.cuh"

namespace lat::nmt {

template <typename T>
__device__ __forceinline__ T narrow(float v);
template <>
__device__ __forceinline__ float narrow<float>(float v) {
  return v;
}
template <>
__device__ __forceinline__ __half narrow<__half>(float v) {
  return __float2half_rn(v);
}
template <>
__device__ __forceinline__ __nv_bfloat16 narrow<__nv_bfloat16>(float v) {
  return __float2bfloat16_rn(v);
}
__device__ __forceinline__ float widen(float v) { return v; }
__device__ __forceinline__ float widen(__half v) { return __half2float(v); }
__device__ __forceinline__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }

/* A factor made from 32-bit numbers is a sum of this many narrow ones: eight bits alone change a transformer's scores
 * by more than a tenth. */
template <typename T>
constexpr int kTerms = 1;
template <>
constexpr int kTerms<__nv_bfloat16> = 2;

/* The format of stored queries, keys and values, which tensor cores do not read. */
template <typename T>
struct KeptAs {
  using type = T;
};
template <>
struct KeptAs<__nv_bfloat16> {
  using type = float;
};
template <typename T>
using Kept = typename KeptAs<T>::type;

/* 16 bytes of elements. */
template <typename T>
struct Pack {
  static constexpr int SIZE = 16 / static_cast<int>(sizeof(T));
  uint4 bits;
  __device__ __forceinline__ void load(const T *from) { bits = *reinterpret_cast<const uint4 *>(from); }
  __device__ __forceinline__ void store(T *to) const { *reinterpret_cast<uint4 *>(to) = bits; }
  __device__ __forceinline__ float get(int i) const { return widen(reinterpret_cast<const T *>(&bits)[i]); }
  __device__ __forceinline__ void set(int i, float v) { reinterpret_cast<T *>(&bits)[i] = narrow<T>(v); }
};

/* In 32 bits, as exact as the library's; for 16-bit factors, the hardware's, good to some 11 bits. */
template <typename T>
__device__ __forceinline__ float tanh_of(float x) {
  if constexpr (sizeof(T) == 4) {
    return tanhf(x);
  } else {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
}
template <typename T>
__device__ __forceinline__ float sigmoid_of(float x) {
  if constexpr (sizeof(T) == 4) {
    return 1 / (1 + expf(-x));
  } else {
    return __fdividef(1, 1 + __expf(-x));
  }
}

/* Biases and layer normalization of a product; `split` is the start of a second group that is normalized separately, or
 * 0. */
struct Side {
  const float *bias = nullptr;
  const float *gain = nullptr; /* null: no normalization */
  const float *shift = nullptr;
  int width = 0;
  int split = 0;
  float epsilon = 0;
};

/* e^v as mantissa * 2^power: relative to another power, the bits are the same except for the exponent. */
constexpr float kLog2e = 1.44269502f;        /* rounded, */
constexpr float kLog2eRest = 1.92596299e-8f; /* the rest */
__device__ __forceinline__ float power_of(float v) { return floorf(v * kLog2e); }
__device__ __forceinline__ float mantissa_of(float v, float power) {
  const float rest = fmaf(v, kLog2eRest, fmaf(v, kLog2e, -power));
  return exp2f(rest < -1 ? -1 : rest > 2 ? 2 : rest); /* NaN stays NaN */
}
/* 2^power, for a power of 0 or less; 0 if there is no such normal number. */
template <typename V>
__device__ __forceinline__ V power_of_two(float power) {
  if constexpr (sizeof(V) == 4) {
    return power < -126 ? 0 : __int_as_float((static_cast<int>(power) + 127) << 23);
  } else {
    return power < -1022 ? 0 : __hiloint2double((static_cast<int>(power) + 1023) << 20, 0);
  }
}

/* Sum over a block, returned to all threads. `scratch` has 33 floats. */
__device__ __forceinline__ float block_sum(float v, float *scratch) {
  v = warp_sum(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    scratch[threadIdx.x / 32] = v;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    const float w = warp_sum(threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) {
      scratch[32] = w;
    }
  }
  __syncthreads();
  return scratch[32];
}

/* Applies a side to a row in shared memory; all threads of the block take part. */
__device__ __forceinline__ void apply(const Side &side, float *row, float *scratch) {
  if (side.bias != nullptr) {
    for (int i = threadIdx.x; i < side.width; i += blockDim.x) {
      row[i] += side.bias[i];
    }
  }
  if (side.gain != nullptr) {
    for (int from = 0; from < side.width;) {
      const int to = from < side.split ? side.split : side.width;
      const float n = static_cast<float>(to - from);
      float sum = 0;
      for (int i = from + threadIdx.x; i < to; i += blockDim.x) {
        sum += row[i];
      }
      const float mean = block_sum(sum, scratch) / n;
      float squares = 0;
      for (int i = from + threadIdx.x; i < to; i += blockDim.x) {
        squares += (row[i] - mean) * (row[i] - mean);
      }
      const float scale = rsqrtf(block_sum(squares, scratch) / n + side.epsilon);
      for (int i = from + threadIdx.x; i < to; i += blockDim.x) {
        row[i] = fmaf((row[i] - mean) * scale, side.gain[i], side.shift[i]);
      }
      from = to;
    }
  }
  __syncthreads();
}

}  // namespace lat::nmt
