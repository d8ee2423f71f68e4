// The arrays of lat_grammar_weights, and the definition of the best trees; for the test and the bench.
#pragma once

#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <vector>

#include "grammar/grammar_driver.cuh"
#include "grammar/grammar_file.cuh"

namespace lat::grammar {

struct PackedWeights {
  uint32_t variables;
  uint32_t start;
  std::vector<uint32_t> pairs;
  Lists parents; /* by pair */
  std::vector<float> weights;
  std::vector<uint32_t> rule_starts;
  std::vector<uint32_t> rules;
  std::vector<float> rule_weights;
  Lists paths;
  std::vector<float> path_weights;
  Lists words;
  std::vector<float> word_weights;

  explicit PackedWeights(const PlainGrammar &from) : variables(from.size()), start(from.start) {
    std::vector<PlainGrammar::Binary> sorted = from.binary;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto &a, const auto &b) { return a.parent < b.parent; });
    rule_starts.assign(variables + 1, 0);
    for (const auto &rule : sorted) {
      rule_starts[rule.parent + 1]++;
      rules.push_back(rule.left | rule.right << 16);
      rule_weights.push_back(rule.weight);
    }
    for (uint32_t v = 0; v < variables; v++) {
      rule_starts[v + 1] += rule_starts[v];
    }
    std::map<std::pair<uint32_t, uint32_t>, std::vector<PlainGrammar::Binary>> by_pair;
    for (const auto &rule : from.binary) {
      by_pair[{rule.left, rule.right}].push_back(rule);
    }
    for (const auto &entry : by_pair) {
      pairs.push_back(entry.first.first | entry.first.second << 16);
      for (const auto &rule : entry.second) {
        parents.items.push_back(rule.parent);
        weights.push_back(rule.weight);
      }
      parents.end();
    }
    std::vector<std::vector<PlainGrammar::Single>> below(variables);
    for (const auto &rule : from.unary) {
      below[rule.parent].push_back(rule);
    }
    for (uint32_t v = 0; v < variables; v++) { /* Dijkstra */
      std::map<uint32_t, double> found;
      std::priority_queue<std::pair<double, uint32_t>> open;
      open.push({0, v});
      while (!open.empty()) {
        const auto next = open.top();
        open.pop();
        if (!found.emplace(next.second, next.first).second) {
          continue;
        }
        for (const auto &rule : below[next.second]) {
          open.push({next.first + static_cast<double>(rule.weight), rule.child});
        }
      }
      for (const auto &entry : found) {
        if (entry.first != v) {
          paths.items.push_back(entry.first);
          path_weights.push_back(static_cast<float>(entry.second));
        }
      }
      paths.end();
    }
    std::vector<std::map<uint32_t, float>> of_word(from.words.size());
    for (const auto &rule : from.lexical) {
      const auto made = of_word[rule.child].emplace(rule.parent, rule.weight).first;
      made->second = std::max(made->second, rule.weight);
    }
    for (const auto &list : of_word) {
      for (const auto &entry : list) {
        words.items.push_back(entry.first);
        word_weights.push_back(entry.second);
      }
      words.end();
    }
  }

  template <typename MACHINE>
  lat_grammar_weights put(MACHINE &machine) const {
    lat_grammar_weights made{};
    made.variables = variables;
    made.start = start;
    made.pairs = pairs.size();
    made.d_pairs = machine.put(pairs);
    made.d_pair_starts = machine.put(parents.starts);
    made.d_parents = machine.put(parents.items);
    made.d_weights = machine.put(weights);
    made.rules = rules.size();
    made.d_rule_starts = machine.put(rule_starts);
    made.d_rules = machine.put(rules);
    made.d_rule_weights = machine.put(rule_weights);
    made.d_path_starts = machine.put(paths.starts);
    made.d_path_ends = machine.put(paths.items);
    made.d_path_weights = machine.put(path_weights);
    made.words = words.starts.size() - 1;
    made.d_word_starts = machine.put(words.starts);
    made.d_word_variables = machine.put(words.items);
    made.d_word_weights = machine.put(word_weights);
    return made;
  }
};

/* A score, and nodes as lat_grammar_viterbi writes them. */
struct Tree {
  float score = -std::numeric_limits<float>::infinity();
  std::vector<uint32_t> nodes;
};

/* The definition in latimer_grammar.h, word for word. */
class ReferenceTrees {
 public:
  ReferenceTrees(const PackedWeights &weights, const std::vector<int32_t> &sentence)
      : weights_(weights), length_(static_cast<uint32_t>(sentence.size())) {
    const size_t cells = static_cast<size_t>(length_ + 1) * (length_ + 1) * weights.variables;
    base_.assign(cells, kNone);
    best_.assign(cells, kNone);
    for (uint32_t span = 1; span <= length_; span++) {
      for (uint32_t i = 0; i + span <= length_; i++) {
        const uint32_t j = i + span;
        if (span == 1 && sentence[i] >= 0 && static_cast<size_t>(sentence[i]) + 1 < weights.words.starts.size()) {
          for (uint32_t w = weights.words.starts[sentence[i]]; w < weights.words.starts[sentence[i] + 1]; w++) {
            base_[at(i, j, weights.words.items[w])] = weights.word_weights[w];
          }
        }
        for (uint32_t v = 0; v < weights.variables && span > 1; v++) {
          uint32_t split = 0;
          uint32_t rule = 0;
          derive(v, i, j, &base_[at(i, j, v)], &split, &rule);
        }
        for (uint32_t v = 0; v < weights.variables; v++) {
          uint32_t end = 0;
          climb(v, i, j, &best_[at(i, j, v)], &end);
        }
      }
    }
  }

