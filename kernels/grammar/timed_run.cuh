// One batch end to end, timed; for the bench.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "common/bench.cuh"
#include "grammar/grammar_driver.cuh"

namespace lat::grammar {

using test::Array;
using test::Limit;
using test::Pinned;
using test::Timer;

inline double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* What is done with a batch: membership. */
struct CheckWork {
  lat_grammar_index index;

  uint64_t result_words(uint64_t sentences, uint64_t) const {
    return sentences * (LAT_GRAMMAR_RESULTS + parts_of(index.classes, uint64_t{32}));
  }
  int divide(const std::vector<uint32_t> &lengths, uint64_t memory, lat_grammar_plan *plan, uint32_t *order,
             uint32_t *slots, uint32_t *parts) const {
    return lat_grammar_divide(&index, lengths.data(), lengths.size(), memory, plan, order, slots, parts);
  }
  int queue(lat_grammar_batch batch, const lat_grammar_plan &plan, uint32_t *d_output, void *scratch,
            size_t *bytes) const {
    batch.d_results = d_output;
    batch.d_roots = d_output + batch.sentences * LAT_GRAMMAR_RESULTS;
    return lat_grammar_check(&index, &batch, &plan, scratch, bytes, nullptr);
  }
  bool accepted(const uint32_t *output, uint64_t sentence) const {
    return output[sentence * LAT_GRAMMAR_RESULTS + LAT_GRAMMAR_ACCEPTED] != 0;
  }
};

/* The best trees. */
struct TreesWork {
  lat_grammar_weights weights;

  uint64_t result_words(uint64_t sentences, uint64_t words) const { return sentences + 4 * words; }
  int divide(const std::vector<uint32_t> &lengths, uint64_t memory, lat_grammar_plan *plan, uint32_t *order,
             uint32_t *slots, uint32_t *parts) const {
    return lat_grammar_viterbi_divide(&weights, lengths.data(), lengths.size(), memory, plan, order, slots, parts);
  }
  int queue(const lat_grammar_batch &batch, const lat_grammar_plan &plan, uint32_t *d_output, void *scratch,
            size_t *bytes) const {
    return lat_grammar_viterbi(&weights, &batch, &plan, reinterpret_cast<float *>(d_output),
                               d_output + batch.sentences, scratch, bytes, nullptr);
  }
  bool accepted(const uint32_t *output, uint64_t sentence) const { return output[sentence] != 0xff800000u; }
};

/* A batch whose input and output are in page-locked memory, each in one piece. */
template <typename WORK>
class TimedRun {
 public:
  TimedRun(const WORK &work, const Sentences &sentences, uint64_t memory)
      : work_(work), memory_(memory), size_(sentences.size()), words_(words_of(sentences)),
        result_words_(work.result_words(size_, words_)), lengths_(size_), input_(words_ + 4 * size_ + 2),
        output_(result_words_), d_input_(words_ + 4 * size_ + 2), d_output_(result_words_) {
    uint32_t *at = input_.get();
    for (const auto &sentence : sentences) {
      std::copy(sentence.begin(), sentence.end(), at);
      at += sentence.size();
    }
    *at = 0;
    for (size_t s = 0; s < size_; s++) {
      lengths_[s] = static_cast<uint32_t>(sentences[s].size());
      at[1] = at[0] + lengths_[s];
      at++;
    }
  }

