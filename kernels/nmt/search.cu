// Bookkeeping of a search: sentences join, and their results are read.
#include "nmt/search.cuh"

#include "nmt/scan.cuh"

namespace lat::nmt {
namespace {

constexpr int kOffsetThreads = 1024;

/* Whether a hypothesis loops anywhere, read from its last word. */
__device__ __noinline__ bool ended_loops(const SearchState &s, int place, int64_t at, int words) {
  int32_t recent[LAT_NMT_LOOP_PERIOD]; /* of the words read so far, the i-th at i modulo the period */
  int same[LAT_NMT_LOOP_PERIOD] = {};  /* per period: words read in a row that equal the one a period before */
  int32_t word = s.finished_word[at];
  int rank = s.finished_before[at];
  for (int i = 0; i < words; i++) {
#pragma unroll
    for (int p = 1; p <= LAT_NMT_LOOP_PERIOD; p++) {
      same[p - 1] = i >= p && recent[(i - p) % LAT_NMT_LOOP_PERIOD] == word ? same[p - 1] + 1 : 0;
      if (same[p - 1] >= max(LAT_NMT_LOOP_WORDS, 3 * p) - p) {
        return true;
      }
    }
    recent[i % LAT_NMT_LOOP_PERIOD] = word;
    if (i + 1 < words) {
      const int64_t node = s.node_of(place, words - 2 - i) + rank;
      word = s.node_word[node];
      rank = s.node_before[node];
    }
  }
  return false;
}

/* One block: the start of each sentence's ids, or of its prefix. */
__global__ void __launch_bounds__(kOffsetThreads)
    offsets_kernel(const lat_nmt_sentence *sentences, int count, bool of_prefixes, int32_t *offset) {
  __shared__ int32_t sums[kOffsetThreads / 32];
  int base = 0;
  for (int from = 0; from < count; from += kOffsetThreads) {
    const int i = from + threadIdx.x;
    const int mine = i >= count ? 0 : of_prefixes ? sentences[i].prefix : sentences[i].length;
    const Scanned scanned = block_scan<kOffsetThreads>(mine, sums);
    if (i < count) {
      offset[i] = base + scanned.before;
    }
    base += scanned.total;
    __syncthreads();
  }
}

/* One block per sentence. */
__global__ void prefixes_kernel(SearchState s, const lat_nmt_sentence *sentences, const int32_t *words,
                                const int32_t *offset) {
  const lat_nmt_sentence joins = sentences[blockIdx.x];
  for (int i = threadIdx.x; i < joins.prefix; i += blockDim.x) {
    const int64_t node = (static_cast<int64_t>(joins.first_token) * s.factor + i) * s.beam;
    s.node_word[node] = words[offset[blockIdx.x] + i];
    s.node_before[node] = 0;
    s.node_log[node] = 0;
  }
}

/* One block: appends a row per sentence. Its state is indexed by the sentence's place, not by its position among the
 * joining sentences, because others may join before the next step. */
__global__ void add_kernel(SearchState s, const lat_nmt_sentence *sentences, int count) {
  const int rows = *s.live;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const lat_nmt_sentence joins = sentences[i];
    const int at = joins.place;
    s.length[at] = joins.length;
    s.first_token[at] = joins.first_token;
    s.limit[at] = joins.limit;
    s.prefix[at] = joins.prefix;
    s.may_loop[at] = joins.may_loop;
    s.first_weight[at] = joins.first_weight;
    s.step[at] = 0;
    s.finished[at] = 0;
    s.word[rows + i] = -1;
    s.from[rows + i] = s.most_rows + at;
    s.sentence[rows + i] = at;
    s.node[rows + i] = 0;
    s.score[rows + i] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *s.live = rows + count;
  }
  __threadfence();
}

/* One block per sentence, one thread per finished hypothesis. */
__global__ void __launch_bounds__(LAT_NMT_MAX_BEAM)
    drain_kernel(const __grid_constant__ SearchState s, const lat_nmt_ended *ended, int32_t *results) {
  __shared__ double normalized[LAT_NMT_MAX_BEAM];
  __shared__ bool loops[LAT_NMT_MAX_BEAM];
  __shared__ int64_t words_of[LAT_NMT_MAX_BEAM];
  const int place = ended[blockIdx.x].place;
  int32_t *out = results + ended[blockIdx.x].at;
  const int found = s.finished[place];
  const int best = min(found, s.n_best);
  const int i = threadIdx.x;
  if (i == 0) {
    out[0] = best;
    out[1] = 0;
  }
  const int length = s.length[place];
  const int64_t at = static_cast<int64_t>(place) * s.beam + i;
  int words = 0;
  double score = 0;
  if (i < found) {
    words = s.finished_step[at] + 1;
    score = s.finished_score[at];
    normalized[i] = normalize(score, words, s.alpha);
    loops[i] = s.ends_loops() && s.may_loop[place] == 0 && ended_loops(s, place, at, words);
  }
  __syncthreads();
  int rank = LAT_NMT_MAX_BEAM;
  if (i < found) {
    rank = 0;
    for (int j = 0; j < found; j++) {
      const bool before = normalized[j] > normalized[i] || (normalized[j] == normalized[i] && j < i);
      rank += loops[j] != loops[i] ? loops[i] : before;
    }
    if (rank < best) {
      words_of[rank] = hypothesis_words(s.flags, length, words);
    }
  }
  __syncthreads();
  if (rank >= best) {
    return;
  }
  out += 2;
  for (int j = 0; j < rank; j++) {
    out += words_of[j];
  }
  out[0] = words;
  out[1] = 0;
  double *scores = reinterpret_cast<double *>(out + 2);
  scores[0] = score;
  scores[1] = normalized[i];
  int32_t *word = out + 6;
  float *log = reinterpret_cast<float *>(word + words);
  float *attention = log + words;
  int32_t next = s.finished_word[at];
  float next_log = s.finished_log[at];
  int before = s.finished_before[at];
  for (int t = words - 1; t >= 0; t--) {
    word[t] = next;
    log[t] = next_log;
    if ((s.flags & LAT_NMT_ALIGNMENT) != 0) {
      const float *weights = s.weights + s.first_weight[place] + (static_cast<int64_t>(t) * s.beam + before) * length;
      for (int j = 0; j < length; j++) {
        attention[static_cast<int64_t>(t) * length + j] = weights[j];
      }
    }
    if (t > 0) {
      const int64_t step = static_cast<int64_t>(s.first_token[place]) * s.factor + t - 1;
      const int64_t from = step * s.beam + before;
      next = s.node_word[from];
      next_log = s.node_log[from];
      before = s.node_before[from];
    }
  }
}

__global__ void clear_kernel(SearchState s) {
  *s.live = 0;
  *s.rows_before = 0;
  *s.ended = 0;
  s.report->rows = 0;
  s.report->ended = 0;
}

}  // namespace

