// Every strategy against a plain count on the host, over awkward texts. Exits with 0 if all are equal.
//
//   ngram_test [SCALE]     SCALE multiplies the sizes; 0 makes texts and tables small, for compute-sanitizer's racecheck,
//                          which takes minutes for a table of 2^24 counts
#include <cstring>
#include <random>
#include <tuple>

#include "common/compare.cuh"
#include "ngram/mix.cuh"
#include "ngram/ngram_driver.cuh"

namespace {

using namespace lat::test;
using Bytes = std::vector<uint8_t>;
using Table = std::map<uint64_t, uint64_t>;
using WordTable = std::map<std::vector<uint32_t>, uint64_t>;

bool small = false;

/* A text with padding after it, whose values must not matter. */
struct Text {
  Array<uint8_t> device;
  uint64_t bytes;
  explicit Text(const Bytes &text) : device(text.size() + LAT_NGRAM_PADDING), bytes(text.size()) {
    CHECK(cudaMemset(device.get(), 0xa5, device.bytes()));
    CHECK(cudaMemcpy(device.get(), text.data(), text.size(), cudaMemcpyHostToDevice));
  }
};

Table plain(const Bytes &text, const std::vector<uint64_t> &ends, int order) {
  Table counts;
  uint64_t start = 0;
  for (uint64_t end : ends) {
    for (uint64_t p = start; p + order <= end; p++) {
      uint64_t key = 0;
      for (int i = 0; i < order; i++) {
        key = key << 8 | text[p + i];
      }
      counts[key]++;
    }
    start = end;
  }
  return counts;
}

void compare(const char *what, const char *text, int order, const List &found, const Table &expected) {
  compared++;
  bool same = found.keys.size() == expected.size();
  size_t i = 0;
  for (auto it = expected.begin(); same && it != expected.end(); ++it, ++i) {
    same = found.keys[i] == it->first && found.counts[i] == it->second;
  }
  if (!same) {
    failed("%s, order %d, %s: %zu n-grams, expected %zu%s", what, order, text, found.keys.size(), expected.size(),
           found.keys.size() == expected.size() ? "; one differs" : "");
  }
}

void test_bytes(const char *name, const Bytes &text, const std::vector<uint64_t> &ends) {
  const Text device(text);
  const bool whole = ends.size() <= 1;
  for (int order = 1; order <= 8; order++) {
    const Table expected = plain(text, ends, order);
    uint64_t windows = 0;
    for (const auto &entry : expected) {
      windows += entry.second;
    }
    const Array<uint64_t> d_ends(ends);
    // The kernels read bitmaps in units of 16 windows, which a multiple of 4 bytes always holds.
    const Array<uint32_t> bitmap(lat_ngram_valid_bytes(text.size()) / 4);
    if (!whole) {
      CHECK(lat_ngram_valid(d_ends.get(), ends.size(), text.size(), order, bitmap.get(), nullptr));
    }
    const uint32_t *valid = whole ? nullptr : bitmap.get();
    const int bits = 8 * order;
    if (order <= (small ? 2 : 3)) {
      Array<uint32_t> counts(1ull << bits);
      counts.clear();
      CHECK(lat_ngram_v1(device.device.get(), device.bytes, valid, order, counts.get(), nullptr));
      compare("v1", name, order, listed(bits, [&](uint64_t *k, uint64_t *c, uint64_t capacity, uint64_t *size) {
                return lat_ngram_dense_list(counts.get(), nullptr, order, k, c, capacity, size, nullptr);
              }),
              expected);
      const uint32_t copies = order < 3 ? 7 : 2;
      Array<uint32_t> private_counts(copies * (1ull << bits));
      private_counts.clear();
      CHECK(lat_ngram_v2(device.device.get(), device.bytes, valid, order, copies, private_counts.get(), nullptr));
      CHECK(lat_ngram_v2_reduce(private_counts.get(), copies, order, nullptr));
      compare("v2", name, order, listed(bits, [&](uint64_t *k, uint64_t *c, uint64_t capacity, uint64_t *size) {
                return lat_ngram_dense_list(private_counts.get(), nullptr, order, k, c, capacity, size, nullptr);
              }),
              expected);
    }
    if (order <= 2) {
      Array<uint64_t> counts(1ull << bits);
      counts.clear();
      CHECK(lat_ngram_shared(device.device.get(), device.bytes, valid, order, counts.get(), nullptr));
      compare("shared", name, order, listed(bits, [&](uint64_t *k, uint64_t *c, uint64_t capacity, uint64_t *size) {
                return lat_ngram_dense_list(nullptr, counts.get(), order, k, c, capacity, size, nullptr);
              }),
              expected);
    }
    if (windows > 0) {
      const uint64_t capacity = expected.size() + 3;
      Array<uint64_t> keys(capacity);
      Array<uint64_t> counts(capacity);
      Array<uint64_t> size(1);
      size_t bytes = 0;
      CHECK(lat_ngram_sort(device.device.get(), device.bytes, valid, windows, order, keys.get(), counts.get(), capacity,
                           size.get(), nullptr, &bytes, nullptr));
      const Array<char> scratch(bytes);
      CHECK(lat_ngram_sort(device.device.get(), device.bytes, valid, windows, order, keys.get(), counts.get(), capacity,
                           size.get(), scratch.get(), &bytes, nullptr));
      const uint64_t found = size.one();
      compare("sort", name, order, {keys.copy(std::min(found, capacity)), counts.copy(std::min(found, capacity))},
              expected);
    }
    for (uint64_t capacity : {1024ull, small ? 1ull << 13 : 1ull << 20}) {  // one table that must grow, and one that need not
      HashTable table(capacity);
      const auto count = [&]() {
        return table.count(lat_ngram_byte_tiles(device.bytes),
                           [&](lat_ngram_entry *entries, uint64_t size, lat_ngram_progress *progress,
                               lat_ngram_entry *overflow) {
                             return lat_ngram_hash(device.device.get(), device.bytes, valid, order, entries, size,
                                                   progress, overflow, nullptr);
                           });
      };
      count();
      compare(capacity == 1024 ? "hash, grown" : "hash", name, order, table.list(bits), expected);
      count();  // again into the same table
      Table twice = expected;
      for (auto &entry : twice) {
        entry.second *= 2;
      }
      compare("hash, twice", name, order, table.list(bits), twice);
    }
  }
}

void test_words(const char *name, const std::vector<uint32_t> &words, const std::vector<uint64_t> &ends) {
  uint32_t most = 1;
  for (uint32_t word : words) {
    most = std::max(most, word);
  }
  int word_bits = 0;
  while (word_bits < 32 && most >> word_bits != 0) {
    word_bits++;
  }
  for (int order = 1; order <= 5; order++) {
    WordTable expected;
    Table packed;
    uint64_t windows = 0;
    uint64_t start = 0;
    for (uint64_t end : ends) {
      for (uint64_t p = start; p + order <= end; p++) {
        expected[{words.begin() + p, words.begin() + p + order}]++;
        uint64_t key = 0;
        for (int i = 0; i < order; i++) {
          key = i == 0 ? words[p] : key << word_bits | words[p + i];
        }
        packed[key]++;
        windows++;
      }
      start = end;
    }
    const Array<uint32_t> text(words);
    const Array<uint64_t> d_ends(ends);
    const Array<uint32_t> valid(lat_ngram_valid_bytes(words.size()) / 4);
    CHECK(lat_ngram_valid(d_ends.get(), ends.size(), words.size(), order, valid.get(), nullptr));
    if (windows > 0) {
      const uint64_t capacity = expected.size();
      Array<uint32_t> ngrams(capacity * order);
      Array<uint64_t> counts(capacity);
      Array<uint64_t> size(1);
      size_t bytes = 0;
      CHECK(lat_ngram_words_sort(text.get(), words.size(), valid.get(), windows, order, word_bits, ngrams.get(),
                                 counts.get(), capacity, size.get(), nullptr, &bytes, nullptr));
      const Array<char> scratch(bytes);
      CHECK(lat_ngram_words_sort(text.get(), words.size(), valid.get(), windows, order, word_bits, ngrams.get(),
                                 counts.get(), capacity, size.get(), scratch.get(), &bytes, nullptr));
      compared++;
      const auto found = ngrams.copy(capacity * order);
      const auto found_counts = counts.copy(capacity);
      bool same = size.one() == capacity;
      uint64_t i = 0;
      for (const auto &entry : expected) {
        same = same && found_counts[i] == entry.second &&
               std::memcmp(entry.first.data(), found.data() + i * order, order * sizeof(uint32_t)) == 0;
        i++;
      }
      if (!same) {
        failed("words sort, order %d, %d bits, %s", order, word_bits, name);
      }
    }
    const int bits = order * word_bits;
    if (bits < 64 || (bits == 64 && word_bits == 32)) {
      for (uint64_t capacity : {1024ull, small ? 1ull << 13 : 1ull << 18}) {
        HashTable table(capacity);
        table.count(lat_ngram_word_tiles(words.size()), [&](lat_ngram_entry *entries, uint64_t size,
                                                            lat_ngram_progress *progress, lat_ngram_entry *overflow) {
          return lat_ngram_words_hash(text.get(), words.size(), valid.get(), order, word_bits, entries, size, progress,
                                      overflow, nullptr);
        });
        compare("words hash", name, order, table.list(bits), packed);
      }
    }
  }
}

std::vector<uint64_t> random_ends(uint64_t size, uint64_t longest, std::mt19937_64 &random) {
  std::vector<uint64_t> ends;
  for (uint64_t at = 0; at < size;) {
    at = std::min(size, at + random() % (longest + 1));
    ends.push_back(at);
  }
  if (ends.empty()) {
    ends.push_back(0);
  }
  return ends;
}

/* A text crafted so that all its n-grams hash to the same slot of every table: n-grams without a free slot
 * overflow, and must neither exceed the overflow buffer nor be lost. */
void test_crowd(uint64_t records) {
  constexpr int kOrder = 8;
  constexpr uint64_t kDifferent = 100000;
  Bytes text(records * kOrder);
  std::vector<uint64_t> ends(records);
  std::vector<uint64_t> expected(kDifferent);
  for (uint64_t i = 0; i < records; i++) {
    const uint64_t key = lat::ngram::unmix64(i % kDifferent);
    for (int b = 0; b < kOrder; b++) {
      text[i * kOrder + b] = static_cast<uint8_t>(key >> (8 * (kOrder - 1 - b)));
    }
    ends[i] = (i + 1) * kOrder;
    expected[i % kDifferent]++;
  }
  const Text device(text);
  const Array<uint64_t> d_ends(ends);
  const Array<uint32_t> valid(lat_ngram_valid_bytes(text.size()) / 4);
  CHECK(lat_ngram_valid(d_ends.get(), ends.size(), text.size(), kOrder, valid.get(), nullptr));
  uint64_t room = 0;
  CHECK(lat_ngram_hash_overflow(&room));
  const Array<lat_ngram_entry> overflow(room);
  const Array<lat_ngram_entry> table(1 << 20);
  const Array<lat_ngram_progress> progress(1);
  CHECK(lat_ngram_hash_clear(table.get(), table.size(), progress.get(), nullptr));
  const uint64_t tiles = lat_ngram_byte_tiles(text.size());
  std::vector<uint64_t> found(kDifferent);
  uint64_t others = 0;
  const auto take = [&](const Array<lat_ngram_entry> &entries, uint64_t size) {
    for (const lat_ngram_entry &entry : entries.copy(size)) {
      if (entry.mixed < kDifferent) {
        found[entry.mixed] += entry.count;
      } else if (entry.count != 0) {
        others++;
      }
    }
  };
  uint64_t most = 0;
  int calls = 0;
  for (lat_ngram_progress now{}; now.next < tiles; calls++) {
    CHECK(lat_ngram_hash(device.device.get(), device.bytes, valid.get(), kOrder, table.get(), table.size(),
                         progress.get(), overflow.get(), nullptr));
    now = progress.one();
    most = std::max(most, now.overflow);
    if (now.overflow > room) {
      break;
    }
    take(overflow, now.overflow);
    now.overflow = 0;
    CHECK(cudaMemcpy(progress.get(), &now, sizeof(now), cudaMemcpyHostToDevice));
  }
  take(table, table.size());
  compared++;
  if (most > room || others != 0 || found != expected) {
    failed("n-grams that crowd: %llu entries overflowed, room for %llu; %llu entries not from the text; counts %s",
           static_cast<unsigned long long>(most), static_cast<unsigned long long>(room),
           static_cast<unsigned long long>(others), found == expected ? "right" : "wrong");
  } else {
    std::printf("n-grams that crowd: %d calls, at most %llu entries overflowed, room for %llu\n", calls,
                static_cast<unsigned long long>(most), static_cast<unsigned long long>(room));
  }
}

/* Texts that are counted in rounds (divided.cuh), against the sort. */
void test_divided(const char *name, const Bytes &text, const std::vector<uint64_t> &ends) {
  const Text device(text);
  const Array<uint64_t> d_ends(ends);
  const Array<uint32_t> valid(lat_ngram_valid_bytes(text.size()) / 4);
  for (int order = small ? 8 : 7; order <= 8; order++) {
    CHECK(lat_ngram_valid(d_ends.get(), ends.size(), text.size(), order, valid.get(), nullptr));
    uint64_t windows = 0;
    uint64_t start = 0;
    for (uint64_t end : ends) {
      windows += end - start >= static_cast<uint64_t>(order) ? end - start - order + 1 : 0;
      start = end;
    }
    Array<uint64_t> keys(windows);
    Array<uint64_t> counts(windows);
    Array<uint64_t> size(1);
    size_t bytes = 0;
    const auto sort = [&](void *scratch) {
      CHECK(lat_ngram_sort(device.device.get(), device.bytes, valid.get(), windows, order, keys.get(), counts.get(),
                           windows, size.get(), scratch, &bytes, nullptr));
    };
    sort(nullptr);
    const Array<char> scratch(bytes);
    sort(scratch.get());
    List expected{keys.copy(size.one()), counts.copy(size.one())};
    for (uint64_t capacity : small ? std::vector<uint64_t>{1 << 22} : std::vector<uint64_t>{1 << 10, 1 << 22}) {
      HashTable table(capacity);
      for (uint64_t times = 1; times <= (small ? 1 : 2); times++) {
        const int grown = table.count(lat_ngram_byte_tiles(device.bytes), [&](lat_ngram_entry *entries, uint64_t slots,
                                                                             lat_ngram_progress *progress,
                                                                             lat_ngram_entry *overflow) {
          return lat_ngram_hash(device.device.get(), device.bytes, valid.get(), order, entries, slots, progress,
                                overflow, nullptr);
        });
        const List found = table.list(8 * order);
        compared++;
        bool same = found.keys == expected.keys && found.counts.size() == expected.counts.size();
        for (size_t i = 0; same && i < found.counts.size(); i++) {
          same = found.counts[i] == times * expected.counts[i];
        }
        if (!same) {
          failed("hash in rounds, order %d, %s, %llu slots, grown %d times: %zu n-grams, expected %zu", order, name,
                 static_cast<unsigned long long>(capacity), grown, found.keys.size(), expected.keys.size());
        }
      }
    }
  }
}

/* Must be rejected, not crash. */
void expect_bad(const char *what, int status) { expect(what, status, LAT_BAD_ARGUMENT); }

}  // namespace

