// The paper's table 2 again: its strategies against its sequential program, one sentence after the other.
//
// A run of a sentence starts with its words in host memory and ends with the top cell there; the grammar was copied
// before, and memory allocated. Pageable and pinned say in which host memory words and top cell are; with zerocopy,
// kernels read rules and words from page-locked host memory, and the table stays on the device. The paper says neither.
#pragma once

#include <string>
#include <vector>

#include "common/bench.cuh"
#include "grammar/paper_rules.cuh"
#include "grammar/timed_run.cuh"

namespace lat::grammar {

enum class Transfer { kPageable, kPinned, kZeroCopy };

struct PaperRun {
  Strategy strategy;
  Transfer transfer = Transfer::kPageable;
};

constexpr const char *kMappings[] = {"rule", "rvs", "lvs"};
constexpr const char *kTransfers[] = {"pageable", "pinned", "zerocopy"};

inline bool mapping_of(const std::string &name, Mapping *mapping) {
  for (int m = 0; m < 3; m++) {
    if (name == kMappings[m]) {
      *mapping = static_cast<Mapping>(m);
      return true;
    }
  }
  return false;
}

inline bool transfer_of(const std::string &name, Transfer *transfer) {
  for (int t = 0; t < 3; t++) {
    if (name == kTransfers[t]) {
      *transfer = static_cast<Transfer>(t);
      return true;
    }
  }
  return false;
}

/* The rows and columns of the table, row by row. */
inline std::vector<PaperRun> table_2() {
  std::vector<PaperRun> runs;
  const std::pair<Mapping, bool> rows[] = {{Mapping::kRule, false},
                                           {Mapping::kRvs, false},
                                           {Mapping::kLvs, false},
                                           {Mapping::kRvs, true},
                                           {Mapping::kLvs, true}};
  for (const auto &row : rows) {
    for (const bool texture : {false, true}) {
      for (const bool shared : {false, true}) {
        for (const Transfer transfer : {Transfer::kPageable, Transfer::kPinned, Transfer::kZeroCopy}) {
          if (!texture || transfer != Transfer::kZeroCopy) { /* the table has no texture with zero copy */
            runs.push_back({{row.first, row.second, shared, texture}, transfer});
          }
        }
      }
    }
  }
  return runs;
}

class PaperBench {
 public:
  PaperBench(PlainGrammar grammar, Sentences sentences, int runs, const char *device)
      : grammar_(std::move(grammar)), sentences_(std::move(sentences)), runs_(runs), device_(device) {
    grammar_.unary.clear();
    const Lists words = PaperRules(grammar_, Strategy()).words;
    std::vector<uint8_t> table;
    std::vector<double> times;
    for (int run = 0; run < runs_; run++) {
      tops_.clear();
      const double start = now_ms();
      for (const auto &sentence : sentences_) {
        sequential(grammar_, words, sentence, &table);
        const size_t at = sentence.size() * grammar_.size(); /* cell (0, n) */
        tops_.emplace_back(table.begin() + static_cast<long>(at),
                           table.begin() + static_cast<long>(at + grammar_.size()));
      }
      times.push_back((now_ms() - start) / static_cast<double>(sentences_.size()));
    }
    sequential_ms_ = test::median(times);
    for (const auto &sentence : sentences_) {
      longest_ = std::max(longest_, sentence.size());
    }
  }

