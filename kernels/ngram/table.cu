// The table of strategy "hash" apart from counting: clearing it, moving its entries, and listing them.
#include "common/append.cuh"
#include "common/launch.cuh"
#include "common/warp.cuh"
#include "ngram/hash.cuh"

namespace lat::ngram {
namespace {

constexpr unsigned kThreads = 256;

/* Adds up the entries created by a warp's threads. */
__device__ void say_made(uint32_t made, lat_ngram_progress *progress) {
  made = warp_sum(made);
  if (lane() == 0 && made != 0) {
    atomicAdd(reinterpret_cast<Counter *>(&progress->used), static_cast<Counter>(made));
  }
}

__global__ __launch_bounds__(kThreads) void clear(lat_ngram_entry *__restrict__ table, uint64_t capacity,
                                                  lat_ngram_progress *progress) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < capacity; i += stride) {
    reinterpret_cast<ulonglong2 *>(table)[i] = {kFree, 0};
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *progress = {};
  }
}

__global__ void report_progress(const lat_ngram_progress *progress, volatile uint64_t *report) {
  report[0] = progress->used;
  report[1] = progress->next;
  report[2] = progress->overflow;
  report[3] = progress->ones;
}

__global__ __launch_bounds__(kThreads) void insert(const lat_ngram_entry *__restrict__ entries, uint64_t size,
                                                   Table table) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  uint32_t made = 0;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < size; i += stride) {
    const ulonglong2 entry = __ldg(reinterpret_cast<const ulonglong2 *>(entries) + i);
    if (entry.x != kFree) {
      made += table.add(entry.x, entry.y);
    }
  }
  __syncwarp();
  say_made(made, table.progress);
}

__global__ __launch_bounds__(kThreads) void list(const lat_ngram_entry *__restrict__ table, uint64_t capacity,
                                                 const lat_ngram_progress *__restrict__ progress,
                                                 uint64_t *__restrict__ keys, uint64_t *__restrict__ counts,
                                                 uint64_t list_capacity, Counter *__restrict__ size) {
  __shared__ BlockAppend append;
  // The entry of the mixed key that looks like a free one is listed as if it came after the table.
  for (uint64_t base = static_cast<uint64_t>(blockIdx.x) * kThreads; base <= capacity;
       base += static_cast<uint64_t>(gridDim.x) * kThreads) {
    append.begin();
    const uint64_t i = base + threadIdx.x;
    ulonglong2 entry = {kFree, 0};
    if (i < capacity) {
      entry = __ldg(reinterpret_cast<const ulonglong2 *>(table) + i);
    } else if (i == capacity) {
      entry.y = progress->ones;
    }
    const uint32_t at = append.add(i < capacity ? entry.x != kFree : entry.y != 0);
    const uint64_t first = append.end(size);
    if (at != BlockAppend::kNone && first + at < list_capacity) {
      keys[first + at] = unmix64(entry.x);
      counts[first + at] = entry.y;
    }
  }
}

}  // namespace
}  // namespace lat::ngram

using namespace lat;
using namespace lat::ngram;

extern "C" int lat_ngram_hash_overflow(uint64_t *entries) {
  LAT_REQUIRE(entries != nullptr);
  LAT_TRY(overflow_room(entries));
  *entries += kRoundEntries;
  return LAT_OK;
}

extern "C" int lat_ngram_hash_clear(lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                                    lat_stream stream) {
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && good_capacity(capacity));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  clear<<<blocks_for(capacity, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(d_table, capacity, d_progress);
  return launched();
}

extern "C" int lat_ngram_hash_report(const lat_ngram_progress *d_progress, uint64_t *report, lat_stream stream) {
  LAT_REQUIRE(d_progress != nullptr && report != nullptr);
  report_progress<<<1, 1, 0, stream_of(stream)>>>(d_progress, report);
  return launched();
}

extern "C" int lat_ngram_hash_insert(const lat_ngram_entry *d_entries, uint64_t entries, lat_ngram_entry *d_table,
                                     uint64_t capacity, lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow,
                                     lat_stream stream) {
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && good_capacity(capacity));
  if (entries == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_entries != nullptr);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  Table table;
  LAT_TRY(table_of(d_table, capacity, d_progress, d_overflow, &table));
  table.room = d_overflow == nullptr ? 0 : table.room;
  insert<<<blocks_for(entries, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(d_entries, entries, table);
  return launched();
}

extern "C" int lat_ngram_hash_list(const lat_ngram_entry *d_table, uint64_t capacity,
                                   const lat_ngram_progress *d_progress, uint64_t *d_keys, uint64_t *d_list_counts,
                                   uint64_t list_capacity, uint64_t *d_size, lat_stream stream) {
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && d_size != nullptr && good_capacity(capacity));
  LAT_REQUIRE(list_capacity == 0 || (d_keys != nullptr && d_list_counts != nullptr));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(cudaMemsetAsync(d_size, 0, sizeof(uint64_t), stream_of(stream)));
  list<<<blocks_for(capacity + 1, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(
      d_table, capacity, d_progress, d_keys, d_list_counts, list_capacity, reinterpret_cast<Counter *>(d_size));
  return launched();
}
