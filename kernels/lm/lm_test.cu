// Both layouts against a plain map, over random models and texts. Exits with 0 if every score, length and state is
// equal, bit for bit.
//
//   lm_test [SCALE]     SCALE multiplies the sizes; 0 makes them small, for compute-sanitizer's slower tools
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include "common/test.cuh"

namespace {

using namespace lat::test;
using Ngram = std::vector<uint32_t>;  // last word first, as in the trie

constexpr uint32_t kSignBit = 0x80000000u;

int failures = 0;
int compared = 0;

struct Entry {
  float prob;
  float backoff;
};

uint32_t bits(float value) {
  uint32_t out;
  std::memcpy(&out, &value, sizeof(out));
  return out;
}

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
std::vector<Score> plain(const Model &model, const std::vector<uint32_t> &tokens) {
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
        if (bits(found->second.backoff) != kSignBit) {
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
          unigrams.push_back(bits(prob));
          unigrams.push_back(bits(entry.backoff));
          numbers[ngram] = ngram[0];
        } else {
          const uint32_t parent = numbers.at(Ngram(ngram.begin(), ngram.end() - 1));
          const uint64_t slot = free_slot(parent, ngram.back());
          table[slot * 4] = parent;
          table[slot * 4 + 1] = ngram.back();
          table[slot * 4 + 2] = bits(prob);
          table[slot * 4 + 3] = bits(entry.backoff);
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

struct BTreeFile {
  std::vector<uint32_t> root;
  std::vector<uint32_t> nodes;

  struct Node {
    std::vector<Ngram> keys;
    std::vector<size_t> children;  // numbers of nodes
    uint64_t address = 0;
  };
  std::deque<Node> all;
  std::map<Ngram, size_t> tree_of;  // first node of an n-gram's children

  BTreeFile(const Model &model, size_t node_keys) {
    root.assign(model.words * 4ull, 0);
    std::vector<std::vector<Ngram>> levels(model.order + 1);
    for (const auto &entry : model.ngrams) {
      levels[entry.first.size()].push_back(entry.first);  // the map's order: by parent, then by word
    }
    uint64_t address = 0;
    for (int n = 2; n <= model.order; n++) {
      for (size_t i = 0; i < levels[n].size();) {
        const Ngram parent(levels[n][i].begin(), levels[n][i].end() - 1);
        size_t end = i;
        while (end < levels[n].size() && std::equal(parent.begin(), parent.end(), levels[n][end].begin())) {
          end++;
        }
        const size_t first_node = all.size();
        tree_of[parent] = first_node;
        grow({levels[n].begin() + static_cast<std::ptrdiff_t>(i), levels[n].begin() + static_cast<std::ptrdiff_t>(end)},
             node_keys);
        for (size_t node = first_node; node < all.size(); node++) {
          all[node].address = address;
          address += 1 + all[node].keys.size() * (n == model.order ? 2 : 4) + all[node].children.size();
        }
        i = end;
      }
    }
    nodes.assign(address, 0);
    for (const auto &node : all) {
      uint64_t at = node.address;
      nodes[at++] = static_cast<uint32_t>(node.keys.size()) | (node.children.empty() ? 0 : kSignBit);
      for (const Ngram &key : node.keys) {
        nodes[at++] = key.back();
      }
      for (size_t child : node.children) {
        nodes[at++] = static_cast<uint32_t>(all[child].address - node.address);
      }
      for (const Ngram &key : node.keys) {
        const Entry &entry = model.ngrams.at(key);
        nodes[at++] = bits(model.stored(key, entry.prob));
        if (key.size() < static_cast<size_t>(model.order)) {
          nodes[at++] = bits(entry.backoff);
          const auto tree = tree_of.find(key);
          nodes[at++] =
              tree == tree_of.end() ? 0 : static_cast<uint32_t>(all[tree->second].address - node.address);
        }
      }
    }
    for (uint32_t word = 0; word < model.words; word++) {
      const Entry &entry = model.ngrams.at({word});
      root[word * 4] = bits(model.stored({word}, entry.prob));
      root[word * 4 + 1] = bits(entry.backoff);
      const auto tree = tree_of.find({word});
      root[word * 4 + 2] = tree == tree_of.end() ? 0 : static_cast<uint32_t>(all[tree->second].address) + 1;
    }
  }

  /* A B-tree of sorted keys, breadth-first. */
  void grow(const std::vector<Ngram> &keys, size_t node_keys) {
    std::deque<std::pair<size_t, std::pair<size_t, size_t>>> open;  // nodes, and the range of keys below them
    all.emplace_back();
    open.push_back({all.size() - 1, {0, keys.size()}});
    while (!open.empty()) {
      const auto [node, range] = open.front();
      open.pop_front();
      const size_t size = range.second - range.first;
      if (size <= node_keys) {
        all[node].keys.assign(keys.begin() + static_cast<std::ptrdiff_t>(range.first),
                              keys.begin() + static_cast<std::ptrdiff_t>(range.second));
        continue;
      }
      size_t from = range.first;
      for (size_t k = 0; k <= node_keys; k++) {
        const size_t rest = size - node_keys;
        const size_t to = from + rest / (node_keys + 1) + (k < rest % (node_keys + 1) ? 1 : 0);
        all.emplace_back();
        all[node].children.push_back(all.size() - 1);
        open.push_back({all.size() - 1, {from, to}});
        if (k < node_keys) {
          all[node].keys.push_back(keys[to]);
        }
        from = to + 1;
      }
    }
  }
};

void compare(const std::string &what, const Model &model, const std::vector<Score> &expected, const float *log10,
             const uint8_t *lengths, const uint8_t *state_lengths, const float *backoffs) {
  for (size_t p = 0; p < expected.size(); p++) {
    compared++;
    const Score &e = expected[p];
    bool same = bits(log10[p]) == bits(e.log10) && lengths[p] == e.length && state_lengths[p] == e.state_length;
    for (int k = 0; k < model.order - 1; k++) {
      same = same && bits(backoffs[p * (model.order - 1) + k]) == bits(e.backoffs[k]);
    }
    if (!same) {
      failures++;
      std::printf("FAILED %s, token %zu: %.9g %d %d, expected %.9g %d %d\n", what.c_str(), p, log10[p], lengths[p],
                  state_lengths[p], e.log10, e.length, e.state_length);
      return;
    }
  }
}

/* Every third state, gathered on the device. */
void check_picked(const std::string &what, const Model &model, const Array<uint8_t> &states,
                  const Array<float> &backoffs, const std::vector<uint8_t> &all_states,
                  const std::vector<float> &all_backoffs) {
  std::vector<uint32_t> positions;
  for (size_t p = 0; p < all_states.size(); p += 3) {
    positions.push_back(static_cast<uint32_t>(p));
  }
  const size_t contexts = static_cast<size_t>(model.order) - 1;
  const Array<uint32_t> d_positions(positions);
  const Array<uint8_t> lengths(positions.size());
  const Array<float> picked(positions.size() * contexts);
  CHECK(lat_lm_states(d_positions.get(), positions.size(), model.order, states.get(), backoffs.get(), lengths.get(),
                      picked.get(), nullptr));
  const std::vector<uint8_t> found_lengths = lengths.copy(positions.size());
  const std::vector<float> found = picked.copy(positions.size() * contexts);
  bool same = true;
  for (size_t i = 0; i < positions.size(); i++) {
    same = same && found_lengths[i] == all_states[positions[i]] &&
           std::memcmp(&found[i * contexts], &all_backoffs[positions[i] * contexts], contexts * sizeof(float)) == 0;
  }
  compared++;
  if (!same) {
    failures++;
    std::printf("FAILED states of %s\n", what.c_str());
  }
}

template <typename CALL>
void check(const std::string &what, const Model &model, const std::vector<uint32_t> &tokens,
           const std::vector<Score> &expected, CALL call) {
  const Array<uint32_t> text(tokens);
  Array<float> log10(tokens.size());
  Array<uint8_t> lengths(tokens.size());
  Array<uint8_t> states(tokens.size());
  Array<float> backoffs(tokens.size() * (model.order - 1));
  const std::vector<float> wrong(tokens.size(), 7);
  CHECK(cudaMemcpy(log10.get(), wrong.data(), log10.bytes(), cudaMemcpyHostToDevice));
  CHECK(call(text.get(), tokens.size(), log10.get(), lengths.get(), states.get(), backoffs.get()));
  const std::vector<uint8_t> all_states = states.copy(tokens.size());
  const std::vector<float> all_backoffs = backoffs.copy(tokens.size() * (model.order - 1));
  compare(what, model, expected, log10.copy(tokens.size()).data(), lengths.copy(tokens.size()).data(),
          all_states.data(), all_backoffs.data());
  if (model.order > 1) {
    check_picked(what, model, states, backoffs, all_states, all_backoffs);
  }
}

std::vector<uint32_t> random_text(const Model &model, size_t size, uint64_t sentence, std::mt19937_64 &random) {
  std::vector<const Ngram *> known;
  for (const auto &entry : model.ngrams) {
    known.push_back(&entry.first);
  }
  std::vector<uint32_t> tokens;
  while (tokens.size() < size) {
    if (random() % 8 == 0) {
      tokens.push_back(static_cast<uint32_t>(random() % (model.words + 3)));  // some are outside the vocabulary
    } else {
      const Ngram &ngram = *known[random() % known.size()];
      tokens.insert(tokens.end(), ngram.rbegin(), ngram.rend());
    }
  }
  tokens.resize(size);
  for (size_t p = 0; p < size; p++) {
    tokens[p] |= p == 0 || random() % sentence == 0 ? LAT_LM_FIRST : 0;
    tokens[p] |= random() % 9 == 0 ? LAT_LM_CONTEXT : 0;
  }
  return tokens;
}

void expect(const char *what, int status, int expected) {
  compared++;
  if (status != expected) {
    failures++;
    std::printf("FAILED %s: %s\n", what, lat_error_name(status));
  }
}

}  // namespace

int main(int argc, char **argv) {
  const double given = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  const bool small = given == 0;
  const double scale = small ? 0.02 : given;
  std::mt19937_64 random(20261121);
  const auto sized = [&](double size) { return static_cast<size_t>(size * scale) + 3; };
  for (int order = 1; order <= LAT_LM_MAX_ORDER; order++) {
    for (const uint32_t words : small ? std::vector<uint32_t>{40} : std::vector<uint32_t>{1, 40, 3000}) {
      const Model model(order, words, sized(20000), random);
      for (const size_t size : small ? std::vector<size_t>{70} : std::vector<size_t>{1, 31, 32, 33, 64, sized(50000)}) {
        const std::vector<uint32_t> tokens = random_text(model, size, size < 100 ? 10 : 25, random);
        const std::vector<Score> expected = plain(model, tokens);
        const std::string what =
            "order " + std::to_string(order) + ", " + std::to_string(words) + " words, " + std::to_string(size);
        for (const double load : {0.3, 0.72, 0.97}) {
          const HashFile file(model, load);
          const Array<uint32_t> unigrams(file.unigrams);
          const Array<uint32_t> table(file.table);
          check("hash, " + what, model, tokens, expected,
                [&](const uint32_t *text, uint64_t n, float *l, uint8_t *m, uint8_t *s, float *b) {
            return lat_lm_hash_score(text, n, order, unigrams.get(), words, table.get(), file.buckets, l, m, s, b,
                                     nullptr);
          });
        }
        for (const size_t keys : {3u, 31u, 32u, 63u}) {
          const BTreeFile file(model, keys);
          const Array<uint32_t> root(file.root);
          const Array<uint32_t> nodes(file.nodes);
          check("btree of " + std::to_string(keys) + ", " + what, model, tokens, expected,
                [&](const uint32_t *text, uint64_t n, float *l, uint8_t *m, uint8_t *s, float *b) {
            return lat_lm_btree_score(text, n, order, root.get(), words, nodes.get(), file.nodes.size(), l, m, s, b,
                                      nullptr);
          });
        }
      }
    }
  }
  {
    // A table without a free slot, which no builder makes: searches for missing n-grams must end.
    const Model model(3, 40, sized(20000), random);
    HashFile file(model, 0.72);
    for (size_t slot = 0; slot < file.table.size() / 4; slot++) {
      if (file.table[slot * 4 + 1] == ~0u) {
        file.table[slot * 4] = file.table[slot * 4 + 1] = ~1u;
      }
    }
    const std::vector<uint32_t> tokens = random_text(model, 100, 10, random);
    const std::vector<Score> expected = plain(model, tokens);
    const Array<uint32_t> unigrams(file.unigrams);
    const Array<uint32_t> table(file.table);
    check("a full table", model, tokens, expected,
          [&](const uint32_t *text, uint64_t n, float *l, uint8_t *m, uint8_t *s, float *b) {
            return lat_lm_hash_score(text, n, 3, unigrams.get(), 40, table.get(), file.buckets, l, m, s, b, nullptr);
          });
  }
  {
    // Damaged nodes: whatever they contain, nothing outside of them is read, and the kernel ends.
    const Model model(4, 40, sized(20000), random);
    BTreeFile file(model, 3);
    for (auto &word : file.nodes) {
      if (random() % 5 == 0) {
        word = static_cast<uint32_t>(random());
      }
    }
    const std::vector<uint32_t> tokens = random_text(model, sized(20000), 25, random);
    const Array<uint32_t> text(tokens);
    const Array<uint32_t> root(file.root);
    const Array<uint32_t> nodes(file.nodes);
    const Array<float> log10(tokens.size());
    const Array<uint8_t> lengths(tokens.size());
    expect("damaged nodes", lat_lm_btree_score(text.get(), tokens.size(), 4, root.get(), 40, nodes.get(), nodes.size(),
                                               log10.get(), lengths.get(), nullptr, nullptr, nullptr), LAT_OK);
    CHECK(cudaDeviceSynchronize());
  }
  expect("order 9", lat_lm_hash_score(nullptr, 1, 9, nullptr, 1, nullptr, 1, nullptr, nullptr, nullptr, nullptr,
                                      nullptr), LAT_BAD_ARGUMENT);
  expect("no words", lat_lm_btree_score(nullptr, 1, 2, nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr, nullptr,
                                        nullptr), LAT_BAD_ARGUMENT);
  CHECK(cudaDeviceSynchronize());
  std::printf("lm_test: %d comparisons, %d failed\n", compared, failures);
  return failures == 0 && compared > 0 ? 0 : 1;
}
