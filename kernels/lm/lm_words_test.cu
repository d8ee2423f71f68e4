// Raw text to tokens, and the sums of texts, against plain host loops, over random and hostile texts. Exits with 0 if
// every token, offset and sum is equal, bit for bit.
//
//   lm_words_test [SCALE]     SCALE multiplies the sizes; 0 makes them small, for compute-sanitizer's slower tools
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "common/both.cuh"
#include "common/compare.cuh"
#include "common/test.cuh"

namespace {

using namespace lat::test;
using lat::bits_of;

constexpr char kParting[] = {'\0', '\t', '\n', '\v', '\f', '\r', ' '};
constexpr uint32_t kGuard = 0xabababab;  // fills the memory after a call's output

bool parts_words(char c) { return std::memchr(kParting, c, sizeof(kParting)) != nullptr; }

/* A vocabulary in the format of a model file. */
struct Vocabulary {
  std::vector<std::string> words{"<unk>"};
  std::map<std::string, uint32_t> ids;
  std::vector<uint8_t> text;
  std::vector<uint32_t> starts;
  std::vector<uint32_t> table;
  uint32_t slots = 0;
  uint32_t longest = 0;

  void add(const std::string &word) {
    words.push_back(word);
    ids.emplace(word, static_cast<uint32_t>(words.size() - 1));
  }