void lay_out(SearchState &s, const lat_nmt_options &o, Scratch &memory) {
  s.beam = static_cast<int>(o.beam);
  s.n_best = static_cast<int>(o.n_best);
  s.flags = static_cast<int>(o.flags);
  // One of them may be the end, whose place another takes.
  s.candidates = s.refills() ? std::min(s.beam + 1, LAT_NMT_MAX_BEAM) : s.beam;
  s.alpha = o.alpha;
  s.sentences = static_cast<int>(o.sentences);
  s.factor = static_cast<int>(o.factor);
  s.longest = static_cast<int>(o.longest);
  const uint64_t rows = o.sentences * o.beam;
  s.most_rows = static_cast<int>(rows);
  s.live = memory.take<int32_t>(1);
  s.word = memory.take<int32_t>(rows);
  s.from = memory.take<int32_t>(rows);
  s.sentence = memory.take<int32_t>(rows);
  s.node = memory.take<int32_t>(rows);
  s.score = memory.take<double>(rows);
  s.length = memory.take<int32_t>(o.sentences);
  s.first_token = memory.take<int32_t>(o.sentences);
  s.limit = memory.take<int32_t>(o.sentences);
  s.prefix = memory.take<int32_t>(o.sentences);
  s.may_loop = memory.take<int32_t>(o.sentences);
  s.step = memory.take<int32_t>(o.sentences);
  s.finished = memory.take<int32_t>(o.sentences);
  s.first_weight = memory.take<int64_t>(o.sentences);
  const uint64_t nodes = static_cast<uint64_t>(o.tokens) * o.factor * o.beam;
  s.node_word = memory.take<int32_t>(nodes);
  s.node_before = memory.take<uint8_t>(nodes);
  s.node_log = memory.take<float>(nodes);
  s.weights = memory.take<float>(o.attention);
  s.finished_step = memory.take<int32_t>(rows);
  s.finished_word = memory.take<int32_t>(rows);
  s.finished_before = memory.take<uint8_t>(rows);
  s.finished_log = memory.take<float>(rows);
  s.finished_score = memory.take<double>(rows);
  s.finished_normalized = memory.take<double>(s.refills() ? rows : 0);
  s.rows_before = memory.take<int32_t>(1);
  s.survivors = memory.take<int32_t>(rows);
  s.survivor_sentence = memory.take<int32_t>(rows);
  s.survivor_word = memory.take<int32_t>(rows);
  s.survivor_from = memory.take<int32_t>(rows);
  s.survivor_score = memory.take<double>(rows);
  s.ended = memory.take<uint32_t>(1);
}

int clear_search(const SearchState &state, cudaStream_t stream) {
  clear_kernel<<<1, 1, 0, stream>>>(state);
  return launched();
}

int find_offsets(const lat_nmt_sentence *d_sentences, int count, bool of_prefixes, int32_t *offset,
                 cudaStream_t stream) {
  offsets_kernel<<<1, kOffsetThreads, 0, stream>>>(d_sentences, count, of_prefixes, offset);
  return launched();
}

int add_prefixes(const SearchState &state, const lat_nmt_sentence *d_sentences, int count, const int32_t *words,
                 const int32_t *offset, cudaStream_t stream) {
  prefixes_kernel<<<count, 64, 0, stream>>>(state, d_sentences, words, offset);
  return launched();
}

int add_sentences(const SearchState &state, const lat_nmt_sentence *d_sentences, int count, cudaStream_t stream) {
  add_kernel<<<1, 1024, 0, stream>>>(state, d_sentences, count);
  return launched();
}

int drain(const SearchState &state, const lat_nmt_ended *ended, int count, int32_t *results, cudaStream_t stream) {
  if (count == 0) {
    return LAT_OK;
  }
  drain_kernel<<<count, LAT_NMT_MAX_BEAM, 0, stream>>>(state, ended, results);
  return launched();
}

}  // namespace lat::nmt
