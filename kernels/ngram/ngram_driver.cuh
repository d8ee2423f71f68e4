// What a caller of the ABI does for each strategy, for the test and the bench: the steps of the Java operator.
#pragma once

#include <map>
#include <memory>

#include "common/test.cuh"

namespace lat::test {

struct List {
  std::vector<uint64_t> keys;
  std::vector<uint64_t> counts;
};

/* A list on the device, sorted by key. */
inline List sorted_list(const uint64_t *keys, const uint64_t *counts, uint64_t size, int key_bits) {
  Array<uint64_t> sorted_keys(size);
  Array<uint64_t> sorted_counts(size);
  size_t bytes = 0;
  CHECK(lat_ngram_list_sort(keys, counts, size, key_bits, sorted_keys.get(), sorted_counts.get(), nullptr, &bytes,
                            nullptr));
  Array<char> scratch(bytes);
  CHECK(lat_ngram_list_sort(keys, counts, size, key_bits, sorted_keys.get(), sorted_counts.get(), scratch.get(), &bytes,
                            nullptr));
  return {sorted_keys.copy(size), sorted_counts.copy(size)};
}

/* Lists a dense table or a hash table with an estimated size, and again if that was too small. */
template <typename LIST>
List listed(int key_bits, LIST list) {
  Array<uint64_t> size(1);
  for (uint64_t capacity = 1000;;) {
    Array<uint64_t> keys(capacity);
    Array<uint64_t> counts(capacity);
    CHECK(list(keys.get(), counts.get(), capacity, size.get()));
    const uint64_t found = size.one();
    if (found <= capacity) {
      return sorted_list(keys.get(), counts.get(), found, key_bits);
    }
    capacity = found;
  }
}

/* A hash table that grows as it fills. */
class HashTable {
 public:
  explicit HashTable(uint64_t capacity) : progress_(1), table_(new Array<lat_ngram_entry>(capacity)) {
    uint64_t overflow = 0;
    CHECK(lat_ngram_hash_overflow(&overflow));
    overflow_ = std::make_unique<Array<lat_ngram_entry>>(overflow);
    clear();
  }

  void clear() { CHECK(lat_ngram_hash_clear(table_->get(), table_->size(), progress_.get(), nullptr)); }

  /* Counts a text: `add` queues a call that continues from progress.next. Returns how often the table grew. */
  template <typename ADD>
  int count(uint64_t tiles, ADD add) {
    CHECK(cudaMemsetAsync(&progress_.get()->next, 0, sizeof(uint64_t)));
    for (int grown = 0;; grown++) {
      CHECK(add(table_->get(), table_->size(), progress_.get(), overflow_->get()));
      CHECK(lat_ngram_hash_report(progress_.get(), report_.get(), nullptr));
      const std::vector<uint64_t> report = report_.copy(4);
      lat_ngram_progress progress{};
      progress.used = report[0];
      progress.next = report[1];
      progress.overflow = report[2];
      progress.ones = report[3];
      if (progress.next >= tiles && progress.overflow == 0) {
        return grown;
      }
      grow(progress);
    }
  }

  int list_into(uint64_t *keys, uint64_t *counts, uint64_t capacity, uint64_t *size) const {
    return lat_ngram_hash_list(table_->get(), table_->size(), progress_.get(), keys, counts, capacity, size, nullptr);
  }

  List list(int key_bits) const {
    return listed(key_bits, [&](uint64_t *keys, uint64_t *counts, uint64_t capacity, uint64_t *size) {
      return list_into(keys, counts, capacity, size);
    });
  }

  uint64_t capacity() const { return table_->size(); }

 private:
  void grow(const lat_ngram_progress &before) {
    for (uint64_t capacity = table_->size() * 4;; capacity *= 2) {
      auto larger = std::make_unique<Array<lat_ngram_entry>>(capacity);
      CHECK(lat_ngram_hash_clear(larger->get(), capacity, progress_.get(), nullptr));
      CHECK(lat_ngram_hash_insert(table_->get(), table_->size(), larger->get(), capacity, progress_.get(), nullptr,
                                  nullptr));
      CHECK(lat_ngram_hash_insert(overflow_->get(), before.overflow, larger->get(), capacity, progress_.get(),
                                  nullptr, nullptr));
      lat_ngram_progress after;
      CHECK(cudaMemcpy(&after, progress_.get(), sizeof(after), cudaMemcpyDeviceToHost));
      if (after.overflow != 0) {
        continue;  // an unlucky cluster of entries: a larger table has room
      }
      after.next = before.next;
      after.ones += before.ones;
      CHECK(cudaMemcpy(progress_.get(), &after, sizeof(after), cudaMemcpyHostToDevice));
      table_ = std::move(larger);
      return;
    }
  }

  Array<lat_ngram_progress> progress_;
  Array<uint64_t> report_{4};
  std::unique_ptr<Array<lat_ngram_entry>> table_;
  std::unique_ptr<Array<lat_ngram_entry>> overflow_;
};

}  // namespace lat::test
