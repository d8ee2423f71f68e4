// All steps of a small batch in one kernel, which takes the memory of each from one room when it knows how much that
// is. The six functions launch some 50 kernels and wait six times for a size: with them, a sentence of ten words takes
// 0.37 ms of an H200, and as much of the host. Here it takes 0.19 ms: some 70 waits of a cluster for its blocks, and
// reads that depend on each other, most of all three searches of the suffix array, of about 20 steps of one to three
// reads. Eight multiprocessors are slower than all for more than some 200 words, or 300 with the waits.
#include "phrases/cluster.cuh"
#include "phrases/device.cuh"
#include "phrases/pairs.cuh"

namespace lat::phrases {
namespace {

/* Memory that is taken from both ends: results, for the host, from the front, all else from the back. The steps use
 * what is between as scratch. */
class Room {
 public:
  __device__ Room(char *base, uint64_t bytes) : base_(base), front_(0), back_(bytes) {}

  template <typename T>
  __device__ void result(T *&field, uint64_t count) {
    field = reinterpret_cast<T *>(base_ + front_);
    take(count, sizeof(T), &front_);
  }
  template <typename T>
  __device__ void other(T *&field, uint64_t count) {
    uint64_t taken = 0;
    take(count, sizeof(T), &taken);
    back_ -= full_ ? 0 : taken;
    field = reinterpret_cast<T *>(base_ + back_);
  }
  __device__ bool full() const { return full_; }
  __device__ char *between() const { return base_ + front_; }
  __device__ uint64_t left() const { return back_ - front_; }

 private:
  /* Counts are below 2^31 each, or the sum of 2^31 of them. */
  __device__ void take(uint64_t count, uint64_t size, uint64_t *taken) {
    if (full_ || count > left() || Scratch::aligned(count * size) > left()) {
      full_ = true;
    } else {
      *taken += Scratch::aligned(count * size);
    }
  }

  char *base_;
  uint64_t front_;
  uint64_t back_; /* as aligned as what is taken */
  bool full_ = false;
};

/* A batch on its way, the same in every block of the cluster. */
struct Work {
  lat_phrases_batch batch;
  Room room;
};

class Steps {
 public:
  __device__ Steps(const lat_phrases_index &index, InCluster::Memory *memory, Work *work)
      : index_(index), exec_(memory), work_(work) {}

  /* False if the room is too small, or a size too large. */
  __device__ bool run() {
    return next([](lat_phrases_batch &b, Room &room) {
             room.result(b.d_report, LAT_PHRASES_REPORT);
             return true;
           }) &&
           next([this](lat_phrases_batch &b, Room &room) {
             room.other(b.d_matches, b.words * index_.segments);
             room.other(b.d_entry_starts, b.words + 1);
             return true;
           }) &&
           step([](auto &...arguments) { return match(arguments...); }) &&
           next([](lat_phrases_batch &b, Room &room) {
             b.entries = b.d_report[LAT_PHRASES_ENTRIES];
             room.result(b.d_place_starts, b.sentences + 1);
             room.result(b.d_place_from, b.entries);
             room.result(b.d_place_phrase, b.entries);
             room.other(b.d_keys, b.entries);
             room.other(b.d_at, b.entries);
             return b.entries < kMost;
           }) &&
           step([](auto &...arguments) { return find(arguments...); }) &&
           next([this](lat_phrases_batch &b, Room &room) {
             b.phrases = b.d_report[LAT_PHRASES_PHRASES];
             room.other(b.d_ranges, b.phrases * index_.segments * 2);
             room.result(b.d_occurrences, b.phrases);
             room.result(b.d_samples, b.phrases);
             room.result(b.d_phrase_words, b.phrases);
             room.other(b.d_sample_starts, b.phrases + 1);
             return true;
           }) &&
           step([](auto &...arguments) { return bounds(arguments...); }) &&
           next([](lat_phrases_batch &b, Room &room) {
             b.all_samples = b.d_report[LAT_PHRASES_SAMPLES];
             room.result(b.d_outcomes, b.phrases * kOutcomes);
             room.other(b.d_found, b.all_samples);
             room.other(b.d_found_starts, b.all_samples + 1);
             return true;
           }) &&
           step([](auto &...arguments) { return extract_all(arguments...); }) &&
           next([](lat_phrases_batch &b, Room &room) {
             b.pairs = b.d_report[LAT_PHRASES_PAIRS];
             room.other(b.d_group_phrase, b.pairs);
             room.other(b.d_group_target, b.pairs);
             room.other(b.d_group_count, b.pairs);
             return b.pairs < kMost;
           }) &&
           step([](auto &...arguments) { return group(arguments...); }) &&
           next([](lat_phrases_batch &b, Room &room) {
             b.groups = b.d_report[LAT_PHRASES_GROUPS];
             room.result(b.d_pair_starts, b.phrases + 1);
             room.result(b.d_pair_segment, b.groups);
             room.result(b.d_pair_target, b.groups);
             room.result(b.d_pair_words, b.groups);
             room.result(b.d_pair_count, b.groups);
             room.result(b.d_target_given_source, b.groups);
             room.result(b.d_source_given_target, b.groups);
             return true;
           }) &&
           step([](auto &...arguments) { return finish(arguments...); });
  }

