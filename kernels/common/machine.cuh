// Memory of a device or of the host, for tests and benches that run the same steps on both. Its content is undefined:
// nothing may rely on zeros.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "common/test.cuh"

namespace lat::test {

/* Memory of a device. All of it is freed with this object, or with what was taken since a mark. */
class GpuMemory {
 public:
  ~GpuMemory() { free_from(0); }
  GpuMemory() = default;
  GpuMemory(const GpuMemory &) = delete;
  GpuMemory &operator=(const GpuMemory &) = delete;

  template <typename T>
  T *take(uint64_t size) {
    void *made = nullptr;
    const uint64_t bytes = size * sizeof(T);
    CHECK(cudaMalloc(&made, bytes == 0 ? 1 : bytes));
    CHECK(cudaMemset(made, 0xab, bytes));
    blocks_.push_back(made);
    bytes_ += bytes;
    most_ = std::max(most_, bytes_);
    sizes_.push_back(bytes);
    return static_cast<T *>(made);
  }
  template <typename T>
  T *put(const std::vector<T> &from) {
    T *to = take<T>(from.size());
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
  }
  template <typename T>
  std::vector<T> get(const T *from, uint64_t size) {
    std::vector<T> to(size);
    CHECK(cudaMemcpy(to.data(), from, size * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  size_t mark() const { return blocks_.size(); }
  void free_from(size_t mark) {
    while (blocks_.size() > mark) {
      cudaFree(blocks_.back());
      blocks_.pop_back();
      bytes_ -= sizes_.back();
      sizes_.pop_back();
    }
  }
  /* The most bytes that were taken at a time. */
  uint64_t most_bytes() const { return most_; }

 private:
  std::vector<void *> blocks_;
  std::vector<uint64_t> sizes_;
  uint64_t bytes_ = 0;
  uint64_t most_ = 0;
};

/* Memory of the host, in pieces of their exact size, so that a sanitizer sees every access beyond them. */
class HostMemory {
 public:
  template <typename T>
  T *take(uint64_t size) {
    const uint64_t bytes = size * sizeof(T);
    blocks_.emplace_back(new char[bytes]);
    std::memset(blocks_.back().get(), 0xab, bytes);
    return reinterpret_cast<T *>(blocks_.back().get());
  }
  template <typename T>
  T *put(const std::vector<T> &from) {
    T *to = take<T>(from.size());
    std::copy(from.begin(), from.end(), to);
    return to;
  }
  template <typename T>
  std::vector<T> get(const T *from, uint64_t size) {
    return {from, from + size};
  }
  size_t mark() const { return blocks_.size(); }
  void free_from(size_t mark) { blocks_.resize(mark); }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
};

}  // namespace lat::test
