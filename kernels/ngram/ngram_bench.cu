// Time of every strategy by order and size of text; the text is in device memory.
//
//   ngram_bench FILE [--unit bytes|words] [--mb 1,8,64,498] [--orders 1,2,3,4,5,8] [--strategies v1,v2,shared,sort,hash]
//               [--runs 9]
//
// Words are separated by white space and numbered as 32-bit ids in order of first appearance; each line is a record.
// Sizes are still those of the text. FILE is repeated to reach a size. Prints one JSON object per line on stdout, and a
// table at the end on stderr. Two times, each with median, minimum and maximum of the runs: count_ms clears the
// strategy's tables, counts, and (V2) sums; list_ms converts them to a list sorted by n-gram on the device. The sort
// produces that list itself, so its list_ms is 0. `limit` names what bounds count_ms on an H200, `of_limit` is the
// fraction of it that was reached.
#include <sstream>
#include <unordered_map>

#include "common/bench.cuh"
#include "ngram/ngram_driver.cuh"

namespace {

using namespace lat::test;

/* Private histograms of V2: more cost more to sum, fewer suffer more contention. */
uint32_t v2_copies(int order) { return order <= 2 ? 128 : 32; }

struct Options {
  std::string file;
  bool words = false;
  std::vector<uint64_t> mb{1, 8, 64, 498};
  std::vector<uint64_t> orders{1, 2, 3, 4, 5, 6, 7, 8};
  std::string strategies = "v1,v2,shared,sort,hash";
  int runs = 9;
};

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr,
               "%s\nusage: ngram_bench FILE [--unit bytes|words] [--mb N,..] [--orders N,..] [--strategies S,..] "
               "[--runs N]\n",
               what.c_str());
  std::exit(2);
}

Options parse(int argc, char **argv) {
  Options options;
  if (argc < 2) {
    fail("no text file is given");
  }
  options.file = argv[1];
  const auto unit = [&](const std::string &value) {
    options.words = value == "words";
    if (!options.words && value != "bytes") {
      fail("--unit must be bytes or words");
    }
  };
  read_options(argc, argv, 2, fail,
               {{"--unit", unit},
                {"--mb", into(options.mb)},
                {"--orders", into(options.orders)},
                {"--strategies", [&](const std::string &value) { options.strategies = value; }},
                {"--runs", into(options.runs)}});
  options.runs = std::max(1, options.runs);
  return options;
}

struct Measured {
  bool fits = false;
  Spread count_ms;
  Spread list_ms;
  uint64_t distinct = 0;
  uint64_t table_bytes = 0;  // of the hash table
};

/* The minimum time to count: one read of the text, and the strategy's unavoidable work beside it. */
Limit limit(const std::string &strategy, const Measured &measured, uint64_t text_bytes, uint64_t windows, int key_bits) {
  std::vector<Limit> limits{{"one read of the text", 1e3 * static_cast<double>(text_bytes) / kReadBytes}};
  if (strategy == "sort") {
    const int key_bytes = key_bits <= 8 ? 1 : key_bits <= 16 ? 2 : key_bits <= 32 ? 4 : key_bits <= 64 ? 8 : 16;
    const int passes = (key_bits + 7) / 8;
    limits.push_back({"radix sort of the keys", 1e3 * static_cast<double>(windows) * passes * 2 * key_bytes / kSortedBytes});
  }
  if (measured.table_bytes > 0) {
    limits.push_back({"a random sector of the table per distinct n-gram",
                      1e3 * static_cast<double>(measured.distinct) / random_sectors(measured.table_bytes)});
  }
  return highest(limits);
}

/* Free memory on the device, minus a reserve for the strategy's other needs. */
bool fits(uint64_t bytes) {
  size_t free = 0;
  size_t total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  return bytes + (1ull << 30) < free;
}

