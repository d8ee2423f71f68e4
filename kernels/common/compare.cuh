// What the tests count: comparisons, and those that fail, of which the first are printed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "latimer_kernels.h"

namespace lat::test {

inline uint64_t compared = 0;
inline uint64_t failures = 0;

inline void fail(const std::string &what) {
  if (failures++ < 20) {
    std::printf("FAILED %s\n", what.c_str());
  }
}
inline void fail(const std::string &where, const std::string &what) { fail(where + ": " + what); }

/* The same for text as of printf. */
template <typename... ARGS>
void failed(const char *format, ARGS... args) {
  char text[1024];
  std::snprintf(text, sizeof text, format, args...);
  fail(text);
}

template <typename T>
bool same(const std::string &where, const char *what, T expected, T found, bool equal) {
  compared++;
  if (!equal) {
    fail(where, std::string(what) + ": expected " + std::to_string(expected) + ", found " + std::to_string(found));
  }
  return equal;
}
template <typename T>
bool same(const std::string &where, const char *what, T expected, T found) {
  return same(where, what, expected, found, expected == found);
}
/* Which tells 0.0 and -0.0 apart. */
template <typename T>
bool same_bits(const std::string &where, const char *what, T expected, T found) {
  return same(where, what, expected, found, std::memcmp(&expected, &found, sizeof(T)) == 0);
}

/* Compares the status of a call. */
inline void expect(const char *what, int status, int expected) {
  compared++;
  if (status != expected) {
    failed("%s: %s, expected %s", what, lat_error_name(status), lat_error_name(expected));
  }
}

/* Prints the counts; returns a test's exit status. */
inline int finish(const char *test) {
  std::printf("%s: %llu comparisons, %llu failed\n", test, static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(failures));
  return failures == 0 && compared > 0 ? 0 : 1;
}

}  // namespace lat::test
