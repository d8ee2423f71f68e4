// Random grammars and sentences, and the definition of all results in its plainest form; for the test.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "grammar/grammar_driver.cuh"
#include "grammar/grammar_file.cuh"

namespace lat::grammar {

/* A random grammar. Dense ones derive nearly everything, sparse ones nearly nothing. */
inline PlainGrammar random_grammar(std::mt19937_64 &random, uint32_t variables, uint32_t binary, uint32_t unary,
                                   uint32_t words) {
  PlainGrammar grammar;
  for (uint32_t v = 0; v < variables; v++) {
    grammar.names.push_back("N" + std::to_string(v));
    grammar.variables.emplace(grammar.names.back(), v);
  }
  const auto variable = [&] { return static_cast<uint32_t>(random() % variables); };
  const auto weight = [&] { return -static_cast<float>(random() % 4096) / 256; };
  grammar.start = variable();
  for (uint32_t r = 0; r < binary; r++) {
    grammar.binary.push_back({variable(), variable(), variable(), weight()});
  }
  for (uint32_t r = 0; r < unary; r++) {
    grammar.unary.push_back({variable(), variable(), weight()});
  }
  for (uint32_t w = 0; w < words; w++) {
    grammar.words.emplace("w" + std::to_string(w), static_cast<int32_t>(w));
    for (uint64_t left = random() % 4; left > 0; left--) { /* some words have no variable */
      grammar.lexical.push_back({variable(), w, weight()});
    }
  }
  return grammar;
}

/* The cells of a sentence, by the definition: no classes, no bit sets over splits. */
class ReferenceChart {
 public:
  ReferenceChart(const PlainGrammar &grammar, const std::vector<int32_t> &sentence)
      : variables_(grammar.size()), length_(static_cast<uint32_t>(sentence.size())),
        cells_(static_cast<size_t>(length_ + 1) * (length_ + 1) * variables_, false) {
    for (uint32_t i = 0; i < length_; i++) {
      for (const auto &rule : grammar.lexical) {
        if (sentence[i] >= 0 && rule.child == static_cast<uint32_t>(sentence[i])) {
          set(i, i + 1, rule.parent);
        }
      }
      close(grammar, i, i + 1);
    }
    for (uint32_t span = 2; span <= length_; span++) {
      for (uint32_t i = 0; i + span <= length_; i++) {
        const uint32_t j = i + span;
        for (const auto &rule : grammar.binary) {
          for (uint32_t k = i + 1; k < j && !has(i, j, rule.parent); k++) {
            if (has(i, k, rule.left) && has(k, j, rule.right)) {
              set(i, j, rule.parent);
            }
          }
        }
        close(grammar, i, j);
      }
    }
  }
  bool has(uint32_t i, uint32_t j, uint32_t variable) const { return cells_[at(i, j, variable)]; }

 private:
  size_t at(uint32_t i, uint32_t j, uint32_t variable) const {
    return (static_cast<size_t>(i) * (length_ + 1) + j) * variables_ + variable;
  }
  void set(uint32_t i, uint32_t j, uint32_t variable) { cells_[at(i, j, variable)] = true; }
  void close(const PlainGrammar &grammar, uint32_t i, uint32_t j) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto &rule : grammar.unary) {
        if (has(i, j, rule.child) && !has(i, j, rule.parent)) {
          set(i, j, rule.parent);
          changed = true;
        }
      }
    }
  }

  uint32_t variables_;
  uint32_t length_;
  std::vector<bool> cells_;
};

}  // namespace lat::grammar
