// A small parallel text, its index, and the definitions of all results in their plainest form; for the test.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "phrases/phrases_driver.cuh"

namespace lat::phrases {

using Words = std::vector<int32_t>;

struct SentencePair {
  Words source;
  Words target;
  std::set<std::pair<int, int>> points; /* of places */
};

/* Parts of a text, one per segment. Ids count from 1 in order of their first appearance. */
struct Text {
  std::vector<std::vector<SentencePair>> parts;
  std::vector<int32_t> source_words; /* per part, ids up to its end, and 1 */
  int32_t target_words = 1;

  /* longest: words of a sentence. Some sentences repeat, points cross, and words have none or many. */
  Text(std::mt19937_64 &random, int segments, int sentences, int vocabulary, int longest) {
    std::map<int32_t, int32_t> source_ids;
    std::map<int32_t, int32_t> target_ids;
    const auto words = [&](std::map<int32_t, int32_t> &ids) {
      Words made(1 + random() % static_cast<uint64_t>(longest));
      for (auto &word : made) {
        const auto most = static_cast<uint64_t>(vocabulary);
        const auto drawn = static_cast<int32_t>(std::min(random() % most, random() % most));
        word = ids.emplace(drawn, static_cast<int32_t>(ids.size()) + 1).first->second;
      }
      return made;
    };
    for (int part = 0; part < segments; part++) {
      parts.emplace_back();
      for (int i = 0; i < sentences; i++) {
        if (i > 0 && random() % 5 == 0) {
          parts.back().push_back(parts.back()[random() % parts.back().size()]);
          continue;
        }
        SentencePair pair{words(source_ids), words(target_ids), {}};
        const size_t source = pair.source.size();
        const size_t target = pair.target.size();
        for (size_t left = random() % (source + 3); left > 0; left--) {
          const size_t from = random() % source;
          const size_t to = random() % 4 == 0 ? random() % target : from * target / source;
          pair.points.emplace(static_cast<int>(from), static_cast<int>(to));
        }
        parts.back().push_back(pair);
      }
      source_words.push_back(static_cast<int32_t>(source_ids.size()) + 1);
      target_words = static_cast<int32_t>(target_ids.size()) + 1;
    }
  }
};

/* One part as the sections of a segment. */
struct SegmentArrays {
  Words source;
  Words target;
  std::vector<int32_t> suffixes;
  std::vector<uint32_t> prefixes;
  std::vector<int32_t> starts;
  std::vector<uint32_t> extents;
  std::vector<uint64_t> wide_extents;
  std::vector<uint16_t> target_extents;
  std::vector<uint32_t> wide_target_extents;
  bool wide;

  SegmentArrays(const std::vector<SentencePair> &pairs, int32_t source_words, bool wide_one) : wide(wide_one) {
    for (const SentencePair &pair : pairs) {
      add(pair);
    }
    extent(1ull << 63 | target.size(), 1u << 31 | static_cast<uint32_t>(target.size()));
    if (target_extents.size() % 2 != 0) {
      target_extents.push_back(0);
    }
    suffixes.resize(source.size());
    std::iota(suffixes.begin(), suffixes.end(), 0);
    std::sort(suffixes.begin(), suffixes.end(), [&](int32_t a, int32_t b) {
      return std::lexicographical_compare(source.begin() + a, source.end(), source.begin() + b, source.end());
    });
    int32_t rank = 0;
    for (int32_t word = 0; word <= source_words; word++) {
      while (word > 0 && rank < static_cast<int32_t>(source.size()) &&
             source[static_cast<size_t>(suffixes[static_cast<size_t>(rank)])] < word) {
        rank++;
      }
      starts.push_back(rank);
    }
    prefixes.assign(source.size(), 0);
    for (size_t word = 0; word + 1 < starts.size(); word++) {
      fill(starts[word] - 1, starts[word + 1], starts[word] - 1, starts[word + 1]);
    }
  }