 private:
  static constexpr uint64_t kMost = 1ull << 31;

  /* Takes memory, in every block alike. */
  template <typename TAKE>
  __device__ bool next(const TAKE &take) {
    bool fits = false;
    if (threadIdx.x == 0) {
      fits = take(work_->batch, work_->room) && !work_->room.full();
    }
    return __syncthreads_or(fits) != 0;
  }

  template <typename STEP>
  __device__ bool step(STEP step) {
    const lat_phrases_batch &batch = work_->batch;
    void *none = nullptr;
    size_t bytes = 0;
    size_t *needed = &bytes;
    step(exec_, index_, batch, none, needed);
    if (bytes > work_->room.left()) {
      return false;
    }
    void *scratch = work_->room.between();
    step(exec_, index_, batch, scratch, needed);
    return true;
  }

  const lat_phrases_index &index_;
  InCluster exec_;
  Work *work_;
};

__global__ __launch_bounds__(kClusterThreads, 1) void whole(const __grid_constant__ lat_phrases_index index,
                                                         const __grid_constant__ lat_phrases_batch from, char *room,
                                                         uint64_t bytes) {
  __shared__ InCluster::Memory memory;
  __shared__ alignas(Work) char space[sizeof(Work)];
  auto *work = reinterpret_cast<Work *>(space);
  lat_phrases_batch *header = nullptr;
  if (threadIdx.x == 0) {
    *work = {from, Room(room, bytes)};
    work->room.result(header, 1);
  }
  __syncthreads();
  const bool done = Steps(index, &memory, work).run();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *header = work->batch;
    header->d_pair_starts = done ? work->batch.d_pair_starts : nullptr;
  }
}

}  // namespace
}  // namespace lat::phrases

using namespace lat;
using namespace lat::phrases;

extern "C" int lat_phrases_whole(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                 size_t *scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(good(index, batch, scratch_bytes));
  const size_t header = Scratch::aligned(sizeof(lat_phrases_batch));
  if (d_scratch == nullptr) {
    *scratch_bytes = header;
    return LAT_OK;
  }
  if (*scratch_bytes < header) {
    return LAT_SCRATCH_TOO_SMALL;
  }
  LAT_REQUIRE(batch->d_words != nullptr && batch->d_sentences != nullptr && batch->d_sentence_starts != nullptr);
  bool clusters = false;
  LAT_TRY(has_clusters(whole, kClusterThreads, 0, &clusters));
  const unsigned blocks = clusters ? kClusterBlocks : 1;
  return launch(whole, {dim3(blocks), kClusterThreads, 0, stream_of(stream), false, blocks}, *index, *batch,
                static_cast<char *>(d_scratch), static_cast<uint64_t>(*scratch_bytes) / 256 * 256);
}
