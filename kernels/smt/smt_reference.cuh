// The search as it is defined, and random sentences for it.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "latimer_smt.h"
#include "lm/lm_reference.cuh"

namespace lat::smt {

using lm_test::Model;
using Words = std::vector<uint32_t>;

struct Options {
  uint32_t stack = 100;
  uint32_t candidates = 500;
  uint32_t distortion = 6;
  bool alternatives = false;
  double lm_weight = 1;
  double distortion_weight = 0.4;
};

/* Choices and the sentences that have them. */
struct Lattices {
  struct Sentence {
    uint32_t words;
    uint32_t longest;
    std::vector<lat_smt_phrase> phrases;
  };

  std::vector<double> fixed;
  std::vector<double> expected;
  std::vector<Words> target;
  std::vector<Sentence> sentences; /* those with most words first */

  /* ties: whether promises are often equal. */
  Lattices(std::mt19937_64 &random, const Model &model, const Options &options, const std::vector<uint32_t> &lengths,
           uint32_t longest, uint32_t most_choices, bool ties) {
    std::vector<lat_smt_phrase> shared;
    for (const uint32_t words : lengths) {
      Sentence sentence{words, 1 + static_cast<uint32_t>(random() % longest), {}};
      sentence.phrases.assign(static_cast<size_t>(words) * sentence.longest, {0, 0});
      for (uint32_t from = 0; from < words; from++) {
        for (uint32_t length = 1; length <= sentence.longest && from + length <= words; length++) {
          if (length > 1 && random() % 3 == 0) {
            continue;
          }
          lat_smt_phrase &to = sentence.phrases[from * sentence.longest + length - 1];
          if (!shared.empty() && random() % 3 == 0) {
            to = shared[random() % shared.size()];
          } else {
            to = choices(random, model, options, 1 + static_cast<uint32_t>(random() % most_choices), ties);
            shared.push_back(to);
          }
        }
      }
      sentences.push_back(sentence);
    }
    std::stable_sort(sentences.begin(), sentences.end(),
                     [](const Sentence &a, const Sentence &b) { return a.words > b.words; });
  }

 private:
  lat_smt_phrase choices(std::mt19937_64 &random, const Model &model, const Options &options, uint32_t count,
                         bool ties) {
    std::vector<std::tuple<double, double, Words>> made;
    for (uint32_t i = 0; i < count; i++) {
      Words words(1 + random() % 4);
      for (uint32_t &word : words) {
        word = static_cast<uint32_t>(std::min(random() % model.words, random() % model.words));
      }
      const double score =
          ties ? static_cast<double>(random() % 3) - 2 : static_cast<double>(random() % 1000000) * -1e-5;
      made.emplace_back(score + options.lm_weight * total(model, {}, words).first, score, words);
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const auto &a, const auto &b) { return std::get<0>(a) > std::get<0>(b); });
    const auto first = static_cast<uint32_t>(fixed.size());
    for (const auto &[hoped, score, words] : made) {
      expected.push_back(hoped);
      fixed.push_back(score);
      target.push_back(words);
    }
    return {first, count};
  }

 public:
  /* The sum of the scores of words after a state, and the state after them, both newest first. */
  static std::pair<float, Words> total(const Model &model, const Words &state, const Words &words) {
    Words tokens;
    for (size_t i = state.size(); i > 0; i--) {
      tokens.push_back(state[i - 1] | LAT_LM_CONTEXT);
    }
    tokens.insert(tokens.end(), words.begin(), words.end());
    tokens[0] |= LAT_LM_FIRST;
    const auto scores = lm_test::plain(model, tokens);
    float sum = 0;
    for (size_t i = state.size(); i < scores.size(); i++) {
      sum += scores[i].log10;
    }
    Words after;
    for (size_t i = 0; i < scores.back().state_length; i++) {
      after.push_back(tokens[tokens.size() - 1 - i] & 0x3fffffffu);
    }
    return {sum, after};
  }
};

/* Looks at every extension. */
class Reference {
 public:
  struct Partial {
    double score;
    double promise;
    uint32_t gap;
    uint64_t mask;
    uint32_t end;
    Words state;
    int before;
    uint32_t from;
    uint32_t choice;
    float log10;
    int alternative;
  };