 private:
  void extent(uint64_t as_wide, uint32_t as_narrow) {
    if (wide) {
      wide_extents.push_back(as_wide);
    } else {
      extents.push_back(as_narrow);
    }
  }
  void target_extent(uint32_t first, uint32_t last) {
    if (wide) {
      wide_target_extents.push_back(first | last << 16);
    } else {
      target_extents.push_back(static_cast<uint16_t>((first & 0xff) | last << 8));
    }
  }
  void add(const SentencePair &pair) {
    extent(1ull << 63 | target.size(), 1u << 31 | static_cast<uint32_t>(target.size()));
    for (size_t i = 0; i < pair.source.size(); i++) {
      uint64_t first = kUnaligned;
      uint64_t last = 0;
      for (const auto &point : pair.points) {
        if (point.first == static_cast<int>(i)) {
          first = std::min(first, static_cast<uint64_t>(point.second));
          last = std::max(last, static_cast<uint64_t>(point.second));
        }
      }
      extent(first | last << 16 | static_cast<uint64_t>(i) << 32,
             static_cast<uint32_t>((first & 0xff) | last << 8 | i << 16));
    }
    for (size_t i = 0; i < pair.target.size(); i++) {
      uint32_t first = kUnaligned;
      uint32_t last = 0;
      for (const auto &point : pair.points) {
        if (point.second == static_cast<int>(i)) {
          first = std::min(first, static_cast<uint32_t>(point.first));
          last = std::max(last, static_cast<uint32_t>(point.first));
        }
      }
      target_extent(first, last);
    }
    target_extent(kUnaligned, 0);
    source.insert(source.end(), pair.source.begin(), pair.source.end());
    source.push_back(kEnd);
    target.insert(target.end(), pair.target.begin(), pair.target.end());
    target.push_back(kEnd);
  }
  uint32_t shared(int32_t a, int32_t b) const {
    size_t i = static_cast<size_t>(suffixes[static_cast<size_t>(a)]);
    size_t j = static_cast<size_t>(suffixes[static_cast<size_t>(b)]);
    uint32_t words = 0;
    while (i < source.size() && j < source.size() && source[i] == source[j]) {
      i++;
      j++;
      words++;
    }
    return std::min(words, 0xffffu);
  }
  /* Bounds outside of a word's suffixes share one word with them, by definition. */
  void fill(int32_t low, int32_t high, int32_t below, int32_t above) {
    if (high - low > 1) {
      const int32_t middle = low + (high - low) / 2;
      prefixes[static_cast<size_t>(middle)] =
          (high == above ? 1 : shared(middle, high)) << 16 | (low == below ? 1 : shared(low, middle));
      fill(low, middle, below, above);
      fill(middle, high, below, above);
    }
  }
};

/* How often words are linked, as a map and as two hash tables. */
struct Links {
  using Counts = std::map<std::pair<int32_t, int32_t>, uint32_t>;

  Counts counts;
  std::vector<uint32_t> source_links;
  std::vector<uint32_t> target_links;
  std::vector<uint4> slots;
  std::vector<uint4> added;

  /* base: parts of the text whose links are in the first table. */
  Links(const Text &text, size_t base) {
    Counts first;
    source_links.assign(static_cast<size_t>(text.source_words.back()), 0);
    target_links.assign(static_cast<size_t>(text.target_words), 0);
    for (size_t part = 0; part < text.parts.size(); part++) {
      if (part == base) {
        first = counts;
      }
      for (const SentencePair &pair : text.parts[part]) {
        std::set<int> sources;
        std::set<int> targets;
        for (const auto &point : pair.points) {
          link(pair.source[static_cast<size_t>(point.first)], pair.target[static_cast<size_t>(point.second)]);
          sources.insert(point.first);
          targets.insert(point.second);
        }
        for (size_t i = 0; i < pair.source.size(); i++) {
          if (sources.count(static_cast<int>(i)) == 0) {
            link(pair.source[i], kEnd);
          }
        }
        for (size_t i = 0; i < pair.target.size(); i++) {
          if (targets.count(static_cast<int>(i)) == 0) {
            link(kEnd, pair.target[i]);
          }
        }
      }
    }
    if (base >= text.parts.size()) {
      slots = table(counts);
      return;
    }
    slots = table(first);
    Counts rest;
    for (const auto &[words, count] : counts) {
      const auto found = first.find(words);
      const uint32_t before = found == first.end() ? 0 : found->second;
      if (count > before) {
        rest[words] = count - before;
      }
    }
    added = table(rest);
  }

