// The operations of parallel.cuh on the host, for tests: one element after the other.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "phrases/parallel.cuh"

namespace lat::phrases {

class OnHost {
 public:
  /* backwards: from the last element to the first, which must not matter. */
  explicit OnHost(bool backwards) : backwards_(backwards) {}

  template <typename F>
  int each(uint64_t size, const F &f) {
    for (uint64_t i = 0; i < size; i++) {
      f(backwards_ ? size - 1 - i : i);
    }
    return LAT_OK;
  }
  int clear(void *at, uint64_t bytes) {
    if (bytes != 0) {
      std::memset(at, 0, bytes);
    }
    return LAT_OK;
  }
  int copy(void *to, const void *from, uint64_t bytes) {
    std::memcpy(to, from, bytes);
    return LAT_OK;
  }
  template <typename T>
  int sum(T *values, uint64_t size, void *scratch, size_t *bytes) {
    if (sized(scratch, bytes)) {
      std::exclusive_scan(values, values + size, values, T{0});
    }
    return LAT_OK;
  }
  int latest(uint32_t *values, uint64_t size, void *scratch, size_t *bytes) {
    if (sized(scratch, bytes)) {
      for (uint64_t i = 1; i < size; i++) {
        values[i] = std::max(values[i], values[i - 1]);
      }
    }
    return LAT_OK;
  }
  int sort(Twin<uint64_t> *keys, Twin<uint32_t> *values, uint64_t size, int bits, void *scratch, size_t *bytes) {
    if (!sized(scratch, bytes)) {
      return LAT_OK;
    }
    const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    std::vector<uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return (keys->now[a] & mask) < (keys->now[b] & mask); });
    for (uint64_t i = 0; i < size; i++) {
      keys->other[i] = keys->now[order[i]];
      values->other[i] = values->now[order[i]];
    }
    std::swap(keys->now, keys->other);
    std::swap(values->now, values->other);
    return LAT_OK;
  }
  template <typename KEY, typename LESS>
  int order(KEY *keys, uint64_t size, const LESS &less, void *scratch, size_t *bytes) {
    if (sized(scratch, bytes)) {
      std::sort(keys, keys + size, less);
    }
    return LAT_OK;
  }

 private:
  static bool sized(const void *scratch, size_t *bytes) {
    *bytes = scratch == nullptr ? 1 : *bytes;
    return scratch != nullptr;
  }

  bool backwards_;
};

}  // namespace lat::phrases