int main(int argc, char **argv) {
  const double given = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  small = given == 0;
  const double scale = small ? 0.02 : given;
  std::mt19937_64 random(20261121);

  const auto whole = [](const Bytes &text) { return std::vector<uint64_t>{text.size()}; };
  const std::vector<uint64_t> every{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100};
  for (uint64_t size : small ? std::vector<uint64_t>{1, 17} : every) {
    Bytes text(size);
    for (auto &byte : text) {
      byte = random() % 3 == 0 ? 0xff : 'a' + random() % 3;
    }
    test_bytes(("text of " + std::to_string(size)).c_str(), text, whole(text));
  }
  for (int value : small ? std::vector<int>{0x61} : std::vector<int>{0x00, 0x61, 0xff}) {
    const Bytes text(static_cast<size_t>(70000 * scale), static_cast<uint8_t>(value));
    test_bytes(("all bytes " + std::to_string(value)).c_str(), text, whole(text));
  }
  {
    Bytes text(static_cast<size_t>(40000 * scale));
    for (size_t i = 0; i < text.size(); i++) {
      text[i] = static_cast<uint8_t>(i);
    }
    test_bytes("all bytes in turn", text, whole(text));
  }
  for (int letters : small ? std::vector<int>{27} : std::vector<int>{2, 27, 256}) {
    Bytes text(static_cast<size_t>(100000 * scale) + 5);
    for (auto &byte : text) {
      // skewed, like text
      const uint64_t draw = std::min(random() % letters, random() % letters);
      byte = static_cast<uint8_t>(letters == 256 ? draw : 'a' + draw);
    }
    test_bytes((std::to_string(letters) + " letters").c_str(), text, whole(text));
    test_bytes((std::to_string(letters) + " letters, records").c_str(), text, random_ends(text.size(), 60, random));
    test_bytes((std::to_string(letters) + " letters, short records").c_str(), text,
               random_ends(text.size(), 5, random));
  }
  const std::vector<uint64_t> vocabularies{1ull, 50ull, 5000ull, 1ull << 20, 1ull << 27, 1ull << 32};
  for (uint64_t vocabulary : small ? std::vector<uint64_t>{50} : vocabularies) {
    std::vector<uint32_t> words(static_cast<size_t>(30000 * scale) + 3);
    for (auto &word : words) {
      word = static_cast<uint32_t>(std::min(random() % vocabulary, random() % vocabulary));
    }
    test_words(("vocabulary of " + std::to_string(vocabulary)).c_str(), words, random_ends(words.size(), 30, random));
  }
  {
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const size_t tile = 1 << 15;
    const size_t least = 4 * sms * tile;  // bytes of a text that is counted in rounds
    const auto letters = [&](size_t size) {
      Bytes text(size);
      for (auto &byte : text) {
        byte = static_cast<uint8_t>('a' + std::min(random() % 9, random() % 9));
      }
      return text;
    };
    const Bytes shortest = letters(least - tile + 1);  // in as many tiles
    test_divided("the shortest divided", shortest, random_ends(shortest.size(), 60, random));
    if (!small) {
      const Bytes many = letters(4 * least + 12345);  // in three rounds
      test_divided("three rounds", many, whole(many));
      test_divided("three rounds of records", many, random_ends(many.size(), 60, random));
      const Bytes same(least + 777, 0x61);
      test_divided("one n-gram", same, whole(same));
      Bytes rare(least + 20);
      for (auto &byte : rare) {
        byte = static_cast<uint8_t>(random());
      }
      test_divided("no n-gram twice", rare, whole(rare));
    }
  }
  test_crowd(small ? 100000 : 30000000);  // more than fit in the overflow buffer
  expect_bad("order 0", lat_ngram_v1(nullptr, 10, nullptr, 0, nullptr, nullptr));
  expect_bad("order 5 dense", lat_ngram_v1(nullptr, 10, nullptr, 5, nullptr, nullptr));
  size_t bytes = 0;
  expect_bad("order 9", lat_ngram_sort(nullptr, 10, nullptr, 2, 9, nullptr, nullptr, 0, nullptr, nullptr, &bytes,
                                       nullptr));
  expect_bad("no windows", lat_ngram_sort(nullptr, 10, nullptr, 0, 2, nullptr, nullptr, 0, nullptr, nullptr, &bytes,
                                          nullptr));
  expect_bad("a capacity that is not a power of two", lat_ngram_hash_clear(nullptr, 1000, nullptr, nullptr));
  CHECK(cudaDeviceSynchronize());
  return finish("ngram_test");
}