  std::vector<Partial> partials;
  std::vector<int> complete;
  std::vector<float> ends;
  size_t most_equal = 0; /* extensions of a step that promise at least as much as the last one that is scored */

  Reference(const Model &model, const Lattices &lattices, const Lattices::Sentence &sentence, const Options &options,
            uint32_t begin, uint32_t end)
      : model_(model), lattices_(lattices), sentence_(sentence), options_(options) {
    expect();
    partials.push_back({0, 0, 0, 0, 0, model.order > 1 ? Words{begin} : Words{}, -1, 0, 0, 0, -1});
    std::vector<std::vector<int>> stacks{{0}};
    for (uint32_t step = 1; step <= sentence.words; step++) {
      stacks.push_back(this->step(stacks));
    }
    complete = stacks.back();
    for (const int last : complete) {
      ends.push_back(Lattices::total(model, partials[static_cast<size_t>(last)].state, {end}).first);
    }
    if (!options.alternatives) {
      keep_near_best();
    }
  }

 private:
  struct Extension {
    double promise;
    int partial;
    uint32_t from;
    uint32_t length;
    uint32_t choice;
  };

  /* Of the complete ones only those that may be the best are results. */
  void keep_near_best() {
    double best = -std::numeric_limits<double>::infinity();
    double largest = 0;
    std::vector<double> scores;
    for (size_t i = 0; i < complete.size(); i++) {
      const double end = options_.lm_weight * static_cast<double>(ends[i]);
      scores.push_back(end + partials[static_cast<size_t>(complete[i])].score);
      best = std::max(best, scores[i]);
    }
    for (const Partial &partial : partials) {
      largest = std::max(largest, std::abs(partial.score));
    }
    const double allowed = LAT_SMT_NEAR_BEST * (1 + largest);
    size_t kept = 0;
    for (size_t i = 0; i < scores.size(); i++) {
      if (scores[i] >= best - allowed) {
        complete[kept] = complete[i];
        ends[kept++] = ends[i];
      }
    }
    complete.resize(kept);
    ends.resize(kept);
  }

  lat_smt_phrase phrase(uint32_t from, uint32_t length) const {
    return sentence_.phrases[static_cast<size_t>(from) * sentence_.longest + length - 1];
  }

  void expect() {
    const uint32_t words = sentence_.words;
    best_.assign(words + 1, std::vector<double>(words + 1, -std::numeric_limits<double>::infinity()));
    tail_.assign(words + 1, -std::numeric_limits<double>::infinity());
    tail_[words] = 0;
    for (uint32_t from = words; from-- > 0;) {
      for (uint32_t all = 1; from + all <= words; all++) {
        for (uint32_t length = 1; length <= sentence_.longest && length <= all; length++) {
          const lat_smt_phrase choices = phrase(from, length);
          if (choices.count != 0) {
            const double rest = length == all ? 0 : best_[from + length][all - length];
            best_[from][all] = std::max(best_[from][all], lattices_.expected[choices.first] + rest);
            if (from + all == words) {
              tail_[from] = std::max(tail_[from], lattices_.expected[choices.first] + tail_[from + length]);
            }
          }
        }
      }
    }
  }

  double open(uint32_t gap, uint64_t mask) const {
    double sum = 0;
    uint32_t at = gap;
    while (mask != 0) {
      uint32_t run = 0;
      for (; (mask & 1) == 0; mask >>= 1) {
        run++;
      }
      if (run > 0) {
        sum += best_[at][run];
      }
      for (; (mask & 1) != 0; mask >>= 1) {
        run++;
      }
      at += run;
    }
    return sum + tail_[at];
  }

  static void cover(uint32_t &gap, uint64_t &mask, uint32_t from, uint32_t length) {
    mask |= ((1ull << length) - 1) << (from - gap);
    for (; (mask & 1) != 0; mask >>= 1) {
      gap++;
    }
  }

