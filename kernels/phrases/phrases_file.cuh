// A phrase index file and a text to look up in it; for the bench.
#pragma once

#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/index_file.cuh"
#include "phrases/phrases_driver.cuh"

namespace lat::phrases {

class PhraseFile {
 public:
  explicit PhraseFile(const std::string &path) : file_(path) {
    const std::string json = file_.settings();
    for (size_t found = json.find("\"sentences\""); found != std::string::npos;
         found = json.find("\"sentences\"", found + 1)) {
      const size_t begin = json.rfind('{', found);
      parts_.push_back(json.substr(begin, json.find('}', begin) - begin));
    }
    int32_t id = 0;
    for (const std::string &word : file_.words("vocab/source")) {
      ids_.emplace(word, id++);
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
      to.source_length = test::IndexFile::number(parts_[s], "sourceLength");
      to.target_length = test::IndexFile::number(parts_[s], "targetLength");
      to.source_words = test::IndexFile::number(parts_[s], "sourceWords");
      to.wide = parts_[s].find("true") != std::string::npos ? 1 : 0;
      segments.push_back(to);
    }
    lat_phrases_index index{};
    index.d_segments = machine.put(segments);
    index.segments = segments.size();
    index.d_lexicon = put<uint4>(machine, "lexicon/table");
    index.lexicon_slots = file_.section("lexicon/table").length / sizeof(uint4);
    index.d_source_links = put<uint32_t>(machine, "lexicon/source");
    index.source_words = file_.section("lexicon/source").length / 4;
    index.d_target_links = put<uint32_t>(machine, "lexicon/target");
    index.target_words = file_.section("lexicon/target").length / 4;
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
  template <typename T, typename MACHINE>
  const T *put(MACHINE &machine, const std::string &name) {
    const test::IndexFile::Section from = file_.section(name);
    const std::vector<char> copy(from.bytes, from.bytes + from.length);
    brought_ += from.length;
    return reinterpret_cast<const T *>(machine.put(copy));
  }

  test::IndexFile file_;
  std::vector<std::string> parts_;
  std::unordered_map<std::string, int32_t> ids_;
  uint64_t brought_ = 0;
};

}  // namespace lat::phrases