  static uint64_t hash(const std::string &word) {
    uint64_t x = 0xcbf29ce484222325ull;
    for (const char c : word) {
      x = (x ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
    }
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
  }

  void build(double load) {
    text.clear();
    starts.assign(1, 0);
    for (const std::string &word : words) {
      text.insert(text.end(), word.begin(), word.end());
      starts.push_back(static_cast<uint32_t>(text.size()));
      longest = std::max(longest, static_cast<uint32_t>(word.size()));
    }
    slots = static_cast<uint32_t>(static_cast<double>(words.size()) / load) + 1;
    table.assign(slots * 2ull, 0);
    for (uint32_t slot = 0; slot < slots; slot++) {
      table[slot * 2 + 1] = ~0u;
    }
    for (const auto &[word, id] : ids) {
      const uint64_t h = hash(word);
      uint64_t slot = (h >> 32) * slots >> 32;
      while (table[slot * 2 + 1] != ~0u) {
        slot = (slot + 1) % slots;
      }
      table[slot * 2] = static_cast<uint32_t>(h);
      table[slot * 2 + 1] = id;
    }
  }
};

struct Expected {
  std::vector<uint32_t> tokens;
  std::vector<uint32_t> offsets{0};
};

/* The definition, as a plain loop. */
Expected plain(const Vocabulary &vocabulary, const std::vector<std::string> &texts, uint32_t begin, uint32_t end) {
  Expected out;
  for (const std::string &text : texts) {
    const size_t first = out.tokens.size();
    if (begin != LAT_LM_NONE) {
      out.tokens.push_back(begin | LAT_LM_CONTEXT);
    }
    for (size_t at = 0; at < text.size();) {
      if (parts_words(text[at])) {
        at++;
        continue;
      }
      size_t to = at;
      while (to < text.size() && !parts_words(text[to])) {
        to++;
      }
      const auto known = vocabulary.ids.find(text.substr(at, to - at));
      out.tokens.push_back(known == vocabulary.ids.end() ? 0 : known->second);
      at = to;
    }
    if (end != LAT_LM_NONE) {
      out.tokens.push_back(end);
    }
    if (out.tokens.size() > first) {
      out.tokens[first] |= LAT_LM_FIRST;
    }
    out.offsets.push_back(static_cast<uint32_t>(out.tokens.size()));
  }
  return out;
}

void check_sums(const std::string &what, const Expected &expected, std::mt19937_64 &random) {
  std::vector<float> log10(expected.tokens.size());
  for (float &value : log10) {
    value = -static_cast<float>(random() % 1000000) / 65537;
  }
  const size_t texts = expected.offsets.size() - 1;
  const Array<uint32_t> tokens(expected.tokens);
  const Array<uint32_t> offsets(expected.offsets);
  const Array<float> scores(log10);
  const Array<float> totals(texts);
  const Array<uint32_t> unknown(texts);
  const Array<double> unknown_totals(texts);
  CHECK(lat_lm_sums(tokens.get(), offsets.get(), texts, scores.get(), totals.get(), unknown.get(),
                    unknown_totals.get(), nullptr));
  const std::vector<float> found_totals = totals.copy(texts);
  const std::vector<uint32_t> found_unknown = unknown.copy(texts);
  const std::vector<double> found_unknown_totals = unknown_totals.copy(texts);
  for (size_t i = 0; i < texts; i++) {
    float total = 0;
    uint32_t unknowns = 0;
    double unknown_total = 0;
    for (uint32_t p = expected.offsets[i]; p < expected.offsets[i + 1]; p++) {
      const uint32_t token = expected.tokens[p] & ~LAT_LM_FIRST;
      if ((token & LAT_LM_CONTEXT) == 0) {
        total += log10[p];
        unknowns += token == 0;
        unknown_total += token == 0 ? log10[p] : 0.0;
      }
    }
    compared++;
    if (bits_of(found_totals[i]) != bits_of(total) || found_unknown[i] != unknowns ||
        bits_of(found_unknown_totals[i]) != bits_of(unknown_total)) {
      failed("sums of %s, text %zu: %.9g %u %.17g, expected %.9g %u %.17g", what.c_str(), i, found_totals[i],
             found_unknown[i], found_unknown_totals[i], total, unknowns, unknown_total);
      return;
    }
  }
}

/* The surroundings of a position, for display. */
std::string shown_text(const std::string &text) {
  std::string out;
  for (const char c : text.substr(0, 80)) {
    char hex[8];
    std::snprintf(hex, sizeof(hex), c >= ' ' && c < 127 ? "%c" : "\\x%02x", static_cast<uint8_t>(c));
    out += hex;
  }
  return out + (text.size() > 80 ? "..." : "");
}

void check(const std::string &what, const Vocabulary &vocabulary, const std::vector<std::string> &texts,
           std::mt19937_64 &random) {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> ends;
  for (const std::string &text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<uint32_t>(bytes.size()));
    bytes.push_back(static_cast<uint8_t>(kParting[random() % sizeof(kParting)]));
  }
  const uint64_t size = bytes.size();
  bytes.insert(bytes.end(), LAT_LM_TEXT_PADDING, 'x');  // no word may continue here
  const Array<uint8_t> d_text(bytes);
  const Array<uint32_t> d_ends(ends);
  const Array<uint8_t> word_text(vocabulary.text);
  const Array<uint32_t> word_starts(vocabulary.starts);
  const Array<uint32_t> word_table(vocabulary.table);
  const auto words = static_cast<uint32_t>(vocabulary.words.size());
  for (int flags = 0; flags < 4; flags++) {
    const uint32_t begin = (flags & 1) != 0 ? words + 5 : LAT_LM_NONE;
    const uint32_t end = (flags & 2) != 0 ? words + 6 : LAT_LM_NONE;
    const std::string name = what + ((flags & 1) != 0 ? ", <s>" : "") + ((flags & 2) != 0 ? ", </s>" : "");
    const Expected expected = plain(vocabulary, texts, begin, end);
    const uint64_t room = (size + 1) / 2 + texts.size() * ((flags & 1) + (flags >> 1));
    const Array<uint32_t> tokens(std::vector<uint32_t>(room + 1, kGuard));
    const Array<uint32_t> offsets(std::vector<uint32_t>(texts.size() + 2, kGuard));
    size_t scratch_bytes = 0;
    const auto call = [&](void *scratch) {
      return lat_lm_tokens(d_text.get(), size, d_ends.get(), texts.size(), word_text.get(), word_starts.get(), words,
                           word_table.get(), vocabulary.slots, vocabulary.longest, begin, end, tokens.get(),
                           offsets.get(), scratch, &scratch_bytes, nullptr);
    };
    CHECK(call(nullptr));
    const Array<char> scratch(std::vector<char>(scratch_bytes, 0x5a));
    CHECK(call(scratch.get()));
    const std::vector<uint32_t> found_offsets = offsets.copy(texts.size() + 2);
    const std::vector<uint32_t> found = tokens.copy(room + 1);
    bool same = true;
    for (size_t i = 0; same && i <= texts.size(); i++) {
      compared++;
      if (found_offsets[i] != expected.offsets[i]) {
        same = false;
        failed("%s: %zu texts, %llu bytes: offset %zu is %u, expected %u; text before it: \"%s\"", name.c_str(),
               texts.size(), static_cast<unsigned long long>(size), i, found_offsets[i], expected.offsets[i],
               i == 0 ? "" : shown_text(texts[i - 1]).c_str());
      }
    }
    for (size_t i = 0, text = 0; same && i < expected.tokens.size(); i++) {
      compared++;
      while (expected.offsets[text + 1] <= i) {
        text++;
      }
      if (found[i] != expected.tokens[i]) {
        same = false;
        failed("%s: text %zu, token %zu of it is %x, expected %x: \"%s\"", name.c_str(), text,
               i - expected.offsets[text], found[i], expected.tokens[i], shown_text(texts[text]).c_str());
      }
    }
    compared++;
    if (found[room] != kGuard || found_offsets[texts.size() + 1] != kGuard) {
      failed("%s: wrote beyond the output buffer", name.c_str());
    }
    check_sums(name, expected, random);
  }
}

std::string random_word(std::mt19937_64 &random, size_t most, bool any_byte) {
  std::string word(1 + random() % most, 'a');
  for (char &c : word) {
    do {
      c = static_cast<char>(any_byte ? random() : 'a' + random() % 3);
    } while (parts_words(c));
  }
  return word;
}

std::string gap(std::mt19937_64 &random, size_t most) {
  std::string out;
  for (size_t i = 1 + random() % most; i > 0; i--) {
    out += kParting[random() % sizeof(kParting)];
  }
  return out;
}

std::vector<std::string> random_texts(const Vocabulary &vocabulary, size_t texts, size_t most_words, size_t most_gap,
                                      std::mt19937_64 &random) {
  std::vector<std::string> out(texts);
  for (std::string &text : out) {
    text = random() % 4 == 0 ? gap(random, most_gap) : "";
    for (size_t words = random() % (most_words + 1); words > 0; words--) {
      const std::string &known = vocabulary.words[random() % vocabulary.words.size()];
      switch (random() % 8) {
        case 0:
          text += random_word(random, 12, true);
          break;
        case 1:
          text += known + "a";  // has a word as its prefix
          break;
        case 2:
          text += known.substr(0, 1 + known.size() / 2);
          break;
        default:
          text += known;
      }
      text += words > 1 || random() % 4 == 0 ? gap(random, most_gap) : "";
    }
  }
  return out;
}

}  // namespace

