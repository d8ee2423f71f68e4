// Output of the benches: the spread of the runs, and the distance of a figure to its limit.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/test.cuh"

namespace lat::test {

/* Statistics of the runs of one measurement. */
struct Spread {
  double min = 0;
  double median = 0;
  double max = 0;

  Spread() = default;
  explicit Spread(const std::vector<double> &runs)
      : min(*std::min_element(runs.begin(), runs.end())),
        median(lat::test::median(runs)),
        max(*std::max_element(runs.begin(), runs.end())) {}

  /* In another unit: `factor` of the new unit per old unit. */
  Spread times(double factor) const {
    Spread other = *this;
    other.min *= factor;
    other.median *= factor;
    other.max *= factor;
    return other;
  }
  /* Converts times to rates of `work` per unit of time: the minimum time gives the maximum rate. */
  Spread rate(double work) const {
    Spread other;
    other.min = work / max;
    other.median = work / median;
    other.max = work / min;
    return other;
  }
};

/* JSON fields: the median under its name, then minimum and maximum. */
inline std::string fields(const std::string &name, const Spread &spread, int decimals) {
  char text[256];
  std::snprintf(text, sizeof text, "\"%s\": %.*f, \"%s_min\": %.*f, \"%s_max\": %.*f", name.c_str(), decimals,
                spread.median, name.c_str(), decimals, spread.min, name.c_str(), decimals, spread.max);
  return text;
}

/* The minimum time that a measurement could take, and the resource that bounds it. */
struct Limit {
  const char *name = nullptr;
  double ms = 0;
};
inline Limit highest(const std::vector<Limit> &limits) {
  return *std::max_element(limits.begin(), limits.end(), [](const Limit &a, const Limit &b) { return a.ms < b.ms; });
}
/* "of_limit": the fraction of the limit that the median reaches, at most 1. */
inline std::string fields(const Limit &limit, const Spread &ms) {
  char text[256];
  std::snprintf(text, sizeof text, "\"limit\": \"%s\", \"limit_ms\": %.4f, \"of_limit\": %.4f", limit.name, limit.ms,
                limit.ms / ms.median);
  return text;
}

/* ---- peak rates of one H200, measured by a separate program: bytes and 32-byte sectors per second ---- */

constexpr double kReadBytes = 4.2e12;                   /* one read of 498 MB */
constexpr double kBusBytes = 55.5e9;                    /* host to device, page-locked */
constexpr double kSortedBytes = (64 << 20) * 8.0 * 16 / 6.1e-3; /* CUB's radix sort: reads and writes a key once per byte of it */

/* Random sectors of a table, in chains of four or singly, whichever is faster. */
inline double random_sectors(uint64_t table_bytes) {
  constexpr uint64_t kMiB = 1 << 20;
  return table_bytes <= 32 * kMiB     ? 173e9
         : table_bytes <= 64 * kMiB   ? 81e9
         : table_bytes <= 256 * kMiB  ? 50e9
         : table_bytes <= 1024 * kMiB ? 44e9
                                      : 43e9;
}

/* ---- input of the benches ---- */

/* Reads a whole file; exits if it cannot be read or is empty. */
template <typename BYTE = uint8_t>
std::vector<BYTE> read_file(const std::string &path) {
  static_assert(sizeof(BYTE) == 1, "bytes");
  std::vector<BYTE> bytes;
  std::FILE *file = std::fopen(path.c_str(), "rb");
  bool good = file != nullptr && std::fseek(file, 0, SEEK_END) == 0;
  const long size = good ? std::ftell(file) : 0;
  if (good && size > 0 && std::fseek(file, 0, SEEK_SET) == 0) {
    bytes.resize(static_cast<size_t>(size));
    good = std::fread(bytes.data(), 1, bytes.size(), file) == bytes.size();
  }
  if (file != nullptr) {
    std::fclose(file);
  }
  if (!good || bytes.empty()) {
    std::fprintf(stderr, "%s cannot be read, or is empty\n", path.c_str());
    std::exit(1);
  }
  return bytes;
}

/* Comma-separated numbers. */
inline std::vector<uint64_t> numbers(const char *text) {
  std::vector<uint64_t> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    out.push_back(std::stoull(part));
  }
  return out;
}

/* What an option of a command line sets from its value. */
using Option = std::function<void(const std::string &)>;
inline Option into(std::vector<uint64_t> &to) {
  return [&to](const std::string &value) { to = numbers(value.c_str()); };
}
inline Option into(int &to) {
  return [&to](const std::string &value) { to = std::stoi(value); };
}

/* Reads options from an argument on, a name and a value each. fail: reports what is wrong, and exits. */
inline void read_options(int argc, char **argv, int from, void (*fail)(const std::string &),
                         const std::map<std::string, Option> &options) {
  for (int i = from; i < argc; i += 2) {
    const auto option = options.find(argv[i]);
    if (option == options.end()) {
      fail(std::string("unknown option ") + argv[i]);
    } else if (i + 1 == argc) {
      fail(option->first + " needs a value");
    } else {
      option->second(argv[i + 1]);
    }
  }
}

/* Bandwidth of the device's memory in bytes per second: the best of several copies within it, counting reads and
 * writes. */
inline double memory_bandwidth() {
  constexpr uint64_t kBytes = uint64_t{256} << 20;
  constexpr int kRuns = 5;
  const Array<char> from(kBytes);
  const Array<char> to(kBytes);
  Timer timer;
  double least = 0;
  for (int run = 0; run <= kRuns; run++) {
    timer.start();
    CHECK(cudaMemcpyAsync(to.get(), from.get(), kBytes, cudaMemcpyDeviceToDevice));
    const double ms = timer.stop_ms();
    if (run > 0) {
      least = least == 0 ? ms : std::min(least, ms);
    }
  }
  return 2.0 * kBytes / (1e-3 * least);
}

/* An attribute of the current device. */
inline int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace lat::test
