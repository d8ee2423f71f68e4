// The objects that the library hands out for neural translation: a model and a search, of any precision and kind.
#pragma once

#include <cstring>
#include <map>
#include <string>

#include "nmt/shortlist.cuh"
#include "nmt/values.cuh"

struct lat_nmt_model;

struct lat_nmt_search {
  virtual ~lat_nmt_search() = default;
  virtual uint64_t bytes() const = 0;
  virtual int place(void *memory, cudaStream_t stream) = 0;
  virtual int join(const lat_nmt_sentence *sentences, int count, const int32_t *ids, cudaStream_t stream) = 0;
  virtual int step(int most_rows, cudaStream_t stream) = 0;
  /* Whether sentences are restricted to the shortlist of the search's model. */
  virtual int keep_to_shortlist(const lat_nmt_model &model) = 0;
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
  virtual int64_t words() const = 0;
  lat::nmt::ShortlistTable shortlist{};
};

namespace lat::nmt {

/* How a tensor, [in][out] in 32 bits, is written into a factor [outputs][depth]. */
struct Packing {
  int64_t in = 0;
  int64_t out = 0;
  int depth = 0;
  int every = 1;      /* outputs are this far apart: between them are those of another layer */
  int at = 0;         /* start of its depth */
  int half = 0;       /* not 0: rows from `half` on start at half_at after `at` (annotations: two directions) */
  int half_at = 0;
  int state = 0;      /* not 0: columns are blocks of this many gates, interleaved as in layers.cuh */
  int block[4] = {0, 1, 2, 3};
  int blocks = 4;     /* number of those blocks per group of eight units */
  bool rows_are_outputs = false; /* an embedding: [out][in], unchanged */
};

template <typename T>
__global__ void pack_kernel(const float *from, T *to, Packing p) {
  const int64_t size = p.in * p.out;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t k = p.rows_are_outputs ? i % p.in : i / p.out;
    const int64_t c = p.rows_are_outputs ? i / p.in : i % p.out;
    const int64_t depth = p.at + (p.half != 0 && k >= p.half ? p.half_at + k - p.half : k);
    int64_t output = c * p.every;
    if (p.state != 0) {
      const int64_t j = c % p.state;
      output = (j / 8 * p.blocks + p.block[c / p.state]) * 8 + j % 8;
    }
    to[output * p.depth + depth] = narrow<T>(from[i]);
  }
}

/* Tensors by name: their shapes and how to store them. */
template <typename T>
class Tensors {
 public:
  /* A vector in 32 bits. */
  const float *vector(Scratch &memory, const std::string &name, int64_t width) {
    float *to = memory.take<float>(width);
    vector(name, width, to);
    return to;
  }
  /* A vector at a given place, its elements `every` apart. */
  void vector(const std::string &name, int64_t width, float *to, int every = 1) {
    Packing p;
    p.in = 1;
    p.out = width;
    p.depth = 1;
    p.every = every;
    wide(name, 1, width, to, p);
  }
  /* A table in 32 bits, row major. */
  const float *table(Scratch &memory, const std::string &name, int64_t rows, int64_t cols) {
    Packing p;
    p.in = cols;
    p.out = rows;
    p.depth = static_cast<int>(cols);
    p.rows_are_outputs = true;
    float *to = memory.take<float>(rows * cols);
    wide(name, rows, cols, to, p);
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
    if (entry.wide != nullptr) {
      pack_kernel<<<1024, 256, 0, stream>>>(values, entry.wide, entry.packing);
    } else {
      pack_kernel<<<1024, 256, 0, stream>>>(values, entry.matrix, entry.packing);
    }
    LAT_TRY(cudaGetLastError());
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
    float *wide;
    T *matrix;
    Packing packing;
  };
  void wide(const std::string &name, int64_t rows, int64_t cols, float *to, const Packing &packing) {
    Entry entry{};
    entry.rows = rows;
    entry.cols = cols;
    entry.wide = to;
    entry.packing = packing;
    wanted_[name].entry = entry;
  }
  struct Wanted {
    Entry entry{};
    bool written = false;
  };
  std::map<std::string, Wanted> wanted_;
};

/* The last layer's weights. */
template <typename T>
struct OutputWeights {
  const T *w = nullptr;
  const float *bias = nullptr;
  int words = 0;
  int depth = 0;
};
/* A model's per-word data. One matrix may serve as several of these. */
template <typename T>
struct WordWeights {
  const T *source = nullptr; /* embeddings, [words][padded width] */
  const T *target = nullptr;
  OutputWeights<T> output;
};

/* Shared by models of all kinds. */
template <typename T>
class NetworkModel : public lat_nmt_model {
 public:
  uint64_t bytes() const final { return bytes_; }
  int place(void *memory, cudaStream_t stream) final {
    LAT_REQUIRE(memory != nullptr && reinterpret_cast<uintptr_t>(memory) % 256 == 0);
    Scratch there(memory);
    tensors_.clear();
    lay_out(there);
    LAT_TRY(cudaMemsetAsync(memory, 0, bytes_, stream));
    return LAT_OK;
  }
  int tensor(const char *name, const float *values, uint64_t rows, uint64_t cols, cudaStream_t stream) final {
    return tensors_.write(name, values, rows, cols, stream);
  }
  uint64_t missing() const final { return tensors_.missing(); }
  int64_t words() const final { return word_weights_.output.words; }
  const WordWeights<T> &word_weights() const { return word_weights_; }

 protected:
  /* Places all weights. */
  virtual void lay_out(Scratch &memory) = 0;
  /* Called once settings are known. */
  void size_up() {
    Scratch none(nullptr);
    lay_out(none);
    bytes_ = none.size();
  }
  /* Places the model's per-word data; `width` is that of an embedding. */
  template <typename SETTINGS>
  void lay_out_words(Scratch &memory, const SETTINGS &s, int64_t width) {
    WordWeights<T> &w = word_weights_;
    w.source = embedding_matrix(memory, "source.embedding", s.source_words, width);
    w.target = s.shares_embeddings ? w.source : embedding_matrix(memory, "target.embedding", s.words, width);
    w.output.w = s.ties_output ? w.target : embedding_matrix(memory, "output.Wt", s.words, width);
    w.output.bias = tensors_.vector(memory, "output.bias", s.words);
    w.output.words = static_cast<int>(s.words);
    w.output.depth = padded<T>(width);
  }

  Tensors<T> tensors_;

 private:
  /* An embedding, or an output matrix: [words][padded width]. */
  const T *embedding_matrix(Scratch &memory, const std::string &name, int64_t words, int64_t width) {
    const int depth = padded<T>(width);
    T *to = memory.take<T>(words * depth);
    Packing p;
    p.in = width;
    p.out = words;
    p.depth = depth;
    p.rows_are_outputs = true;
    tensors_.matrix(name, words, width, to, p);
    return to;
  }

  WordWeights<T> word_weights_;
  uint64_t bytes_ = 0;
};

/* One per precision, each in its own source. */
template <typename T>
int make_rnn(const lat_nmt_rnn_settings &settings, lat_nmt_model **model);
template <typename T>
int make_transformer(const lat_nmt_transformer_settings &settings, lat_nmt_model **model);

}  // namespace lat::nmt
