// A grammar as a text says it, and as the kernels take it; for the test and the bench.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "grammar/block.cuh"

namespace lat::grammar {

/* Rules over variables and words, numbered in order of appearance. */
struct PlainGrammar {
  struct Binary {
    uint32_t parent;
    uint32_t left;
    uint32_t right;
    float weight;
  };
  struct Single { /* parent -> a variable or a word */
    uint32_t parent;
    uint32_t child;
    float weight;
  };
  std::vector<std::string> names;
  std::map<std::string, uint32_t> variables;
  std::map<std::string, int32_t> words;
  uint32_t start = 0;
  std::vector<Binary> binary;
  std::vector<Single> unary;
  std::vector<Single> lexical;

  uint32_t size() const { return static_cast<uint32_t>(names.size()); }
  int32_t word(const std::string &text) const {
    const auto found = words.find(text);
    return found == words.end() ? -1 : found->second;
  }
};

[[noreturn]] inline void cannot_read(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/* The lines of a file, which may be compressed by gzip. */
inline std::vector<std::string> lines_of(const std::string &path) {
  const bool packed = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  if (path.find('\'') != std::string::npos) {
    cannot_read(path + ": a quote in the name");
  }
  std::FILE *file = packed ? popen(("gzip -dc -- '" + path + "'").c_str(), "r") : std::fopen(path.c_str(), "r");
  if (file == nullptr) {
    cannot_read(path + " cannot be read");
  }
  std::string text;
  char buffer[1 << 16];
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, got);
  }
  if ((packed ? pclose(file) : std::fclose(file)) != 0 || text.empty()) {
    cannot_read(path + " cannot be read, or is empty");
  }
  std::vector<std::string> lines;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

inline std::vector<std::string> split(const std::string &line, char by) {
  std::vector<std::string> out;
  std::stringstream in(line);
  for (std::string part; std::getline(in, part, by);) {
    out.push_back(part);
  }
  return out;
}

/* Reads files of v, b, u, t, e and start lines; a last field with a number is a probability. */
inline PlainGrammar read_grammar(const std::vector<std::string> &paths) {
  PlainGrammar grammar;
  std::string start;
  for (const std::string &path : paths) {
    for (const std::string &line : lines_of(path)) {
      const std::vector<std::string> f = split(line, ' ');
      const auto variable = [&](size_t field) {
        const auto found = field < f.size() ? grammar.variables.find(f[field]) : grammar.variables.end();
        if (found == grammar.variables.end()) {
          cannot_read(path + ": unknown variable in: " + line);
        }
        return found->second;
      };
      const auto weight = [&](size_t field) {
        return field < f.size() ? std::log(std::strtod(f[field].c_str(), nullptr)) : 0;
      };
      if (f.empty() || f[0] == "#" || f[0] == "e") {
        continue;
      } else if (f[0] == "start" && f.size() > 1) {
        start = f[1];
      } else if (f[0] == "v" && f.size() > 1) {
        grammar.variables.emplace(f[1], grammar.size());
        grammar.names.push_back(f[1]);
      } else if (f[0] == "b") {
        grammar.binary.push_back({variable(1), variable(2), variable(3), static_cast<float>(weight(4))});
      } else if (f[0] == "u") {
        grammar.unary.push_back({variable(1), variable(2), static_cast<float>(weight(3))});
      } else if (f[0] == "t" && f.size() > 2) {
        const auto word = grammar.words.emplace(f[2], static_cast<int32_t>(grammar.words.size())).first->second;
        grammar.lexical.push_back({variable(1), static_cast<uint32_t>(word), static_cast<float>(weight(3))});
      } else {
        cannot_read(path + ": unknown line: " + line);
      }
    }
  }
  if (grammar.variables.count(start) == 0) {
    cannot_read("no start variable");
  }
  grammar.start = grammar.variables[start];
  return grammar;
}

/* A relation as lists, one after the other. */
struct Lists {
  std::vector<uint32_t> starts{0};
  std::vector<uint32_t> items;

  void end() { starts.push_back(static_cast<uint32_t>(items.size())); }
};

/* The arrays of lat_grammar_index. */
struct PackedGrammar {
  uint32_t classes = 0;
  std::vector<uint32_t> class_of; /* of a variable */
  uint32_t start = 0;
  std::vector<uint32_t> pairs;
  Lists rules;
  Lists ancestors;
  Lists words;