/* Lists a table, sorted, into existing arrays; returns the number of n-grams. */
struct Lists {
  Array<uint64_t> keys{1 << 24};
  Array<uint64_t> counts{1 << 24};
  Array<uint64_t> sorted_keys{1 << 24};
  Array<uint64_t> sorted_counts{1 << 24};
  Array<uint64_t> size{1};
  Array<char> scratch{1 << 30};

  template <typename LIST>
  uint64_t sorted(int key_bits, LIST list) {
    CHECK(list(keys.get(), counts.get(), keys.size(), size.get()));
    const uint64_t found = size.one();
    if (found > keys.size()) {
      std::fprintf(stderr, "more n-grams than this bench lists\n");
      std::exit(1);
    }
    size_t bytes = scratch.bytes();
    CHECK(lat_ngram_list_sort(keys.get(), counts.get(), found, key_bits, sorted_keys.get(), sorted_counts.get(),
                              scratch.get(), &bytes, nullptr));
    return found;
  }
};

template <typename COUNT, typename LIST>
Measured measure(int runs, COUNT count, LIST list) {
  Measured measured;
  measured.fits = true;
  Timer timer;
  std::vector<double> counting;
  std::vector<double> listing;
  for (int run = -2; run < runs; run++) {
    timer.start();
    count();
    const double count_ms = timer.stop_ms();
    timer.start();
    measured.distinct = list();
    const double list_ms = timer.stop_ms();
    if (run >= 0) {
      counting.push_back(count_ms);
      listing.push_back(list_ms);
    }
  }
  measured.count_ms = Spread(counting);
  measured.list_ms = Spread(listing);
  return measured;
}

Measured dense(const std::string &strategy, const uint8_t *text, uint64_t bytes, int order, int runs, Lists &lists) {
  const uint64_t entries = 1ull << (8 * order);
  const bool wide = strategy == "shared";
  const uint32_t copies = strategy == "v2" ? v2_copies(order) : 1;
  if (order > (wide ? LAT_NGRAM_MAX_SHARED_ORDER : LAT_NGRAM_MAX_DENSE_ORDER) ||
      !fits(entries * copies * (wide ? 8 : 4))) {
    return {};
  }
  Array<uint32_t> counts(entries * copies * (wide ? 2 : 1));
  auto *counts64 = reinterpret_cast<uint64_t *>(counts.get());
  counts.clear();
  return measure(
      runs,
      [&]() {
        // The sum leaves the other copies empty, so only the first needs clearing.
        CHECK(cudaMemsetAsync(counts.get(), 0, entries * (wide ? 8 : 4)));
        if (wide) {
          CHECK(lat_ngram_shared(text, bytes, nullptr, order, counts64, nullptr));
        } else if (copies == 1) {
          CHECK(lat_ngram_v1(text, bytes, nullptr, order, counts.get(), nullptr));
        } else {
          CHECK(lat_ngram_v2(text, bytes, nullptr, order, copies, counts.get(), nullptr));
          CHECK(lat_ngram_v2_reduce(counts.get(), copies, order, nullptr));
        }
      },
      [&]() {
        return lists.sorted(8 * order, [&](uint64_t *k, uint64_t *c, uint64_t capacity, uint64_t *size) {
          return lat_ngram_dense_list(wide ? nullptr : counts.get(), wide ? counts64 : nullptr, order, k, c, capacity,
                                      size, nullptr);
        });
      });
}

Measured sorting(const uint8_t *text, uint64_t bytes, int order, int runs, Lists &lists) {
  const uint64_t windows = bytes - order + 1;
  size_t scratch_bytes = 0;
  CHECK(lat_ngram_sort(text, bytes, nullptr, windows, order, lists.keys.get(), lists.counts.get(), lists.keys.size(),
                       lists.size.get(), nullptr, &scratch_bytes, nullptr));
  if (!fits(scratch_bytes)) {
    return {};
  }
  const Array<char> scratch(scratch_bytes);
  return measure(
      runs,
      [&]() {
        CHECK(lat_ngram_sort(text, bytes, nullptr, windows, order, lists.keys.get(), lists.counts.get(),
                             lists.keys.size(), lists.size.get(), scratch.get(), &scratch_bytes, nullptr));
      },
      [&]() { return lists.size.one(); });
}