  std::vector<int> step(const std::vector<std::vector<int>> &stacks) {
    const auto now = static_cast<uint32_t>(stacks.size());
    std::vector<Extension> extensions;
    for (uint32_t length = 1; length <= sentence_.longest && length <= now; length++) {
      const std::vector<int> &stack = stacks[now - length];
      for (size_t first = 0, next; first < stack.size(); first = next) {
        const Partial &one = at(stack[first]);
        for (next = first; next < stack.size() && at(stack[next]).gap == one.gap && at(stack[next]).mask == one.mask;) {
          next++;
        }
        for (uint32_t from = one.gap; from + length <= sentence_.words; from++) {
          if (from > one.gap && from + length > one.gap + options_.distortion) {
            break;
          }
          const lat_smt_phrase choices = phrase(from, length);
          if (choices.count == 0 || (one.mask & (((1ull << length) - 1) << (from - one.gap))) != 0) {
            continue;
          }
          uint32_t gap = one.gap;
          uint64_t mask = one.mask;
          cover(gap, mask, from, length);
          for (size_t i = first; i < next; i++) {
            const int jump = std::abs(static_cast<int>(from) - static_cast<int>(at(stack[i]).end));
            if (jump <= static_cast<int>(options_.distortion)) {
              const double base = (at(stack[i]).score - options_.distortion_weight * jump) + open(gap, mask);
              for (uint32_t k = 0; k < choices.count; k++) {
                const uint32_t choice = choices.first + k;
                extensions.push_back({base + lattices_.expected[choice], stack[i], from, length, choice});
              }
            }
          }
        }
      }
    }
    std::stable_sort(extensions.begin(), extensions.end(),
                     [](const Extension &a, const Extension &b) { return a.promise > b.promise; });
    if (extensions.size() > options_.candidates) {
      const double last = extensions[options_.candidates - 1].promise;
      size_t equal = 0;
      for (const Extension &extension : extensions) {
        equal += extension.promise >= last ? 1 : 0;
      }
      most_equal = std::max(most_equal, equal);
      extensions.resize(options_.candidates);
    }
    std::map<std::tuple<uint32_t, uint64_t, uint32_t, Words>, int> best;
    for (const Extension &extension : extensions) {
      const int added = add(extension);
      const Partial &one = at(added);
      int &winner = best.try_emplace({one.gap, one.mask, one.end, one.state}, -1).first->second;
      if (winner < 0) {
        winner = added;
      } else if (one.score > at(winner).score) {
        at(added).alternative = winner;
        winner = added;
      } else {
        at(added).alternative = at(winner).alternative;
        at(winner).alternative = added;
      }
    }
    std::vector<int> winners;
    for (const auto &entry : best) {
      winners.push_back(entry.second);
    }
    std::sort(winners.begin(), winners.end());
    std::stable_sort(winners.begin(), winners.end(), [&](int a, int b) { return at(a).promise > at(b).promise; });
    winners.resize(std::min<size_t>(winners.size(), options_.stack));
    std::stable_sort(winners.begin(), winners.end(), [&](int a, int b) {
      return std::tie(at(a).gap, at(a).mask) < std::tie(at(b).gap, at(b).mask);
    });
    return winners;
  }

  int add(const Extension &extension) {
    const Partial before = at(extension.partial);
    Partial made = before;
    cover(made.gap, made.mask, extension.from, extension.length);
    const auto [log10, state] = Lattices::total(model_, before.state, lattices_.target[extension.choice]);
    const int jump = std::abs(static_cast<int>(extension.from) - static_cast<int>(before.end));
    made.score = before.score - options_.distortion_weight * jump + lattices_.fixed[extension.choice] +
                 options_.lm_weight * static_cast<double>(log10);
    made.promise = made.score + open(made.gap, made.mask);
    made.end = extension.from + extension.length;
    made.state = state;
    made.before = extension.partial;
    made.from = extension.from;
    made.choice = extension.choice;
    made.log10 = log10;
    made.alternative = -1;
    partials.push_back(made);
    return static_cast<int>(partials.size()) - 1;
  }

  Partial &at(int i) { return partials[static_cast<size_t>(i)]; }
  const Partial &at(int i) const { return partials[static_cast<size_t>(i)]; }

  const Model &model_;
  const Lattices &lattices_;
  const Lattices::Sentence &sentence_;
  Options options_;
  std::vector<std::vector<double>> best_;
  std::vector<double> tail_;
};

}  // namespace lat::smt
