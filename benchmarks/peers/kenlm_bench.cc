// Scores raw text with KenLM's probing model: words are looked up in its vocabulary, then scored in their sentences.
//
//   kenlm_bench MODEL TEXT REPEAT RUNS THREADS...
//
// MODEL: an ARPA file or a binary of type probing. TEXT is held in memory REPEAT times over; threads take pieces of it in
// turn, whole lines each. One JSON object a line for each number of threads: the median, least and most of the runs after
// one that warms up; a token is a word or the end of a sentence.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "lm/model.hh"
#include "util/string_piece.hh"

namespace {

typedef lm::ngram::ProbingModel Model;

const size_t kPiece = 1 << 18;  // bytes that a thread takes at a time, up to the end of a line

struct Sums {
  double log10 = 0;
  uint64_t tokens = 0;
  uint64_t unknown = 0;
};

bool is_space(char c) { return c == ' ' || c == 0 || (c >= '\t' && c <= '\r'); }

void score_line(const Model &model, const char *at, const char *end, Sums &sums) {
  const Model::Vocabulary &words = model.GetVocabulary();
  lm::ngram::State states[2];
  int now = 0;
  states[0] = model.BeginSentenceState();
  const auto score = [&](lm::WordIndex word) {
    sums.log10 += model.FullScore(states[now], word, states[1 - now]).prob;
    sums.tokens++;
    now = 1 - now;
  };
  while (at != end) {
    if (is_space(*at)) {
      at++;
      continue;
    }
    const char *start = at;
    while (at != end && !is_space(*at)) {
      at++;
    }
    const lm::WordIndex word = words.Index(StringPiece(start, at - start));
    sums.unknown += word == words.NotFound();
    score(word);
  }
  score(words.EndSentence());
}

Sums score_piece(const Model &model, const char *at, const char *end) {
  Sums sums;
  while (at != end) {
    const char *line = std::find(at, end, '\n');
    score_line(model, at, line, sums);
    at = line == end ? end : line + 1;
  }
  return sums;
}

/* Where pieces begin, and the end of the text. */
std::vector<size_t> pieces(const std::string &text) {
  std::vector<size_t> starts(1, 0);
  while (starts.back() < text.size()) {
    const size_t from = starts.back() + kPiece;
    const size_t newline = from < text.size() ? text.find('\n', from) : std::string::npos;
    starts.push_back(newline == std::string::npos ? text.size() : newline + 1);
  }
  return starts;
}

Sums score_all(const Model &model, const std::string &text, const std::vector<size_t> &starts, size_t threads) {
  std::vector<Sums> of_piece(starts.size() - 1);  // added up in order: the sum does not depend on the threads
  std::atomic<size_t> next(0);
  std::vector<std::thread> team;
  for (size_t t = 0; t < threads; t++) {
    team.emplace_back([&]() {
      for (size_t p = next++; p < of_piece.size(); p = next++) {
        of_piece[p] = score_piece(model, text.data() + starts[p], text.data() + starts[p + 1]);
      }
    });
  }
  for (std::thread &thread : team) {
    thread.join();
  }
  Sums all;
  for (const Sums &sums : of_piece) {
    all.log10 += sums.log10;
    all.tokens += sums.tokens;
    all.unknown += sums.unknown;
  }
  return all;
}

void measure(const Model &model, const std::string &text, int runs, size_t threads) {
  const std::vector<size_t> starts = pieces(text);
  std::vector<double> ms;
  Sums sums;
  for (int run = -1; run < runs; run++) {
    const auto start = std::chrono::steady_clock::now();
    sums = score_all(model, text, starts, threads);
    const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (run >= 0) {
      ms.push_back(took);
    }
  }
  std::sort(ms.begin(), ms.end());
  const double middle = (ms[(ms.size() - 1) / 2] + ms[ms.size() / 2]) / 2;
  const double tokens = static_cast<double>(sums.tokens);
  std::printf("{\"op\": \"lm-peer\", \"peer\": \"KenLM probing\", \"way\": \"threads\", \"threads\": %zu, \"queries\": %llu, "
              "\"unknown\": %llu, \"ms\": %.2f, \"mqps\": %.1f, \"mqps_min\": %.1f, \"mqps_max\": %.1f, "
              "\"perplexity\": %.9f, \"runs\": %d}\n",
              threads, static_cast<unsigned long long>(sums.tokens), static_cast<unsigned long long>(sums.unknown), middle,
              tokens / middle / 1e3, tokens / ms.back() / 1e3, tokens / ms.front() / 1e3,
              std::pow(10.0, -sums.log10 / tokens), runs);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: kenlm_bench MODEL TEXT REPEAT RUNS THREADS...\n");
    return 2;
  }
  try {
    std::ifstream file(argv[2], std::ios::binary);
    const std::string once((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (once.empty()) {
      std::fprintf(stderr, "kenlm_bench: %s is empty or cannot be read\n", argv[2]);
      return 1;
    }
    std::string text;
    for (int i = 0; i < std::max(1, std::atoi(argv[3])); i++) {
      text += once;
    }
    lm::ngram::Config config;
    config.messages = nullptr;
    const Model model(argv[1], config);
    for (int i = 5; i < argc; i++) {
      measure(model, text, std::max(1, std::atoi(argv[4])), static_cast<size_t>(std::max(1, std::atoi(argv[i]))));
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "kenlm_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