/* A table that grew to its size in the first run, as in a stream; with `new_each_time` it starts at 2^20 entries. */
template <typename ADD>
Measured hashing(uint64_t tiles, int key_bits, int runs, Lists &lists, bool new_each_time, ADD add) {
  auto table = std::make_unique<HashTable>(1 << 20);
  Measured measured = measure(
      runs,
      [&]() {
        if (new_each_time) {
          table = std::make_unique<HashTable>(1 << 20);
        }
        table->clear();
        table->count(tiles, add);
      },
      [&]() {
        return lists.sorted(key_bits, [&](uint64_t *k, uint64_t *c, uint64_t capacity, uint64_t *size) {
          return table->list_into(k, c, capacity, size);
        });
      });
  measured.table_bytes = table->capacity() * sizeof(lat_ngram_entry);
  return measured;
}

Measured measure_bytes(const std::string &strategy, const uint8_t *text, uint64_t bytes, int order, int runs,
                       Lists &lists) {
  if (strategy == "sort") {
    return sorting(text, bytes, order, runs, lists);
  }
  if (strategy != "hash" && strategy != "hash-new") {
    return dense(strategy, text, bytes, order, runs, lists);
  }
  return hashing(lat_ngram_byte_tiles(bytes), 8 * order, runs, lists, strategy == "hash-new",
                 [&](lat_ngram_entry *entries, uint64_t capacity, lat_ngram_progress *progress,
                     lat_ngram_entry *overflow) {
                   return lat_ngram_hash(text, bytes, nullptr, order, entries, capacity, progress, overflow, nullptr);
                 });
}

/* A text as word ids. */
struct Words {
  std::vector<uint32_t> ids;
  std::vector<uint64_t> ends;  // end of each line
  int bits = 1;                // bits per id

  Words(const std::vector<uint8_t> &file, uint64_t bytes) {
    std::unordered_map<std::string, uint32_t> known;
    std::string word;
    for (uint64_t i = 0; i < bytes; i++) {
      const uint8_t byte = file[i % file.size()];
      if (byte != ' ' && byte != '\n') {
        word.push_back(static_cast<char>(byte));
        continue;
      }
      if (!word.empty()) {
        ids.push_back(known.emplace(word, static_cast<uint32_t>(known.size())).first->second);
        word.clear();
      }
      if (byte == '\n') {
        ends.push_back(ids.size());
      }
    }
    if (ends.empty() || ends.back() != ids.size()) {
      ends.push_back(ids.size());
    }
    while (known.size() > 1ull << bits) {
      bits++;
    }
  }

  uint64_t windows(int order) const {
    uint64_t sum = 0;
    uint64_t start = 0;
    for (uint64_t end : ends) {
      sum += end - start >= static_cast<uint64_t>(order) ? end - start - order + 1 : 0;
      start = end;
    }
    return sum;
  }
};

