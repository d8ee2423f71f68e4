// An index file (docs/formats.md), for the benches: it is not validated.
#pragma once

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/bench.cuh"

namespace lat::test {

class IndexFile {
 public:
  struct Section {
    const char *bytes;
    uint64_t length;
  };

  IndexFile(const IndexFile &) = delete;
  IndexFile &operator=(const IndexFile &) = delete;
  explicit IndexFile(const std::string &path) : bytes_(read_file<char>(path)) {
    const auto sections = at<uint32_t>(bytes_.data() + 12);
    const char *entry = bytes_.data() + at<uint64_t>(bytes_.data() + 56);
    for (uint32_t i = 0; i < sections; i++, entry += 128) {
      sections_[entry] = {bytes_.data() + at<uint64_t>(entry + 96), at<uint64_t>(entry + 104)};
    }
  }

  Section section(const std::string &name) const {
    const auto found = sections_.find(name);
    if (found == sections_.end()) {
      missing("section " + name);
    }
    return found->second;
  }
  std::string settings() const {
    const Section json = section("settings");
    return {json.bytes, json.length};
  }
  /* The words of a vocabulary, by their ids. */
  std::vector<std::string> words(const std::string &vocabulary) const {
    const Section starts = section(vocabulary + "/offsets");
    const char *text = section(vocabulary + "/text").bytes;
    std::vector<std::string> words;
    for (uint64_t id = 0; id + 1 < starts.length / 4; id++) {
      words.emplace_back(text + at<uint32_t>(starts.bytes + 4 * id), text + at<uint32_t>(starts.bytes + 4 * id + 4));
    }
    return words;
  }

  /* A number of the settings, or of a part of them. */
  static uint64_t number(const std::string &json, const std::string &key) {
    const size_t found = json.find("\"" + key + "\"");
    if (found == std::string::npos) {
      missing("setting " + key);
    }
    return std::stoull(json.substr(json.find(':', found) + 1));
  }

 private:
  template <typename T>
  static T at(const char *from) {
    T out;
    std::memcpy(&out, from, sizeof(T));
    return out;
  }
  [[noreturn]] static void missing(const std::string &what) {
    std::fprintf(stderr, "the index has no %s\n", what.c_str());
    std::exit(1);
  }

  std::vector<char> bytes_;
  std::unordered_map<std::string, Section> sections_;
};

}  // namespace lat::test
