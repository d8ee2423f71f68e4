// Operations of one thread that also compile for the CPU, where the tests compare kernels with a plain reference.
// Those of a whole warp, in warp.cuh, are for devices only.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#define LAT_BOTH __host__ __device__ __forceinline__

#ifdef __CUDA_ARCH__
#define LAT_UNROLL _Pragma("unroll")
#else
#define LAT_UNROLL
#endif

namespace lat {

/* Reads what no kernel writes. */
template <typename T>
LAT_BOTH T load(const T *from) {
#ifdef __CUDA_ARCH__
  return __ldg(from);
#else
  return *from;
#endif
}

LAT_BOTH uint32_t bits_of(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

LAT_BOTH float float_of(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

LAT_BOTH uint64_t bits_of(double value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint64_t>(__double_as_longlong(value));
#else
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

LAT_BOTH double double_of(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

/* ---- arithmetic as in Java: each operation is rounded, so that a product and a sum are never one operation ---- */

LAT_BOTH float add(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

LAT_BOTH double add(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

LAT_BOTH double multiply(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/* The upper half of a product. */
LAT_BOTH uint32_t multiply_high(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  return __umulhi(a, b);
#else
  return static_cast<uint32_t>(static_cast<uint64_t>(a) * b >> 32);
#endif
}

/* The number of zeros below the lowest one; 64 for 0. */
LAT_BOTH uint32_t trailing_zeros(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return bits == 0 ? 64 : static_cast<uint32_t>(__ffsll(static_cast<long long>(bits)) - 1);
#else
  return bits == 0 ? 64 : static_cast<uint32_t>(__builtin_ctzll(bits));
#endif
}

}  // namespace lat