  Tree tree() const {
    Tree made;
    if (length_ > 0) {
      made.score = best_[at(0, length_, weights_.start)];
      if (made.score > kNone) {
        add(weights_.start, 0, length_, &made.nodes);
      }
    }
    return made;
  }

 private:
  static constexpr float kNone = -std::numeric_limits<float>::infinity();

  size_t at(uint32_t i, uint32_t j, uint32_t v) const {
    return (static_cast<size_t>(i) * (length_ + 1) + j) * weights_.variables + v;
  }
  void derive(uint32_t v, uint32_t i, uint32_t j, float *most, uint32_t *split, uint32_t *rule) const {
    for (uint32_t r = weights_.rule_starts[v]; r < weights_.rule_starts[v + 1]; r++) {
      float highest = kNone;
      uint32_t first = 0;
      for (uint32_t k = i + 1; k < j; k++) {
        const float parts = best_[at(i, k, weights_.rules[r] & 0xffff)] + best_[at(k, j, weights_.rules[r] >> 16)];
        if (parts > highest) {
          highest = parts;
          first = k;
        }
      }
      if (highest + weights_.rule_weights[r] > *most) {
        *most = highest + weights_.rule_weights[r];
        *split = first;
        *rule = r;
      }
    }
  }
  void climb(uint32_t v, uint32_t i, uint32_t j, float *most, uint32_t *end) const {
    *most = base_[at(i, j, v)];
    *end = v;
    for (uint32_t p = weights_.paths.starts[v]; p < weights_.paths.starts[v + 1]; p++) {
      const float sum = base_[at(i, j, weights_.paths.items[p])] + weights_.path_weights[p];
      if (sum > *most) {
        *most = sum;
        *end = weights_.paths.items[p];
      }
    }
  }
  void add(uint32_t v, uint32_t i, uint32_t j, std::vector<uint32_t> *nodes) const {
    float most = kNone;
    uint32_t end = 0;
    climb(v, i, j, &most, &end);
    nodes->push_back(v | end << 16);
    if (j == i + 1) {
      nodes->push_back(0);
      return;
    }
    most = kNone;
    uint32_t split = 0;
    uint32_t rule = 0;
    derive(end, i, j, &most, &split, &rule);
    nodes->push_back(split - i);
    add(weights_.rules[rule] & 0xffff, i, split, nodes);
    add(weights_.rules[rule] >> 16, split, j, nodes);
  }

  const PackedWeights &weights_;
  uint32_t length_;
  std::vector<float> base_;
  std::vector<float> best_;
};

/* The best trees of sentences, on a machine. */
template <typename MACHINE>
std::vector<Tree> best_trees(MACHINE &machine, const lat_grammar_weights &weights, const Sentences &sentences,
                             uint64_t memory) {
  std::vector<int32_t> words;
  std::vector<uint32_t> word_starts{0};
  std::vector<uint32_t> lengths;
  for (const auto &sentence : sentences) {
    words.insert(words.end(), sentence.begin(), sentence.end());
    word_starts.push_back(static_cast<uint32_t>(words.size()));
    lengths.push_back(static_cast<uint32_t>(sentence.size()));
  }
  std::vector<uint32_t> order(sentences.size());
  std::vector<uint32_t> slots(sentences.size());
  std::vector<uint32_t> parts(sentences.size() + 1);
  lat_grammar_plan plan{};
  CHECK(lat_grammar_viterbi_divide(&weights, lengths.data(), lengths.size(), memory, &plan, order.data(), slots.data(),
                                   parts.data()));
  lat_grammar_batch batch{};
  batch.sentences = sentences.size();
  batch.lengths = lengths.data();
  batch.order = order.data();
  batch.slots = slots.data();
  batch.parts = parts.data();
  batch.d_words = machine.put(words);
  batch.d_word_starts = machine.put(word_starts);
  batch.d_order = machine.put(order);
  batch.d_slots = machine.put(slots);
  batch.d_parts = machine.put(parts);
  auto *d_scores = machine.template take<float>(sentences.size());
  auto *d_nodes = machine.template take<uint32_t>(4 * words.size());
  size_t bytes = 0;
  CHECK(machine.viterbi(weights, batch, plan, d_scores, d_nodes, nullptr, &bytes));
  void *scratch = machine.template take<char>(bytes);
  CHECK(machine.viterbi(weights, batch, plan, d_scores, d_nodes, scratch, &bytes));
  const std::vector<float> scores = machine.get(d_scores, sentences.size());
  const std::vector<uint32_t> nodes = machine.get(d_nodes, 4 * words.size());
  std::vector<Tree> trees(sentences.size());
  for (size_t s = 0; s < sentences.size(); s++) {
    if (lengths[s] == 0) {
      continue;
    }
    trees[s].score = scores[s];
    if (scores[s] > -std::numeric_limits<float>::infinity()) {
      const auto from = nodes.begin() + 4 * static_cast<long>(word_starts[s]);
      trees[s].nodes.assign(from, from + 2 * (2 * static_cast<long>(lengths[s]) - 1));
    }
  }
  return trees;
}

}  // namespace lat::grammar