/* The bitmap of windows is made in the measured time, as it is for every text. */
Measured measure_words(const std::string &strategy, const Words &words, int order, int runs, Lists &lists) {
  const Array<uint32_t> text(words.ids);
  const Array<uint64_t> ends(words.ends);
  const Array<uint32_t> valid(lat_ngram_valid_bytes(text.size()) / 4);
  const auto mark = [&]() {
    CHECK(lat_ngram_valid(ends.get(), ends.size(), text.size(), order, valid.get(), nullptr));
  };
  if (strategy == "hash" && order * words.bits <= 64) {
    return hashing(lat_ngram_word_tiles(text.size()), order * words.bits, runs, lists, false,
                   [&](lat_ngram_entry *entries, uint64_t capacity, lat_ngram_progress *progress,
                       lat_ngram_entry *overflow) {
                     mark();
                     return lat_ngram_words_hash(text.get(), text.size(), valid.get(), order, words.bits, entries,
                                                 capacity, progress, overflow, nullptr);
                   });
  }
  if (strategy != "sort") {
    return {};
  }
  Array<uint32_t> ngrams(lists.counts.size() * order);
  const auto sort = [&](void *scratch, size_t *bytes) {
    CHECK(lat_ngram_words_sort(text.get(), text.size(), valid.get(), words.windows(order), order, words.bits,
                               ngrams.get(), lists.counts.get(), lists.counts.size(), lists.size.get(), scratch, bytes,
                               nullptr));
  };
  size_t bytes = 0;
  sort(nullptr, &bytes);
  if (!fits(bytes)) {
    return {};
  }
  const Array<char> scratch(bytes);
  return measure(
      runs,
      [&]() {
        mark();
        sort(scratch.get(), &bytes);
      },
      [&]() { return lists.size.one(); });
}

}  // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  const std::vector<uint8_t> file = read_file(options.file);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  Lists lists;
  std::stringstream table;
  for (const uint64_t mb : options.mb) {
    // 498 means eight times the whole file, if the file is large enough.
    const uint64_t bytes = mb * 1000000;
    std::unique_ptr<Array<uint8_t>> text;
    std::unique_ptr<Words> words;
    if (options.words) {
      words = std::make_unique<Words>(file, bytes);
    } else {
      text = std::make_unique<Array<uint8_t>>(bytes + LAT_NGRAM_PADDING);
      for (uint64_t at = 0; at < bytes; at += file.size()) {
        CHECK(cudaMemcpy(text->get() + at, file.data(), std::min<uint64_t>(file.size(), bytes - at),
                         cudaMemcpyHostToDevice));
      }
    }
    for (const uint64_t order : options.orders) {
      std::stringstream strategies(options.strategies);
      for (std::string strategy; std::getline(strategies, strategy, ',');) {
        const int n = static_cast<int>(order);
        if (options.words && n > LAT_NGRAM_MAX_WORD_ORDER) {
          continue;
        }
        const Measured measured = options.words ? measure_words(strategy, *words, n, options.runs, lists)
                                                : measure_bytes(strategy, text->get(), bytes, n, options.runs, lists);
        const uint64_t windows = options.words ? words->windows(n) : bytes - n + 1;
        const uint64_t text_bytes = options.words ? words->ids.size() * sizeof(uint32_t) : bytes;
        std::printf("{\"op\": \"ngrams\", \"unit\": \"%s\", \"device\": \"%s\", \"strategy\": \"%s\", \"n\": %d, "
                    "\"bytes\": %llu, \"fits\": %s, \"distinct\": %llu, ",
                    options.words ? "words" : "bytes", properties.name, strategy.c_str(), n,
                    static_cast<unsigned long long>(bytes), measured.fits ? "true" : "false",
                    static_cast<unsigned long long>(measured.distinct));
        if (measured.fits) {
          const Limit least = limit(strategy, measured, text_bytes, windows, options.words ? n * words->bits : 8 * n);
          std::printf("%s, %s, %s, ", fields("count_ms", measured.count_ms, 4).c_str(),
                      fields("list_ms", measured.list_ms, 4).c_str(), fields(least, measured.count_ms).c_str());
        }
        std::printf("\"runs\": %d}\n", options.runs);
        std::fflush(stdout);
        char line[512];
        if (measured.fits) {
          std::snprintf(line, sizeof(line), "%6llu MB  n=%d  %-8s %10.3f ms (%.3f to %.3f)  + list %8.3f ms  %10llu n-grams\n",
                        static_cast<unsigned long long>(mb), n, strategy.c_str(), measured.count_ms.median,
                        measured.count_ms.min, measured.count_ms.max, measured.list_ms.median,
                        static_cast<unsigned long long>(measured.distinct));
        } else {
          std::snprintf(line, sizeof(line), "%6llu MB  n=%d  %-8s does not fit\n", static_cast<unsigned long long>(mb),
                        n, strategy.c_str());
        }
        table << line;
      }
    }
  }
  std::fputs(table.str().c_str(), stderr);
  return 0;
}
