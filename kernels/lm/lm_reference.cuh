// Random models, the scores that they define, and their file's layout "hash"; for tests.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "common/both.cuh"
#include "latimer_lm.h"

namespace lat::lm_test {

using Ngram = std::vector<uint32_t>;  // last word first, as in the trie

constexpr uint32_t kSignBit = 0x80000000u;

struct Entry {
  float prob;
  float backoff;
};

/* A random model: every n-gram of a random text, so that all suffixes and contexts exist. */
struct Model {
  int order;
  uint32_t words;
  std::map<Ngram, Entry> ngrams;

  Model(int order, uint32_t words, size_t text_size, std::mt19937_64 &random) : order(order), words(words) {
    Ngram text(text_size);
    for (auto &word : text) {
      word = static_cast<uint32_t>(std::min(random() % words, random() % words));
    }
    const auto number = [&]() { return -static_cast<float>(random() % 100000) / 16384; };
    for (uint32_t word = 0; word < words; word++) {
      ngrams[{word}] = {number(), number()};
    }
    for (size_t end = 1; end <= text.size(); end++) {
      Ngram ngram;
      for (size_t n = 1; n <= static_cast<size_t>(order) && n <= end; n++) {
        ngram.push_back(text[end - n]);
        ngrams.emplace(ngram, Entry{number(), random() % 4 == 0 ? 0.0f : number()});
      }
    }
    for (auto &[ngram, entry] : ngrams) {
      if (ngram.size() == static_cast<size_t>(order)) {
        entry.backoff = 0;
      } else if (entry.backoff == 0 && random() % 2 == 0) {
        entry.backoff = -0.0f;  // as for an n-gram that starts no longer one
      }
    }
  }

  bool has_children(const Ngram &ngram) const {
    const auto after = ngrams.upper_bound(ngram);
    return after != ngrams.end() && after->first.size() > ngram.size() &&
           std::equal(ngram.begin(), ngram.end(), after->first.begin());
  }

  float stored(const Ngram &ngram, float prob) const {
    return std::copysign(prob, has_children(ngram) ? -1.0f : 1.0f);
  }
};

struct Score {
  float log10 = 0;
  uint8_t length = 0;
  uint8_t state_length = 0;
  std::vector<float> backoffs;
};

/* The definition: the longest n-gram, plus the back-offs of the longer contexts, shortest first. */
inline std::vector<Score> plain(const Model &model, const std::vector<uint32_t> &tokens) {
  std::vector<Score> scores;
  size_t first = 0;
  for (size_t p = 0; p < tokens.size(); p++) {
    const auto id = [&](size_t at) {
      const uint32_t word = tokens[at] & 0x3fffffffu;
      return word < model.words ? word : 0;
    };
    if (tokens[p] & LAT_LM_FIRST) {
      first = p;
    }
    Score score;
    score.backoffs.assign(model.order - 1, -0.0f);
    const auto matched = [&](size_t end, size_t n) {  // n words that end at `end`
      Ngram ngram;
      for (size_t k = 0; k < n; k++) {
        ngram.push_back(id(end - k));
      }
      return model.ngrams.find(ngram);
    };
    for (size_t n = 1; n <= static_cast<size_t>(model.order) && p + 1 >= first + n; n++) {
      const auto found = matched(p, n);
      if (found == model.ngrams.end()) {
        break;
      }
      score.length = static_cast<uint8_t>(n);
      score.log10 = std::copysign(found->second.prob, -1.0f);
      if (n < static_cast<size_t>(model.order)) {
        score.backoffs[n - 1] = found->second.backoff;
        if (bits_of(found->second.backoff) != kSignBit) {
          score.state_length = static_cast<uint8_t>(n);
        }
      }
    }
    for (size_t k = score.length; k < static_cast<size_t>(model.order) && p >= first + k; k++) {
      const auto context = matched(p - 1, k);
      if (context != model.ngrams.end()) {
        score.log10 += context->second.backoff;
      }
    }
    if (tokens[p] & LAT_LM_CONTEXT) {
      score.log10 = 0;
      score.length = 0;
    }
    scores.push_back(score);
  }
  return scores;
}

struct HashFile {
  std::vector<uint32_t> unigrams;
  std::vector<uint32_t> table;
  uint64_t buckets;

  HashFile(const Model &model, double load) {
    uint64_t longer = 0;
    for (const auto &entry : model.ngrams) {
      longer += entry.first.size() > 1;
    }
    buckets = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(longer) / load / 2) + 1);
    table.assign(buckets * 8, 0);
    for (uint64_t slot = 0; slot < 2 * buckets; slot++) {
      table[slot * 4 + 1] = ~0u;
    }
    std::map<Ngram, uint32_t> numbers;
    for (int n = 1; n <= model.order; n++) {
      for (const auto &[ngram, entry] : model.ngrams) {
        if (ngram.size() != static_cast<size_t>(n)) {
          continue;
        }
        const float prob = model.stored(ngram, entry.prob);
        if (n == 1) {
          unigrams.push_back(bits_of(prob));
          unigrams.push_back(bits_of(entry.backoff));
          numbers[ngram] = ngram[0];
        } else {
          const uint32_t parent = numbers.at(Ngram(ngram.begin(), ngram.end() - 1));
          const uint64_t slot = free_slot(parent, ngram.back());
          table[slot * 4] = parent;
          table[slot * 4 + 1] = ngram.back();
          table[slot * 4 + 2] = bits_of(prob);
          table[slot * 4 + 3] = bits_of(entry.backoff);
          numbers[ngram] = model.words + static_cast<uint32_t>(slot);
        }
      }
    }
  }

  uint64_t free_slot(uint32_t parent, uint32_t word) const {
    uint64_t x = static_cast<uint64_t>(parent) << 32 | word;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    x ^= x >> 33;
    for (uint64_t bucket = (x >> 32) * buckets >> 32;; bucket = (bucket + 1) % buckets) {
      for (uint64_t slot = 2 * bucket; slot < 2 * bucket + 2; slot++) {
        if (table[slot * 4 + 1] == ~0u) {
          return slot;
        }
      }
    }
  }
};

}  // namespace lat::lm_test
