// A batch on the device or on the host; for the test and the bench.
#pragma once

#include <memory>
#include <vector>

#include "common/machine.cuh"
#include "grammar/host.cuh"

namespace lat::grammar {

/* The functions of the library, on the device. */
class GpuMachine : public test::GpuMemory {
 public:
  int divide(const lat_grammar_index &index, const std::vector<uint32_t> &lengths, uint64_t memory,
             lat_grammar_plan *plan, uint32_t *order, uint32_t *slots, uint32_t *parts) {
    return lat_grammar_divide(&index, lengths.data(), lengths.size(), memory, plan, order, slots, parts);
  }
  int check(const lat_grammar_index &index, const lat_grammar_batch &batch, const lat_grammar_plan &plan,
            void *scratch, size_t *bytes) {
    return lat_grammar_check(&index, &batch, &plan, scratch, bytes, nullptr);
  }
  int viterbi(const lat_grammar_weights &weights, const lat_grammar_batch &batch, const lat_grammar_plan &plan,
              float *scores, uint32_t *nodes, void *scratch, size_t *bytes) {
    return lat_grammar_viterbi(&weights, &batch, &plan, scores, nodes, scratch, bytes, nullptr);
  }
  int paper_check(const PaperCheck &paper) { return grammar::paper_check(paper); }
};

/* The same on the host, with the limits of any device. */
class HostMachine : public test::HostMemory {
 public:
  HostMachine(bool backwards, const DeviceLimits &limits) : exec_(backwards), limits_(limits) {}

  int divide(const lat_grammar_index &index, const std::vector<uint32_t> &lengths, uint64_t memory,
             lat_grammar_plan *plan, uint32_t *order, uint32_t *slots, uint32_t *parts) {
    return grammar::divide(limits_, index, lengths.data(), lengths.size(), memory, plan, order, slots, parts);
  }
  int check(const lat_grammar_index &index, const lat_grammar_batch &batch, const lat_grammar_plan &plan,
            void *scratch, size_t *bytes) {
    for (uint32_t shape = 0; shape < LAT_GRAMMAR_SHAPES; shape++) { /* what a launch would refuse */
      if (plan.tiles[shape] == 0) {
        continue;
      }
      const auto blocks = static_cast<uint32_t>(plan.blocks[shape]);
      const TileLayout layout(index, kShapeWords[shape] / blocks, blocks, static_cast<uint32_t>(plan.slots[shape]));
      if (layout.bytes > limits_.shared_per_block || blocks > limits_.cluster) {
        return LAT_UNSUPPORTED;
      }
    }
    return grammar::check(exec_, index, batch, plan, scratch, bytes);
  }
  int viterbi(const lat_grammar_weights &weights, const lat_grammar_batch &batch, const lat_grammar_plan &plan,
              float *scores, uint32_t *nodes, void *scratch, size_t *bytes) {
    return grammar::viterbi(exec_, weights, batch, plan, scores, nodes, scratch, bytes);
  }
  int paper_check(const PaperCheck &paper) { return grammar::paper_check(exec_, paper); }

 private:
  OnHost exec_;
  DeviceLimits limits_;
};

using Sentences = std::vector<std::vector<int32_t>>;

/* A batch on a machine: what the caller of the kernels would hold. */
template <typename MACHINE>
class Batch {
 public:
  /* chart: whether to return all cells. memory: bytes of a group. */
  Batch(MACHINE &machine, const lat_grammar_index &index, const Sentences &sentences, bool chart, uint64_t memory)
      : machine_(machine), index_(index), order_(sentences.size()), slots_(sentences.size()),
        parts_(sentences.size() + 1) {
    std::vector<int32_t> words;
    std::vector<uint32_t> word_starts{0};
    std::vector<uint64_t> chart_starts;
    for (const auto &sentence : sentences) {
      const uint64_t n = sentence.size();
      words.insert(words.end(), sentence.begin(), sentence.end());
      word_starts.push_back(static_cast<uint32_t>(words.size()));
      lengths_.push_back(static_cast<uint32_t>(n));
      chart_starts.push_back(chart_words_);
      chart_words_ += index.classes * n * parts_of(n, uint64_t{32});
    }
    CHECK(machine.divide(index, lengths_, memory, &plan, order_.data(), slots_.data(), parts_.data()));
    batch_.sentences = sentences.size();
    batch_.lengths = lengths_.data();
    batch_.order = order_.data();
    batch_.slots = slots_.data();
    batch_.parts = parts_.data();
    batch_.d_words = machine.put(words);
    batch_.d_word_starts = machine.put(word_starts);
    batch_.d_order = machine.put(order_);
    batch_.d_slots = machine.put(slots_);
    batch_.d_parts = machine.put(parts_);
    batch_.d_results = machine.template take<uint32_t>(batch_.sentences * LAT_GRAMMAR_RESULTS);
    batch_.d_roots = machine.template take<uint32_t>(batch_.sentences * root_words());
    if (chart) {
      batch_.d_chart = machine.template take<uint32_t>(chart_words_);
      batch_.d_chart_starts = machine.put(chart_starts);
    }
    chart_starts_ = chart_starts;
    CHECK(machine.check(index, batch_, plan, nullptr, &scratch_bytes_));
    scratch_ = machine.template take<char>(scratch_bytes_);
  }
  void run() { CHECK(machine_.check(index_, batch_, plan, scratch_, &scratch_bytes_)); }
  void fetch() {
    results = machine_.get(batch_.d_results, batch_.sentences * LAT_GRAMMAR_RESULTS);
    roots = machine_.get(batch_.d_roots, batch_.sentences * root_words());
    if (batch_.d_chart != nullptr) {
      chart = machine_.get(batch_.d_chart, chart_words_);
    }
  }
  uint64_t root_words() const { return parts_of(index_.classes, uint64_t{32}); }
  bool root(uint64_t sentence, uint32_t symbol) const {
    return (roots[sentence * root_words() + symbol / 32] >> symbol % 32 & 1) != 0;
  }
  bool cell(uint64_t sentence, uint32_t i, uint32_t j, uint32_t symbol) const {
    const uint64_t n = lengths_[sentence];
    const uint64_t words = parts_of(n, uint64_t{32});
    return (chart[chart_starts_[sentence] + (symbol * n + i) * words + (j - 1) / 32] >> (j - 1) % 32 & 1) != 0;
  }
  uint32_t result(uint64_t sentence, uint32_t which) const { return results[sentence * LAT_GRAMMAR_RESULTS + which]; }

  lat_grammar_plan plan{};
  std::vector<uint32_t> results;
  std::vector<uint32_t> roots;
  std::vector<uint32_t> chart;

 private:
  MACHINE &machine_;
  lat_grammar_index index_;
  lat_grammar_batch batch_{};
  std::vector<uint32_t> lengths_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> parts_;
  std::vector<uint64_t> chart_starts_;
  uint64_t chart_words_ = 0;
  void *scratch_ = nullptr;
  size_t scratch_bytes_ = 0;
};

}  // namespace lat::grammar