  /* The sum of the costs of the words of one side, each with its best link to the other or to nothing. */
  double target_given_source(const Words &source, const Words &target) const {
    double sum = 0;
    for (const int32_t y : target) {
      double best = share(kEnd, y, source_links[kEnd]);
      for (const int32_t x : source) {
        best = std::max(best, share(x, y, source_links[static_cast<size_t>(x)]));
      }
      sum += best == 0 ? 99 : -std::log10(best);
    }
    return sum;
  }
  double source_given_target(const Words &source, const Words &target) const {
    double sum = 0;
    for (const int32_t x : source) {
      double best = share(x, kEnd, target_links[kEnd]);
      for (const int32_t y : target) {
        best = std::max(best, share(x, y, target_links[static_cast<size_t>(y)]));
      }
      sum += best == 0 ? 99 : -std::log10(best);
    }
    return sum;
  }

 private:
  static std::vector<uint4> table(const Counts &counts) {
    std::vector<uint4> slots(2 * counts.size() + 1, uint4{0, 0, 0, 0});
    for (const auto &[words, count] : counts) {
      const auto source = static_cast<uint32_t>(words.first);
      const auto target = static_cast<uint32_t>(words.second);
      uint64_t at = (fmix64(static_cast<uint64_t>(source) << 32 | target) >> 32) * slots.size() >> 32;
      while (slots[at].z != 0) {
        at = (at + 1) % slots.size();
      }
      slots[at] = {source, target, count, 0};
    }
    return slots;
  }
  void link(int32_t source, int32_t target) {
    counts[{source, target}]++;
    source_links[static_cast<size_t>(source)]++;
    target_links[static_cast<size_t>(target)]++;
  }
  double share(int32_t source, int32_t target, uint32_t all) const {
    const auto found = counts.find({source, target});
    return found == counts.end() ? 0 : static_cast<double>(found->second) / all;
  }
};

struct ReferencePair {
  Words words;
  uint32_t count = 0;
  uint32_t segment = 0; /* of its first extraction in sample order */
  uint32_t position = 0;
};

struct ReferencePhrase {
  int64_t occurrences = 0;
  uint32_t samples = 0;
  uint32_t outcomes[kOutcomes] = {};
  std::vector<ReferencePair> pairs;
};

/* Looks at every substring of the text. */
class Reference {
 public:
  /* learned: whether the last part has learned pairs, which are sampled on their own. */
  Reference(const Text &text, const std::vector<SegmentArrays> &segments, bool learned)
      : text_(text), segments_(segments), file_parts_(text.parts.size() - (learned ? 1 : 0)) {
    for (size_t s = 0; s < text.parts.size(); s++) {
      std::vector<Place> places; /* by position */
      uint32_t target = 0;
      for (size_t i = 0; i < text.parts[s].size(); i++) {
        for (size_t from = 0; from <= text.parts[s][i].source.size(); from++) {
          places.push_back({s, i, from, target, 0});
        }
        target += static_cast<uint32_t>(text.parts[s][i].target.size()) + 1;
      }
      for (size_t rank = 0; rank < places.size(); rank++) {
        Place place = places[static_cast<size_t>(segments[s].suffixes[rank])];
        place.rank = static_cast<int64_t>(rank);
        const Words &source = text.parts[s][place.sentence].source;
        for (size_t to = place.from + 1; to <= source.size(); to++) {
          places_[Words(source.begin() + static_cast<long>(place.from), source.begin() + static_cast<long>(to))]
              .push_back(place);
        }
      }
    }
  }

  bool has(const Words &phrase) const { return places_.count(phrase) != 0; }

