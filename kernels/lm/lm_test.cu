// Both layouts against a plain map, over random models and texts. Exits with 0 if every score, length and state is
// equal, bit for bit.
//
//   lm_test [SCALE]     SCALE multiplies the sizes; 0 makes them small, for compute-sanitizer's slower tools
#include <deque>

#include "common/compare.cuh"
#include "common/test.cuh"
#include "lm/lm_reference.cuh"

namespace {

using namespace lat::lm_test;
using namespace lat::test;
using lat::bits_of;

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
        nodes[at++] = bits_of(model.stored(key, entry.prob));
        if (key.size() < static_cast<size_t>(model.order)) {
          nodes[at++] = bits_of(entry.backoff);
          const auto tree = tree_of.find(key);
          nodes[at++] =
              tree == tree_of.end() ? 0 : static_cast<uint32_t>(all[tree->second].address - node.address);
        }
      }
    }
    for (uint32_t word = 0; word < model.words; word++) {
      const Entry &entry = model.ngrams.at({word});
      root[word * 4] = bits_of(model.stored({word}, entry.prob));
      root[word * 4 + 1] = bits_of(entry.backoff);
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
    bool same = bits_of(log10[p]) == bits_of(e.log10) && lengths[p] == e.length && state_lengths[p] == e.state_length;
    for (int k = 0; k < model.order - 1; k++) {
      same = same && bits_of(backoffs[p * (model.order - 1) + k]) == bits_of(e.backoffs[k]);
    }
    if (!same) {
      failed("%s, token %zu: %.9g %d %d, expected %.9g %d %d", what.c_str(), p, log10[p], lengths[p], state_lengths[p],
             e.log10, e.length, e.state_length);
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
    fail("states of " + what);
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
  return finish("lm_test");
}
