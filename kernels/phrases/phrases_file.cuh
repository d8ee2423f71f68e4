// A phrase index file (docs/formats.md) and a text to look up in it; not validated, because it is for the bench.
#pragma once

#include <cstring>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/bench.cuh"
#include "phrases/phrases_driver.cuh"

namespace lat::phrases {

class PhraseFile {
 public:
  explicit PhraseFile(const std::string &path) : bytes_(test::read_file<char>(path)) {
    const auto sections = at<uint32_t>(12);
    const auto table = at<uint64_t>(56);
    for (uint32_t i = 0; i < sections; i++) {
      const uint64_t entry = table + 128ull * i;
      sections_[std::string(bytes_.data() + entry)] = {at<uint64_t>(entry + 96), at<uint64_t>(entry + 104)};
    }
    const Section settings = section("settings");
    std::string json(bytes_.data() + settings.offset, settings.length);
    for (size_t found = json.find("\"sentences\""); found != std::string::npos;
         found = json.find("\"sentences\"", found + 1)) {
      const size_t begin = json.rfind('{', found);
      parts_.push_back(json.substr(begin, json.find('}', begin) - begin));
    }
    const Section starts = section("vocab/source/offsets");
    const Section text = section("vocab/source/text");
    for (uint64_t id = 0; id + 1 < starts.length / 4; id++) {
      const auto from = at<uint32_t>(starts.offset + 4 * id);
      const auto to = at<uint32_t>(starts.offset + 4 * id + 4);
      ids_.emplace(std::string(bytes_.data() + text.offset + from, to - from), static_cast<int32_t>(id));
    }
  }

  /* Brings the index to a machine. */
  template <typename MACHINE>
  lat_phrases_index put(MACHINE &machine) {
    brought_ = 0;
    std::vector<lat_phrases_segment> segments;
    for (size_t s = 0; s < parts_.size(); s++) {
      const std::string prefix = "segment/" + std::to_string(s) + "/";
      lat_phrases_segment to{};
      to.d_source = put<int32_t>(machine, prefix + "source");
      to.d_suffixes = put<int32_t>(machine, prefix + "suffixes");
      to.d_prefixes = put<uint32_t>(machine, prefix + "prefixes");
      to.d_starts = put<int32_t>(machine, prefix + "starts");
      to.d_extents = put<uint64_t>(machine, prefix + "extents");
      to.d_target = put<int32_t>(machine, prefix + "target");
      to.d_target_extents = put<uint32_t>(machine, prefix + "target-extents");
      to.source_length = number(parts_[s], "sourceLength");
      to.target_length = number(parts_[s], "targetLength");
      to.source_words = number(parts_[s], "sourceWords");
      to.wide = parts_[s].find("true") != std::string::npos ? 1 : 0;
      segments.push_back(to);
    }
    lat_phrases_index index{};
    index.d_segments = machine.put(segments);
    index.segments = segments.size();
    index.d_lexicon = put<uint4>(machine, "lexicon/table");
    index.lexicon_slots = section("lexicon/table").length / sizeof(uint4);
    index.d_source_links = put<uint32_t>(machine, "lexicon/source");
    index.source_words = section("lexicon/source").length / 4;
    index.d_target_links = put<uint32_t>(machine, "lexicon/target");
    index.target_words = section("lexicon/target").length / 4;
    return index;
  }

  /* The sentences of a text: one per line, words separated by a space. */
  std::vector<std::vector<int32_t>> sentences(const std::string &path) const {
    const std::vector<char> text = test::read_file<char>(path);
    std::istringstream lines(std::string(text.begin(), text.end()));
    std::vector<std::vector<int32_t>> sentences;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      sentences.emplace_back();
      for (std::string word; words >> word;) {
        const auto known = ids_.find(word);
        sentences.back().push_back(known == ids_.end() ? kEnd : known->second);
      }
    }
    return sentences;
  }
  /* Bytes of what put() brought. */
  uint64_t bytes() const { return brought_; }

 private:
  struct Section {
    uint64_t offset;
    uint64_t length;
  };

  template <typename T>
  T at(uint64_t offset) const {
    T out;
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return out;
  }
  Section section(const std::string &name) const {
    const auto found = sections_.find(name);
    if (found == sections_.end()) {
      std::fprintf(stderr, "the index has no section %s\n", name.c_str());
      std::exit(1);
    }
    return found->second;
  }
  template <typename T, typename MACHINE>
  const T *put(MACHINE &machine, const std::string &name) {
    const Section from = section(name);
    std::vector<char> copy(bytes_.begin() + static_cast<std::ptrdiff_t>(from.offset),
                           bytes_.begin() + static_cast<std::ptrdiff_t>(from.offset + from.length));
    brought_ += from.length;
    return reinterpret_cast<const T *>(machine.put(copy));
  }
  static uint64_t number(const std::string &json, const std::string &key) {
    const size_t found = json.find("\"" + key + "\"");
    return std::stoull(json.substr(json.find(':', found) + 1));
  }

  std::vector<char> bytes_;
  std::unordered_map<std::string, Section> sections_;
  std::vector<std::string> parts_;
  std::unordered_map<std::string, int32_t> ids_;
  uint64_t brought_ = 0;
};

}  // namespace lat::phrases
