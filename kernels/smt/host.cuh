// The team of search.cuh on the host, for tests: one thread.
#pragma once

#include <algorithm>

#include "smt/search.cuh"

namespace lat::smt {

class OneThread {
 public:
  /* backwards: from the last element to the first, which must not matter. */
  explicit OneThread(bool backwards) : backwards_(backwards) {}

  template <typename F>
  void each(uint32_t size, F f) {
    for (uint32_t i = 0; i < size; i++) {
      f(backwards_ ? size - 1 - i : i);
    }
  }
  template <typename F>
  void once(F f) {
    f();
  }
  template <typename F>
  uint64_t sum(uint32_t size, F f) {
    uint64_t all = 0;
    each(size, [&](uint32_t i) { all += f(i); });
    return all;
  }
  template <typename F>
  uint64_t least(uint32_t size, F f) {
    uint64_t all = ~0ull;
    each(size, [&](uint32_t i) { all = std::min<uint64_t>(all, f(i)); });
    return all;
  }
  template <typename F>
  uint64_t most(uint32_t size, F f) {
    uint64_t all = 0;
    each(size, [&](uint32_t i) { all = std::max<uint64_t>(all, f(i)); });
    return all;
  }
  uint32_t scan(uint32_t *values, uint32_t size) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < size; i++) {
      const uint32_t value = values[i];
      values[i] = all;
      all += value;
    }
    return all;
  }
  void sort(Item *items, uint32_t size) {
    std::sort(items, items + size, [](const Item &x, const Item &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    std::fill(items + size, items + power_of_two(size), Item{~0ull, ~0ull}); /* as a device does */
  }
  template <typename T>
  T add(T *to, T value) {
    const T before = *to;
    *to += value;
    return before;
  }
  uint32_t exchange_if(uint32_t *at, uint32_t expected, uint32_t value) {
    const uint32_t before = *at;
    *at = before == expected ? value : before;
    return before;
  }
  void raise(uint64_t *at, uint64_t value) { *at = std::max(*at, value); }
  void lower(uint32_t *at, uint32_t value) { *at = std::min(*at, value); }

 private:
  bool backwards_;
};

}  // namespace lat::smt
