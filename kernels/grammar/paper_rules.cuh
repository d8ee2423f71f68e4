// The paper's order of the rules, and its sequential program; for the test and the bench.
#pragma once

#include <algorithm>
#include <vector>

#include "grammar/grammar_file.cuh"
#include "grammar/paper.cuh"

namespace lat::grammar {

/* rule: as the rules come. rvs: sorted by the first variable on the right side. lvs: sorted by the left side. */
enum class Mapping { kRule, kRvs, kLvs };

struct Strategy {
  Mapping mapping = Mapping::kRule;
  bool dummy = false; /* all rules of a warp agree in what they are sorted by */
  bool shared = false;
  bool texture = false;
};

/* The arrays of PaperCheck. Unary rules are left out. */
struct PaperRules {
  uint32_t variables;
  std::vector<uint32_t> rules;
  Lists words;

  PaperRules(const PlainGrammar &grammar, const Strategy &strategy) : variables(grammar.size()) {
    std::vector<PlainGrammar::Binary> sorted = grammar.binary;
    const auto key = [&](const PlainGrammar::Binary &rule) {
      return strategy.mapping == Mapping::kLvs ? rule.parent : rule.left;
    };
    if (strategy.mapping != Mapping::kRule) {
      std::stable_sort(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
    }
    for (size_t r = 0; r < sorted.size(); r++) {
      while (strategy.dummy && r > 0 && key(sorted[r]) != key(sorted[r - 1]) && rules.size() / 2 % kLanes != 0) {
        rules.insert(rules.end(), {0, kDummy});
      }
      rules.push_back(sorted[r].left | sorted[r].right << 16);
      rules.push_back(sorted[r].parent);
    }
    std::vector<std::vector<uint32_t>> of_word(grammar.words.size());
    for (const auto &rule : grammar.lexical) {
      of_word[rule.child].push_back(rule.parent);
    }
    for (const auto &list : of_word) {
      words.items.insert(words.items.end(), list.begin(), list.end());
      words.end();
    }
  }

  /* All but the sentence and the table. rules, words and variables: on the device, or mapped. */
  PaperCheck paper(const Strategy &strategy, const uint32_t *d_rules, const uint32_t *d_word_starts,
                          const uint32_t *d_word_variables) const {
    PaperCheck made{};
    made.variables = variables;
    made.rules = rules.size() / 2;
    made.d_rules = d_rules;
    made.d_word_starts = d_word_starts;
    made.d_word_variables = d_word_variables;
    made.words = words.starts.size() - 1;
    made.shared = strategy.shared ? 1 : 0;
    made.warps = strategy.shared && strategy.dummy && strategy.mapping == Mapping::kLvs ? 1 : 0;
    made.texture = strategy.texture ? 1 : 0;
    made.threads = 1024;
    return made;
  }
};

/* Procedures 1 and 2. table is cleared, and filled as PaperCheck.d_table. */
inline void sequential(const PlainGrammar &grammar, const Lists &words, const std::vector<int32_t> &sentence,
                       std::vector<uint8_t> *table) {
  const size_t n = sentence.size();
  const size_t variables = grammar.size();
  table->assign(n * (n + 1) * variables, 0);
  uint8_t *m = table->data();
  const auto at = [&](size_t i, size_t j) { return m + (i * (n + 1) + j) * variables; };
  for (size_t i = 0; i < n; i++) {
    const auto word = static_cast<size_t>(sentence[i]);
    for (uint32_t v = sentence[i] < 0 ? 0 : words.starts[word]; sentence[i] >= 0 && v < words.starts[word + 1]; v++) {
      at(i, i + 1)[words.items[v]] = 1;
    }
  }
  for (size_t span = 2; span <= n; span++) {
    for (size_t i = 0; i + span <= n; i++) {
      const size_t j = i + span;
      uint8_t *cell = at(i, j);
      for (const auto &rule : grammar.binary) {
        for (size_t split = i + 1; split < j; split++) {
          if (at(i, split)[rule.left] != 0) {
            if (at(split, j)[rule.right] != 0) {
              cell[rule.parent] = 1;
            }
          }
        }
      }
    }
  }
}

}  // namespace lat::grammar
