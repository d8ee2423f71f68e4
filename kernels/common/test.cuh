// Shared by the kernel tests and benches: checks, arrays, timing.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "latimer_kernels.h"

#define CHECK(call)                                                                                            \
  do {                                                                                                         \
    const int check_status = (call);                                                                           \
    if (check_status != 0) {                                                                                   \
      std::fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, lat_error_name(check_status),     \
                   lat_error_text(check_status));                                                              \
      std::exit(1);                                                                                            \
    }                                                                                                          \
  } while (0)

namespace lat::test {

/* An array in device memory. */
template <typename T>
class Array {
 public:
  explicit Array(uint64_t size) : size_(size) { CHECK(cudaMalloc(&data_, bytes() == 0 ? 1 : bytes())); }
  Array(const T *from, uint64_t size) : Array(size) {
    CHECK(cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice));
  }
  explicit Array(const std::vector<T> &from) : Array(from.data(), from.size()) {}
  ~Array() { cudaFree(data_); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  T *get() const { return data_; }
  uint64_t size() const { return size_; }
  uint64_t bytes() const { return size_ * sizeof(T); }
  void clear() { CHECK(cudaMemset(data_, 0, bytes())); }
  std::vector<T> copy(uint64_t first_of_it) const {
    std::vector<T> out(first_of_it);
    CHECK(cudaMemcpy(out.data(), data_, first_of_it * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
  T one() const { return copy(1)[0]; }

 private:
  T *data_ = nullptr;
  uint64_t size_;
};

/* An array in page-locked host memory. */
template <typename T>
class Pinned {
 public:
  explicit Pinned(uint64_t size) : size_(size) { CHECK(cudaMallocHost(&data_, (size == 0 ? 1 : size) * sizeof(T))); }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;
  T *get() const { return data_; }
  T &operator[](uint64_t i) const { return data_[i]; }
  uint64_t size() const { return size_; }

 private:
  T *data_ = nullptr;
  uint64_t size_;
};

/* Time between two points of the default stream. */
class Timer {
 public:
  Timer() {
    CHECK(cudaEventCreate(&start_));
    CHECK(cudaEventCreate(&stop_));
  }
  ~Timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;
  void start() { CHECK(cudaEventRecord(start_)); }
  double stop_ms() {
    CHECK(cudaEventRecord(stop_));
    CHECK(cudaEventSynchronize(stop_));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start_, stop_));
    return ms;
  }

 private:
  cudaEvent_t start_;
  cudaEvent_t stop_;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace lat::test