  void once() {
    const double start = now_ms();
    uint32_t *order = input_.get() + words_ + size_ + 1;
    uint32_t *slots = order + size_;
    uint32_t *parts = slots + size_;
    CHECK(work_.divide(lengths_, memory_, &plan, order, slots, parts));
    const double divided = now_ms();
    lat_grammar_batch batch{};
    batch.sentences = size_;
    batch.lengths = lengths_.data();
    batch.order = order;
    batch.slots = slots;
    batch.parts = parts;
    const uint32_t *d_input = d_input_.get();
    batch.d_words = reinterpret_cast<const int32_t *>(d_input);
    batch.d_word_starts = d_input + words_;
    batch.d_order = batch.d_word_starts + size_ + 1;
    batch.d_slots = batch.d_order + size_;
    batch.d_parts = batch.d_slots + size_;
    size_t bytes = 0;
    CHECK(work_.queue(batch, plan, d_output_.get(), nullptr, &bytes));
    if (scratch_ == nullptr || scratch_->size() < bytes) {
      scratch_ = std::make_unique<Array<char>>(bytes);
    }
    CHECK(cudaMemcpyAsync(d_input_.get(), input_.get(), d_input_.bytes(), cudaMemcpyHostToDevice));
    timer_.start();
    CHECK(work_.queue(batch, plan, d_output_.get(), scratch_->get(), &bytes));
    device_ms = timer_.stop_ms();
    CHECK(cudaMemcpyAsync(output_.get(), d_output_.get(), d_output_.bytes(), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(nullptr));
    ms = now_ms() - start;
    divide_ms = divided - start;
  }

  uint64_t accepted() const {
    uint64_t count = 0;
    for (size_t s = 0; s < size_; s++) {
      count += work_.accepted(output_.get(), s) ? 1 : 0;
    }
    return count;
  }
  uint64_t words() const { return words_; }
  double device_mb() const { return static_cast<double>(plan.memory) / 1e6; }

  /* The least time that the kernels could take: see viterbi.cuh. */
  Limit limit(const TreesWork &work) const {
    double splits = 0; /* of a cell */
    for (const uint32_t n : lengths_) {
      splits += (static_cast<double>(n) * n * n - n) / 6;
    }
    return {"sectors of L2", 1e3 * splits * 8 / 32 * static_cast<double>(work.weights.pairs) / test::random_sectors(1)};
  }
  /* See tile.cuh and diagonal.cuh. */
  Limit limit(const CheckWork &work) const {
    const uint32_t *order = input_.get() + words_ + size_ + 1;
    const uint32_t *parts = order + 2 * size_;
    double shared = 0; /* cycles of one multiprocessor */
    double sectors = 0;
    uint64_t part = 0;
    const auto rows = [&](uint64_t from, uint64_t to, auto f) {
      for (uint32_t span = 2; span <= lengths_[order[from]]; span++) {
        uint64_t cells = 0;
        for (uint64_t n = from; n < to && lengths_[order[n]] >= span; n++) {
          cells += lengths_[order[n]] - span + 1;
        }
        f(static_cast<double>(parts_of(cells, uint64_t{32})), span);
      }
    };
    const auto pairs = static_cast<double>(work.index.pairs);
    for (; part < plan.groups; part++) {
      rows(parts[part], parts[part + 1], [&](double count, uint32_t span) {
        sectors += count * (8 * pairs * (1 + static_cast<double>(span - 2) / 32));
      });
    }
    for (uint32_t shape = 0; shape < LAT_GRAMMAR_SHAPES; shape++) {
      for (const uint64_t end = part + plan.tiles[shape]; part < end; part++) {
        rows(parts[part], parts[part + 1],
             [&](double count, uint32_t) {
               shared += count * pairs * (2 * kShapeWords[shape] + static_cast<double>(plan.blocks[shape]));
             });
      }
    }
    const double cycles = 1e3 * test::attribute(cudaDevAttrClockRate) * test::attribute(cudaDevAttrMultiProcessorCount);
    return test::highest({{"shared memory", 1e3 * shared / cycles},
                          {"sectors of L2", 1e3 * sectors / test::random_sectors(1)}});
  }

  lat_grammar_plan plan{};
  double ms = 0;
  double divide_ms = 0;
  double device_ms = 0;

 private:
  static uint64_t words_of(const Sentences &sentences) {
    uint64_t words = 0;
    for (const auto &sentence : sentences) {
      words += sentence.size();
    }
    return words;
  }

  WORK work_;
  uint64_t memory_;
  uint64_t size_;
  uint64_t words_;
  uint64_t result_words_;
  std::vector<uint32_t> lengths_;
  Pinned<uint32_t> input_; /* words, word starts, order, slots, parts */
  Pinned<uint32_t> output_;
  Array<uint32_t> d_input_;
  Array<uint32_t> d_output_;
  std::unique_ptr<Array<char>> scratch_;
  Timer timer_;
};

}  // namespace lat::grammar