  void measure(const PaperRun &run) const {
    const PaperRules rules(grammar_, run.strategy);
    const size_t variables = grammar_.size();
    GpuMachine machine;
    const Pinned<uint32_t> mapped(rules.rules.size());
    std::copy(rules.rules.begin(), rules.rules.end(), mapped.get());
    const bool zero_copy = run.transfer == Transfer::kZeroCopy;
    PaperCheck paper =
        rules.paper(run.strategy, zero_copy ? mapped.get() : machine.put(rules.rules),
                    machine.put(rules.words.starts), machine.put(rules.words.items));
    paper.d_table = machine.take<uint8_t>(longest_ * (longest_ + 1) * variables);
    std::vector<int32_t> pageable_words(longest_);
    std::vector<uint8_t> pageable_top(variables);
    const Pinned<int32_t> pinned_words(longest_);
    const Pinned<uint8_t> pinned_top(variables);
    const bool pageable = run.transfer == Transfer::kPageable;
    int32_t *words = pageable ? pageable_words.data() : pinned_words.get();
    uint8_t *top = pageable ? pageable_top.data() : pinned_top.get();
    auto *d_words = machine.take<int32_t>(longest_);
    paper.d_sentence = zero_copy ? words : d_words;
    std::vector<double> times;
    for (int repeat = -1; repeat < runs_; repeat++) {
      const double start = now_ms();
      for (size_t s = 0; s < sentences_.size(); s++) {
        const auto &sentence = sentences_[s];
        std::copy(sentence.begin(), sentence.end(), words);
        paper.length = sentence.size();
        if (!zero_copy) {
          CHECK(cudaMemcpyAsync(d_words, words, sentence.size() * sizeof(int32_t), cudaMemcpyHostToDevice));
        }
        CHECK(paper_check(paper));
        CHECK(cudaMemcpyAsync(top, paper.d_table + sentence.size() * variables, variables, cudaMemcpyDeviceToHost));
        CHECK(cudaStreamSynchronize(nullptr));
        if (!std::equal(tops_[s].begin(), tops_[s].end(), top)) {
          cannot_read("a strategy is wrong");
        }
      }
      if (repeat >= 0) {
        times.push_back((now_ms() - start) / static_cast<double>(sentences_.size()));
      }
    }
    std::printf("{\"op\": \"cyk-paper\", \"device\": \"%s\", \"mapping\": \"%s\", \"dummy\": %s, \"shared\": %s, "
                "\"texture\": %s, \"transfer\": \"%s\", \"variables\": %zu, \"rules\": %zu, ",
                device_, kMappings[static_cast<int>(run.strategy.mapping)], name(run.strategy.dummy),
                name(run.strategy.shared), name(run.strategy.texture), kTransfers[static_cast<int>(run.transfer)],
                variables, rules.rules.size() / 2);
    finish(times);
  }

  /* The default on the same sentences and rules: one after the other, and all at once. */
  void measure_default() const {
    GpuMachine machine;
    const CheckWork work{PackedGrammar(grammar_).put(machine)};
    for (const bool together : {false, true}) {
      std::vector<Sentences> batches;
      for (const auto &sentence : sentences_) {
        if (!together || batches.empty()) {
          batches.emplace_back();
        }
        batches.back().push_back(sentence);
      }
      std::vector<std::unique_ptr<TimedRun<CheckWork>>> prepared;
      for (const auto &batch : batches) {
        prepared.push_back(std::make_unique<TimedRun<CheckWork>>(work, batch, uint64_t{1} << 30));
        prepared.back()->once();
      }
      std::vector<double> times;
      for (int repeat = -1; repeat < runs_; repeat++) {
        double ms = 0;
        for (const auto &run : prepared) {
          run->once();
          ms += run->ms;
        }
        if (repeat >= 0) {
          times.push_back(ms / static_cast<double>(sentences_.size()));
        }
      }
      std::printf("{\"op\": \"cyk-paper\", \"device\": \"%s\", \"mapping\": \"default\", \"together\": %s, ", device_,
                  name(together));
      finish(times);
    }
  }

 private:
  static const char *name(bool value) { return value ? "true" : "false"; }

  void finish(const std::vector<double> &times) const {
    const test::Spread ms(times);
    std::printf("\"sentences\": %zu, \"longest\": %zu, %s, \"sequential_ms\": %.4f, %s, \"runs\": %d}\n",
                sentences_.size(), longest_, test::fields("ms", ms, 4).c_str(), sequential_ms_,
                test::fields("speedup", ms.rate(sequential_ms_), 2).c_str(), runs_);
    std::fflush(stdout);
  }

  PlainGrammar grammar_;
  Sentences sentences_;
  int runs_;
  const char *device_;
  double sequential_ms_ = 0; /* per sentence */
  size_t longest_ = 0;
  std::vector<std::vector<uint8_t>> tops_;
};

}  // namespace lat::grammar