int main(int argc, char **argv) {
  const double given = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  const bool small = given == 0;
  const double scale = small ? 0.02 : given;
  std::mt19937_64 random(20261121);
  const auto sized = [&](double size) { return static_cast<size_t>(size * scale) + 3; };
  for (const size_t words : small ? std::vector<size_t>{30} : std::vector<size_t>{1, 30, 5000, sized(200000)}) {
    for (const double load : {0.4, 0.66, 0.95}) {
      Vocabulary vocabulary;
      std::set<std::string> known{"<unk>", "<UNK>"};
      for (size_t i = 0; i < words; i++) {
        const std::string word = random_word(random, i % 50 == 0 ? 300 : 10, i % 3 == 0);
        if (known.insert(word).second) {
          vocabulary.add(word);
        }
      }
      vocabulary.build(load);
      const std::string what = std::to_string(words) + " words, load " + std::to_string(load).substr(0, 4);
      check(what + ", texts", vocabulary, random_texts(vocabulary, sized(3000), 30, 2, random), random);
      check(what + ", short texts", vocabulary, random_texts(vocabulary, sized(20000), 1, 1, random), random);
      check(what + ", wide gaps", vocabulary, random_texts(vocabulary, sized(200), 20, 400, random), random);
    }
  }
  Vocabulary vocabulary;
  for (const char *word : {"a", "b", "ab", "the", "<s>", "</s>", "na\xc3\xafve", "\xff\xfe", "\x80", "\xe2\x80\x83"}) {
    vocabulary.add(word);
  }
  vocabulary.add(std::string(10000, 'q'));
  vocabulary.build(0.5);
  using Texts = std::vector<std::string>;
  check("one empty text", vocabulary, Texts{""}, random);
  check("empty texts", vocabulary, Texts(sized(10000), ""), random);
  check("one byte", vocabulary, Texts{"a"}, random);
  check("every byte", vocabulary, Texts(sized(10000), "a"), random);
  check("words of one byte", vocabulary, Texts{[&] {
    std::string text;
    for (size_t i = 0; i < sized(50000); i++) {
      text += i % 3 == 0 ? "a " : "b\t";
    }
    return text;
  }()}, random);
  check("only separators", vocabulary,
        Texts{" ", std::string(100000, ' '), std::string(5000, '\0'), "\t\n\v\f\r ", "a", std::string(20, '\n')}, random);
  Texts bytes;
  for (int c = 0; c < 256; c++) {
    const std::string byte(1, static_cast<char>(c));
    bytes.push_back("a" + byte + "b");
    bytes.push_back(byte);
    bytes.push_back("ab" + byte);
    bytes.push_back(byte + "ab");
  }
  check("each byte between, after and before words, and alone", vocabulary, bytes, random);
  check("words that are not UTF-8", vocabulary,
        Texts{"\xff\xfe \x80\xff\xfe", "na\xc3\xafve na\xc3 \xafve", "a\xe2\x80\x83"
              "b \xe2\x80\x83 a\xc2\xa0"
              "b"}, random);
  check("<unk> and similar", vocabulary, Texts{"<unk> <UNK> <s> </s> a"}, random);
  check("long words", vocabulary,
        Texts{std::string(10000, 'q'), std::string(10001, 'q'), std::string(9999, 'q'), "a", std::string(300000, 'q'),
              "b " + std::string(10000, 'q') + " a"}, random);
  // Words that end, start or lie at every position around the edges of units, warps and tiles.
  for (const size_t edge : {16, 32, 512, 4096, 8192}) {
    Texts texts;
    for (size_t before = edge - 5; before <= edge + 3; before++) {
      texts.push_back(std::string(before, ' ') + "the");
      check("a word at " + std::to_string(before), vocabulary, Texts{texts.back()}, random);
      check("a word at " + std::to_string(before) + ", then another", vocabulary, Texts{texts.back() + " ab "}, random);
      check("a text that ends at " + std::to_string(before), vocabulary, Texts{std::string(before, 'a'), "the", ""},
            random);
    }
    check("words around " + std::to_string(edge), vocabulary, texts, random);
  }
  size_t scratch = 0;
  const Array<uint32_t> offsets(std::vector<uint32_t>{7});
  const auto none = [&](void *memory, uint64_t size, uint64_t texts) {
    return lat_lm_tokens(nullptr, size, nullptr, texts, nullptr, nullptr, 1, nullptr, 1, 1, LAT_LM_NONE, LAT_LM_NONE,
                         nullptr, offsets.get(), memory, &scratch, nullptr);
  };
  expect("scratch of no texts", none(nullptr, 0, 0), LAT_OK);
  const Array<char> memory(scratch);
  expect("no texts", none(memory.get(), 0, 0), LAT_OK);
  expect("no offset", static_cast<int>(offsets.one()), 0);
  expect("2^31 bytes", none(memory.get(), 1ull << 31, 1), LAT_BAD_ARGUMENT);
  expect("more texts than bytes", none(memory.get(), 1, 2), LAT_BAD_ARGUMENT);
  scratch = 0;
  expect("too little scratch", none(memory.get(), 0, 0), LAT_SCRATCH_TOO_SMALL);
  expect("sums of nothing", lat_lm_sums(nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr), LAT_OK);
  CHECK(cudaDeviceSynchronize());
  return finish("lm_words_test");
}
