// A batch on the device or on the host; for the test and the bench.
#pragma once

#include <memory>
#include <vector>

#include "common/machine.cuh"
#include "smt/host.cuh"
#include "smt/smt_reference.cuh"

namespace lat::smt {

/* Brings a model and sentences to a machine. Nothing is read beyond the arrays. */
template <typename MACHINE>
lat_smt_batch bring(MACHINE &machine, const Model &model, const lm_test::HashFile &file, const Lattices &lattices,
                    const Options &options, uint32_t begin, uint32_t end) {
  lat_smt_batch batch{};
  batch.d_unigrams = machine.put(file.unigrams);
  batch.lm_words = model.words;
  batch.d_table = machine.put(file.table);
  batch.buckets = file.buckets;
  batch.order = static_cast<uint64_t>(model.order);
  batch.begin = begin;
  batch.end = end;
  batch.stack = options.stack;
  batch.candidates = options.candidates;
  batch.distortion = options.distortion;
  batch.alternatives = options.alternatives ? 1 : 0;
  batch.lm_weight = options.lm_weight;
  batch.distortion_weight = options.distortion_weight;
  batch.d_fixed = machine.put(lattices.fixed);
  batch.d_expected = machine.put(lattices.expected);
  std::vector<uint32_t> starts{0};
  std::vector<uint32_t> words;
  for (const Words &target : lattices.target) {
    words.insert(words.end(), target.begin(), target.end());
    starts.push_back(static_cast<uint32_t>(words.size()));
  }
  batch.d_word_starts = machine.put(starts);
  batch.d_words = machine.put(words);
  batch.choices = lattices.fixed.size();
  std::vector<lat_smt_phrase> phrases;
  std::vector<lat_smt_sentence> sentences;
  batch.most_longest = 1;
  for (const auto &sentence : lattices.sentences) {
    sentences.push_back({phrases.size(), sentence.words, sentence.longest});
    phrases.insert(phrases.end(), sentence.phrases.begin(), sentence.phrases.end());
    batch.most_words = std::max<uint64_t>(batch.most_words, sentence.words);
    batch.most_longest = std::max<uint64_t>(batch.most_longest, sentence.longest);
  }
  batch.d_phrases = machine.put(phrases);
  batch.d_sentences = machine.put(sentences);
  batch.sentences = sentences.size();
  batch.partials = sizes_of(batch).partials * batch.sentences;
  batch.d_found = machine.template take<lat_smt_found>(batch.sentences);
  batch.d_partials = machine.template take<lat_smt_partial>(batch.partials);
  batch.d_report = machine.template take<uint64_t>(2);
  return batch;
}

/* The device; searches so many sentences at a time at most. */
class GpuMachine : public test::GpuMemory {
 public:
  explicit GpuMachine(uint64_t sentences, uint64_t shared_bytes) : most_(sentences), shared_bytes_(shared_bytes) {}

  void search(lat_smt_batch batch) {
    batch.shared_bytes = shared_bytes_;
    uint64_t partials = 0;
    uint64_t bytes = 0;
    uint64_t sentences = 0;
    CHECK(lat_smt_workspace(&batch, &partials, &bytes, &sentences));
    const uint64_t scratch_bytes = bytes * std::min({most_, sentences, std::max<uint64_t>(1, batch.sentences)});
    const size_t before = mark();
    void *scratch = take<char>(scratch_bytes);
    timer_.start();
    CHECK(lat_smt_search(&batch, scratch, scratch_bytes, nullptr));
    ms = timer_.stop_ms();
    free_from(before);
  }

  double ms = 0; /* of the last search, on the device's clock */

 private:
  uint64_t most_;
  uint64_t shared_bytes_;
  test::Timer timer_;
};

/* Memory of the host, each array on its own. */
class Pieces {
 public:
  explicit Pieces(test::HostMemory &memory) : memory_(memory) {}

  template <typename T>
  void take(T *&to, uint64_t count) {
    to = memory_.take<T>(count);
  }

 private:
  test::HostMemory &memory_;
};

class HostMachine : public test::HostMemory {
 public:
  explicit HostMachine(bool backwards) : team_(backwards) {}

  void search(const lat_smt_batch &batch) {
    CHECK(good(&batch) ? LAT_OK : LAT_BAD_ARGUMENT);
    const Sizes sizes = sizes_of(batch);
    CHECK(countable(sizes) ? LAT_OK : LAT_UNSUPPORTED);
    const size_t before = mark();
    Pieces pieces(*this);
    Workspace workspace;
    carve(sizes, pieces, workspace);
    batch.d_report[1] = 0;
    for (uint32_t i = 0; i < batch.sentences; i++) {
      Search<OneThread>(team_, batch, sizes, workspace, i).run();
    }
    free_from(before);
  }

 private:
  OneThread team_;
};

}  // namespace lat::smt
