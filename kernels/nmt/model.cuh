// What the library hands out for neural translation: a model and a search, of whatever precision and kind.
#pragma once

#include <cstring>
#include <map>
#include <string>

#include "nmt/search.cuh"
#include "nmt/values.cuh"

struct lat_nmt_search {
  virtual ~lat_nmt_search() = default;
  virtual uint64_t bytes() const = 0;
  virtual int place(void *memory, cudaStream_t stream) = 0;
  virtual int join(const lat_nmt_sentence *sentences, int count, const int32_t *ids, cudaStream_t stream) = 0;
  virtual int step(int most_rows, cudaStream_t stream) = 0;
  lat_nmt_options options{};
  lat::nmt::SearchState state{};
};

struct lat_nmt_model {
  virtual ~lat_nmt_model() = default;
  virtual uint64_t bytes() const = 0;
  virtual int place(void *memory, cudaStream_t stream) = 0;
  virtual int tensor(const char *name, const float *values, uint64_t rows, uint64_t cols, cudaStream_t stream) = 0;
  virtual uint64_t missing() const = 0;
  virtual int search(const lat_nmt_options &options, lat_nmt_report *report, lat_nmt_search **made) const = 0;
};

namespace lat::nmt {

/* How a tensor, [in][out] in 32 bits, is written into a factor [outputs][depth]. */
struct Packing {
  int64_t in = 0;
  int64_t out = 0;
  int depth = 0;
  int at = 0;         /* where its depth begins */
  int half = 0;       /* not 0: rows from `half` on lie at half_at behind `at` (annotations: two directions) */
  int half_at = 0;
  int state = 0;      /* not 0: columns are blocks of so many gates, interleaved as layers.cuh says */
  int block[4] = {0, 1, 2, 3};
  bool rows_are_outputs = false; /* an embedding: [out][in] as it is */
};

template <typename T>
__global__ void pack_kernel(const float *from, T *to, Packing p) {
  const int64_t size = p.in * p.out;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t k = p.rows_are_outputs ? i % p.in : i / p.out;
    const int64_t c = p.rows_are_outputs ? i / p.in : i % p.out;
    const int64_t depth = p.at + (p.half != 0 && k >= p.half ? p.half_at + k - p.half : k);
    int64_t output = c;
    if (p.state != 0) {
      const int64_t j = c % p.state;
      output = j / 8 * 32 + p.block[c / p.state] * 8 + j % 8;
    }
    to[output * p.depth + depth] = narrow<T>(from[i]);
  }
}

/* Tensors by name: what shape they have and what is done with them. */
template <typename T>
class Tensors {
 public:
  /* A vector in 32 bits. */
  const float *vector(Scratch &memory, const std::string &name, int64_t width) {
    float *to = memory.take<float>(width);
    Entry entry{};
    entry.rows = 1;
    entry.cols = width;
    entry.vector = to;
    wanted_[name].entry = entry;
    return to;
  }
  /* A matrix, or a part of one. */
  void matrix(const std::string &name, int64_t rows, int64_t cols, T *to, const Packing &packing) {
    Entry entry{};
    entry.rows = rows;
    entry.cols = cols;
    entry.matrix = to;
    entry.packing = packing;
    wanted_[name].entry = entry;
  }

  int write(const char *name, const float *values, uint64_t rows, uint64_t cols, cudaStream_t stream) {
    const auto found = wanted_.find(name);
    LAT_REQUIRE(found != wanted_.end());
    Entry &entry = found->second.entry;
    LAT_REQUIRE(entry.rows == static_cast<int64_t>(rows) && entry.cols == static_cast<int64_t>(cols));
    if (entry.vector != nullptr) {
      LAT_TRY(cudaMemcpyAsync(entry.vector, values, cols * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    } else {
      pack_kernel<<<1024, 256, 0, stream>>>(values, entry.matrix, entry.packing);
      LAT_TRY(cudaGetLastError());
    }
    found->second.written = true;
    return LAT_OK;
  }
  uint64_t missing() const {
    uint64_t n = 0;
    for (const auto &w : wanted_) {
      n += w.second.written ? 0 : 1;
    }
    return n;
  }
  void clear() { wanted_.clear(); }

 private:
  struct Entry {
    int64_t rows;
    int64_t cols;
    float *vector;
    T *matrix;
    Packing packing;
  };
  struct Wanted {
    Entry entry{};
    bool written = false;
  };
  std::map<std::string, Wanted> wanted_;
};

/* One for each precision, each in a source of its own. */
template <typename T>
int make_rnn(const lat_nmt_rnn_settings &settings, lat_nmt_model **model);

}  // namespace lat::nmt