  ReferencePhrase extract(const Words &phrase, const Settings &settings) const {
    const std::vector<Place> &all = places_.at(phrase); /* by segment, then by rank */
    ReferencePhrase found;
    const auto learned =
        std::find_if(all.begin(), all.end(), [&](const Place &at) { return at.segment >= file_parts_; });
    found.occurrences = static_cast<int64_t>(all.size());
    sample({all.begin(), learned}, phrase.size(), settings, found);
    sample({learned, all.end()}, phrase.size(), settings, found);
    std::sort(found.pairs.begin(), found.pairs.end(), [](const ReferencePair &a, const ReferencePair &b) {
      return a.count != b.count ? a.count > b.count : a.words < b.words;
    });
    return found;
  }

 private:
  struct Place {
    size_t segment;
    size_t sentence;
    size_t from;
    uint32_t target; /* position of the target sentence */
    int64_t rank;
  };

  void sample(const std::vector<Place> &all, size_t words, const Settings &settings, ReferencePhrase &found) const {
    const uint64_t most = settings.samples == 0 ? all.size() : settings.samples;
    const uint64_t samples = std::min<uint64_t>(all.size(), most);
    found.samples += static_cast<uint32_t>(samples);
    const double step = static_cast<double>(all.size()) / static_cast<double>(samples);
    double at = all.empty() ? 0 : static_cast<double>(all[0].rank);
    for (uint64_t k = 0; k < samples; k++, at += step) {
      const auto rounded = static_cast<uint64_t>(std::floor(at + 0.5)) - static_cast<uint64_t>(all[0].rank);
      sample_one(all[samples == all.size() ? k : std::min<uint64_t>(all.size() - 1, rounded)], words, settings, found);
    }
  }

  void sample_one(const Place &place, size_t words, const Settings &settings, ReferencePhrase &found) const {
    const SentencePair &pair = text_.parts[place.segment][place.sentence];
    const auto inside = [&](const std::pair<int, int> &point) {
      return point.first >= static_cast<int>(place.from) && point.first < static_cast<int>(place.from + words);
    };
    std::set<int> span;
    std::set<int> back;
    for (const auto &point : pair.points) {
      if (inside(point)) {
        span.insert(point.second);
      }
    }
    if (span.empty()) {
      found.outcomes[kUnalignedPhrase]++;
      return;
    }
    for (const auto &point : pair.points) {
      if (point.second >= *span.begin() && point.second <= *span.rbegin()) {
        back.insert(point.first);
      }
    }
    const int from = static_cast<int>(place.from);
    const int last = static_cast<int>(place.from + words) - 1;
    const int most = settings.max_target == 0 ? INT32_MAX : static_cast<int>(settings.max_target);
    const auto too_long = [&](int size) { return size > most; };
    if (*back.begin() < from || *back.rbegin() > last) {
      found.outcomes[kInconsistent]++;
    } else if (!settings.loose && (*back.begin() != from || *back.rbegin() != last)) {
      found.outcomes[kLoose]++;
    } else if (too_long(*span.rbegin() - *span.begin() + 1)) {
      found.outcomes[kTooLong]++;
    } else {
      found.outcomes[kExtracted]++;
      // Every span that has all points of the phrase and no others; the ones that begin later come first.
      for (int begin = *span.begin(); begin >= (settings.loose ? 0 : *span.begin()); begin--) {
        const int behind = settings.loose ? static_cast<int>(pair.target.size()) : *span.rbegin() + 1;
        for (int end = *span.rbegin(); end < behind; end++) {
          bool consistent = true;
          for (const auto &point : pair.points) {
            consistent &= inside(point) == (point.second >= begin && point.second <= end);
          }
          if (consistent && !too_long(end - begin + 1)) {
            add(Words(pair.target.begin() + begin, pair.target.begin() + end + 1), place, begin, found);
          }
        }
      }
    }
  }
  static void add(const Words &words, const Place &place, int begin, ReferencePhrase &found) {
    for (ReferencePair &pair : found.pairs) {
      if (pair.words == words) {
        pair.count++;
        return;
      }
    }
    const uint32_t position = place.target + static_cast<uint32_t>(begin);
    found.pairs.push_back({words, 1, static_cast<uint32_t>(place.segment), position});
  }

  const Text &text_;
  const std::vector<SegmentArrays> &segments_;
  size_t file_parts_;
  std::map<Words, std::vector<Place>> places_;
};

}  // namespace lat::phrases