  explicit PackedGrammar(const PlainGrammar &from) {
    const uint32_t size = from.size();
    std::vector<std::vector<uint32_t>> parents(size);
    for (const auto &rule : from.unary) {
      parents[rule.child].push_back(rule.parent);
    }
    std::vector<std::vector<uint32_t>> above(size); /* ascending */
    for (uint32_t v = 0; v < size; v++) {
      std::set<uint32_t> seen{v};
      std::vector<uint32_t> open{v};
      while (!open.empty()) {
        const uint32_t next = open.back();
        open.pop_back();
        for (const uint32_t parent : parents[next]) {
          if (seen.insert(parent).second) {
            open.push_back(parent);
          }
        }
      }
      above[v].assign(seen.begin(), seen.end());
    }
    const auto derives = [&](uint32_t a, uint32_t b) {
      return std::binary_search(above[b].begin(), above[b].end(), a);
    };
    class_of.assign(size, ~0u);
    std::vector<uint32_t> members;
    for (uint32_t v = 0; v < size; v++) {
      for (const uint32_t other : above[v]) {
        if (other < v && derives(v, other)) {
          class_of[v] = class_of[other];
          break;
        }
      }
      if (class_of[v] == ~0u) {
        class_of[v] = classes++;
        members.push_back(v);
      }
    }
    start = class_of[from.start];
    const auto closed = [&](uint32_t variable) {
      std::set<uint32_t> made;
      for (const uint32_t a : above[variable]) {
        made.insert(class_of[a]);
      }
      return made;
    };
    for (const uint32_t member : members) {
      const auto made = closed(member);
      ancestors.items.insert(ancestors.items.end(), made.begin(), made.end());
      ancestors.end();
    }
    add_rules(from);
    std::vector<std::set<uint32_t>> of_word(from.words.size());
    for (const auto &rule : from.lexical) {
      const auto made = closed(rule.parent);
      of_word[rule.child].insert(made.begin(), made.end());
    }
    for (const auto &list : of_word) {
      words.items.insert(words.items.end(), list.begin(), list.end());
      words.end();
    }
  }

  /* Adds the rules between classes, without those that others make superfluous: A -> B C where there is A' -> B' C',
   * and A derives A', B' derives B, and C' derives C by unary rules. */
  void add_rules(const PlainGrammar &from) {
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> parents; /* of right-hand sides */
    for (const auto &rule : from.binary) {
      parents[{class_of[rule.left], class_of[rule.right]}].insert(class_of[rule.parent]);
    }
    const size_t words_of_set = (classes + 63) / 64;
    std::vector<std::pair<uint32_t, uint32_t>> sides;
    std::vector<uint32_t> first{0}; /* side of a left class */
    std::vector<uint64_t> above;    /* per side, the proper ancestors of its parents */
    std::vector<uint64_t> all;      /* per side, its parents and their ancestors */
    const auto has = [](const uint64_t *set, uint32_t c) { return (set[c / 64] >> c % 64 & 1) != 0; };
    for (const auto &entry : parents) {
      while (first.size() <= entry.first.first) {
        first.push_back(static_cast<uint32_t>(sides.size()));
      }
      sides.push_back(entry.first);
      above.resize(sides.size() * words_of_set, 0);
      all.resize(sides.size() * words_of_set, 0);
      for (const uint32_t parent : entry.second) {
        for (uint32_t a = ancestors.starts[parent]; a < ancestors.starts[parent + 1]; a++) {
          const uint32_t ancestor = ancestors.items[a];
          const size_t at = (sides.size() - 1) * words_of_set + ancestor / 64;
          all[at] |= 1ull << ancestor % 64;
          above[at] |= ancestor == parent ? 0 : 1ull << ancestor % 64;
        }
      }
    }
    first.resize(classes + 1, static_cast<uint32_t>(sides.size()));
    std::vector<std::vector<uint32_t>> of_class(classes);
    std::vector<uint64_t> rights(words_of_set);
    for (size_t s = 0; s < sides.size(); s++) {
      const auto side = sides[s];
      std::fill(rights.begin(), rights.end(), 0);
      for (uint32_t a = ancestors.starts[side.second]; a < ancestors.starts[side.second + 1]; a++) {
        rights[ancestors.items[a] / 64] |= 1ull << ancestors.items[a] % 64;
      }
      std::vector<uint64_t> superfluous(above.begin() + static_cast<long>(s * words_of_set),
                                        above.begin() + static_cast<long>((s + 1) * words_of_set));
      for (uint32_t a = ancestors.starts[side.first]; a < ancestors.starts[side.first + 1]; a++) {
        for (uint32_t t = first[ancestors.items[a]]; t < first[ancestors.items[a] + 1]; t++) {
          if (t != s && has(rights.data(), sides[t].second)) {
            for (size_t w = 0; w < words_of_set; w++) {
              superfluous[w] |= all[t * words_of_set + w];
            }
          }
        }
      }
      bool used = false;
      for (const uint32_t parent : parents[side]) {
        if (!has(superfluous.data(), parent)) {
          of_class[parent].push_back(static_cast<uint32_t>(pairs.size()));
          used = true;
        }
      }
      if (used) {
        pairs.push_back(side.first | side.second << 16);
      }
    }
    for (const auto &list : of_class) {
      rules.items.insert(rules.items.end(), list.begin(), list.end());
      rules.end();
    }
  }

  template <typename MACHINE>
  lat_grammar_index put(MACHINE &machine) const {
    lat_grammar_index index{};
    index.classes = classes;
    index.start = start;
    index.pairs = pairs.size();
    index.d_pairs = machine.put(pairs);
    index.rules = rules.items.size();
    index.d_rule_starts = machine.put(rules.starts);
    index.d_rules = machine.put(rules.items);
    index.ancestors = ancestors.items.size();
    index.d_ancestor_starts = machine.put(ancestors.starts);
    index.d_ancestors = machine.put(ancestors.items);
    index.words = words.starts.size() - 1;
    index.d_word_starts = machine.put(words.starts);
    index.d_word_classes = machine.put(words.items);
    return index;
  }
};

}  // namespace lat::grammar
