// The choice of continuations: a warp's work for a sentence, and a block's for the few rows of a step.
#pragma once

#include "nmt/search.cuh"
#include "nmt/values.cuh"

namespace lat::nmt {

constexpr double kLn2 = 0.69314718055994530942;

struct Candidate {
  double score;
  int row;
  int32_t id;
  int head;

  __device__ __forceinline__ bool better(const Candidate &than) const {
    if (id < 0 || than.id < 0) {
      return than.id < 0 && id >= 0;
    }
    if (score != than.score) {
      return score > than.score;
    }
    return row != than.row ? row < than.row : id < than.id;
  }
};

__device__ __forceinline__ Candidate best_of_warp(Candidate mine) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    Candidate other;
    other.score = __shfl_xor_sync(~0u, mine.score, d);
    other.row = __shfl_xor_sync(~0u, mine.row, d);
    other.id = __shfl_xor_sync(~0u, mine.id, d);
    other.head = __shfl_xor_sync(~0u, mine.head, d);
    if (other.better(mine)) {
      mine = other;
    }
  }
  return mine;
}

/* Whether the last words repeat themselves: see LAT_NMT_END_LOOPS. `word(i)`: the i-th from the end. */
template <typename WORD>
__device__ __forceinline__ bool loops_at_end(int words, WORD word) {
  for (int period = 1; period <= LAT_NMT_LOOP_PERIOD; period++) {
    const int needed = max(LAT_NMT_LOOP_WORDS, 3 * period);
    bool same = needed <= words;
    for (int i = 0; same && i < needed - period; i++) {
      same = word(i) == word(i + period);
    }
    if (same) {
      return true;
    }
  }
  return false;
}

/* Whether a live hypothesis loops after `step` words. Apart from its caller, which needs its registers. */
static __device__ __noinline__ bool live_loops(const SearchState &s, int row, int sentence, int step) {
  constexpr int kMost = 3 * LAT_NMT_LOOP_PERIOD;
  int32_t last[kMost];
  const int words = min(step, kMost);
  int rank = s.node[row];
  for (int i = 0; i < words; i++) {
    const int64_t node = s.node_of(sentence, step - 1 - i) + rank;
    last[i] = s.node_word[node];
    rank = s.node_before[node];
  }
  return loops_at_end(words, [&](int i) { return last[i]; });
}

/* What is known of a row's sentence before the step. */
struct Before {
  int sentence;
  int step;
  int finished;
  int limit;
  int length;
  int first_token;
  bool given;

  /* May be called before await_previous(): all of it was written by the previous step or earlier. Another warp of the
   * kernel may already have advanced the step, but only the warp that does so uses the value it read. */
  __device__ __forceinline__ void look(const SearchState &s, int of) {
    sentence = of;
    step = load_early(s.step + sentence);
    finished = load_early(s.finished + sentence);
    limit = load_early(s.limit + sentence);
    length = load_early(s.length + sentence);
    first_token = load_early(s.first_token + sentence);
    given = step < load_early(s.prefix + sentence);
  }
};

/* The logarithm of a row's sum of exponentials, 0 if it is not needed. Returns whether a logit is not a number. */
__device__ __forceinline__ bool log_sum_of(const SearchState &s, int row, int shares, double *log_sum) {
  const int lane = threadIdx.x % 32;
  const int64_t at = static_cast<int64_t>(row) * shares;
  float max = -INFINITY;
  bool bad = false;
  for (int i = lane; i < shares; i += 32) {
    const float m = s.shares.max[at + i];
    bad = bad || !(m < INFINITY);
    max = fmaxf(max, m);
  }
  max = warp_max(max);
  bad = __any_sync(~0u, bad) || !(max > -INFINITY);
  double total = 0;
  if (s.scored()) {
    const float power = power_of(max);
    double sum = 0;
    for (int i = lane; i < shares; i += 32) {
      const float m = s.shares.max[at + i];
      const float p = power_of(m);
      sum += s.shares.sum[at + i] * (m == -INFINITY ? 0 : mantissa_of(m, p)) * power_of_two<double>(p - power);
    }
    sum = warp_sum(sum);
    bad = bad || !(sum < INFINITY);
    total = power * kLn2 + log(sum);
  }
  *log_sum = total;
  return bad;
}

/* Selects the best continuations of a sentence of n rows, and returns how many live on; a warp's work. The lists of all
 * rows are distributed among the lanes, each of which tracks the best of its own. REFILLS, ENDS_LOOPS: see SearchState. */
template <bool REFILLS, bool ENDS_LOOPS, typename LISTS>
__device__ __forceinline__ int choose_of_sentence(const SearchState &s, LISTS &lists, int row, int n, int shares,
                                                  bool odd, const Before &before) {
  const int lane = threadIdx.x % 32;
  const int sentence = before.sentence;
  const int step = before.step;
  const bool given = before.given;
  const int k = s.beam;
  int finished = before.finished;
  const int beam = REFILLS ? k : k - finished;
  bool last = step + 1 >= before.limit;
  uint8_t *taken = lists.taken;
  const int heads = n * shares;
  if (ENDS_LOOPS && step > 0 && step % LAT_NMT_LOOP_WORDS == 0 && !given && s.may_loop[sentence] == 0) {
    int looping = 0;
    for (int from = 0; from < n; from += 32) {
      const int r = from + lane;
      const bool loops = r < n && live_loops(s, row + r, sentence, step);
      looping += __popc(__ballot_sync(~0u, loops));
      for (int i = 0; loops && i < shares; i++) {
        taken[r * shares + i] = static_cast<uint8_t>(s.candidates); /* offers nothing */
      }
    }
    __syncwarp();
    if (looping == n && finished == 0) {
      last = true;
      for (int i = lane; i < heads; i += 32) {
        taken[i] = 0;
      }
      __syncwarp();
    }
  }

  const auto look_all = [&]() {
    Candidate best{0, 0, -1, 0};
    for (int h = lane; h < heads; h += 32) {
      const Candidate c = lists.look(h);
      if (c.better(best)) {
        best = c;
      }
    }
    return best;
  };

  int alive = 0;
  if (!odd) {
    const int length = before.length;
    const int64_t nodes = (static_cast<int64_t>(before.first_token) * s.factor + step) * k;
    if ((s.flags & LAT_NMT_ALIGNMENT) != 0) {
      for (int r = 0; r < n; r++) {
        float *to = s.weights + s.first_weight[sentence] + (static_cast<int64_t>(step) * k + r) * length;
        for (int t = lane; t < length; t += 32) {
          const float *from = s.attention + static_cast<int64_t>(row + r) * s.attention_heads * s.longest + t;
          float sum = from[0];
          for (int h = 1; h < s.attention_heads; h++) {
            sum += from[static_cast<int64_t>(h) * s.longest];
          }
          to[t] = s.attention_heads == 1 ? sum : sum / s.attention_heads;
        }
      }
    }
    const int64_t first = static_cast<int64_t>(sentence) * k;
    if (given) { /* the node is there already; as long as words are given, there is one hypothesis */
      const int32_t word = load_early(s.node_word + nodes);
      double score = s.score[row];
      float log = 0;
      if ((s.flags & LAT_NMT_GIVEN) != 0) {
        const double exact = static_cast<double>(s.given_logit[row]) - lists.log_sum[0];
        odd = !(exact > -INFINITY);
        log = static_cast<float>(exact);
        score += exact;
      }
      alive = last || odd ? 0 : 1;
      if (lane == 0 && alive == 1) {
        s.node_log[nodes] = log;
        s.survivor_word[first] = word;
        s.survivor_from[first] = row;
        s.survivor_score[first] = score;
      } else if (lane == 0) {
        s.finished_step[first] = step;
        s.finished_word[first] = word;
        s.finished_before[first] = 0;
        s.finished_log[first] = log;
        s.finished_score[first] = score;
      }
      finished = 1 - alive;
    }
    /* With REFILLS: the place of the worst finished hypothesis; of equals, the last. */
    const auto worst = [&]() {
      int at = 0;
      for (int i = 1; i < finished; i++) {
        at = s.finished_normalized[first + i] <= s.finished_normalized[first + at] ? i : at;
      }
      return at;
    };
    const auto finish = [&](const Candidate &c, float log) {
      int64_t at = first + finished;
      if constexpr (REFILLS) {
        const double normalized = normalize(c.score, step + 1, s.alpha);
        if (finished == k) {
          at = first + worst();
          if (!(normalized > s.finished_normalized[at])) {
            return;
          }
        }
        s.finished_normalized[at] = normalized;
      }
      s.finished_step[at] = step;
      s.finished_word[at] = c.id;
      s.finished_before[at] = static_cast<uint8_t>(c.row);
      s.finished_log[at] = log;
      s.finished_score[at] = c.score;
    };
    double best_alive = -INFINITY;
    Candidate mine = given ? Candidate{0, 0, -1, 0} : look_all();
    for (int i = 0; REFILLS && !last ? alive < k : i < beam; i++) {
      const Candidate best = best_of_warp(mine);
      if (best.id < 0) {
        break;
      }
      const bool ends = last || best.id == 0;
      const bool finishes = ends && (!REFILLS || i < beam);
      if (lane == best.head % 32) {
        const float log = static_cast<float>(best.score - s.score[row + best.row]);
        if (finishes) {
          finish(best, log);
        } else if (!ends) {
          s.node_word[nodes + alive] = best.id;
          s.node_before[nodes + alive] = static_cast<uint8_t>(best.row);
          s.node_log[nodes + alive] = log;
          s.survivor_word[first + alive] = best.id;
          s.survivor_from[first + alive] = row + best.row;
          s.survivor_score[first + alive] = best.score;
        }
        if (REFILLS || i + 1 < beam) {
          lists.take(best.head);
          mine = look_all();
        }
      }
      finished = REFILLS ? min(k, finished + (finishes ? 1 : 0)) : finished + (finishes ? 1 : 0);
      best_alive = ends || alive > 0 ? best_alive : best.score;
      alive += ends ? 0 : 1;
      __syncwarp();
    }
    if (REFILLS && finished == k && alive > 0 &&
        ((s.flags & LAT_NMT_FIRST_ENDED) != 0 ||
         normalize(best_alive, step + 1, s.alpha) <= s.finished_normalized[first + worst()])) {
      alive = 0;
    }
  }
  if (lane == 0) {
    s.step[sentence] = step + 1;
    s.finished[sentence] = odd ? -1 : finished;
    if (alive == 0) {
      const uint32_t at = atomicAdd(s.ended, 1u);
      s.report->queue[at % static_cast<uint32_t>(s.sentences)] = sentence;
    }
  }
  return alive;
}

/* The best continuation left in each list, read by all warps of a block. */
struct ListsAtHand {
  const SearchState &s;
  int row;
  int shares;
  const double *log_sum;
  uint8_t *taken; /* per list */
  double *score;
  int32_t *id;
  uint32_t inverse; /* of shares: divisions take longer than the rest of a look */

  static __device__ __forceinline__ uint32_t inverse_of(int shares) { return (1u << 21) / shares + 1; }
  __device__ __forceinline__ int row_of(int head) const { return static_cast<int>(head * inverse >> 21); }

  /* Reads what a list offers next. */
  __device__ __forceinline__ void read(int head) {
    const int r = row_of(head);
    const int64_t at = (static_cast<int64_t>(row) * shares + head) * s.candidates + taken[head];
    id[head] = s.shares.id[at];
    score[head] = s.score[row + r] + (static_cast<double>(s.shares.logit[at]) - log_sum[r]);
  }
  __device__ __forceinline__ Candidate look(int head) const {
    const bool offers = taken[head] < s.candidates;
    return {offers ? score[head] : 0, offers ? row_of(head) : 0, offers ? id[head] : -1, head};
  }
  __device__ __forceinline__ void take(int head) {
    taken[head]++;
    if (taken[head] < s.candidates) {
      read(head);
    }
  }
};
constexpr size_t kListBytes = sizeof(double) + sizeof(int32_t) + sizeof(uint8_t);
/* The choice of a step of at most kFewRows rows, and the rows of the next one, by a block of THREADS, a warp per row.
 * Returns the number of rows of the next step, to all threads. `memory`: kListBytes for each of the most * shares
 * lists. `await` returns once the output layer is done. */
template <int THREADS, bool REFILLS, bool ENDS_LOOPS, typename AWAIT>
__device__ __forceinline__ int choose_few(const SearchState &s, int shares, int rows, int most, void *memory,
                                          AWAIT await) {
  constexpr int kAtOnce = THREADS / 32;
  constexpr int kEach = kFewRows / kAtOnce;
  static_assert(kEach * kAtOnce == kFewRows, "every row has a warp");
  __shared__ double sums[kFewRows];
  __shared__ bool odd_rows[kFewRows];
  __shared__ int alive_of[kFewRows]; /* of the sentence that starts at a row */
  double *scores = static_cast<double *>(memory); /* per list; then its word, then the number of those taken */
  int32_t *ids = reinterpret_cast<int32_t *>(scores + most * shares);
  uint8_t *taken = reinterpret_cast<uint8_t *>(ids + most * shares);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int of_lane = load_early(s.sentence + min(lane, s.most_rows - 1));
  Before before[kEach];
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    before[i].look(s, __shfl_sync(~0u, of_lane, warp + i * kAtOnce));
  }
  await();
  for (int row = warp; row < rows; row += kAtOnce) {
    double sum;
    const bool odd = log_sum_of(s, row, shares, &sum);
    if (lane == 0) {
      sums[row] = sum;
      odd_rows[row] = odd;
    }
  }
  for (int i = threadIdx.x; i < rows * shares; i += THREADS) {
    taken[i] = 0;
  }
  __syncthreads();
  const uint32_t inverse = ListsAtHand::inverse_of(shares);
  ListsAtHand all{s, 0, shares, sums, taken, scores, ids, inverse};
  for (int i = threadIdx.x; i < rows * shares; i += THREADS) {
    all.read(i);
  }
  __syncthreads();
  int alive[kEach] = {};
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const int row = warp + i * kAtOnce;
    const int sentence = before[i].sentence;
    const bool starts = row < rows && (row == 0 || __shfl_sync(~0u, of_lane, max(row - 1, 0)) != sentence);
    if (starts) {
      const int n = __popc(__ballot_sync(~0u, lane >= row && lane < rows && of_lane == sentence));
      const bool odd = __any_sync(~0u, lane < n && odd_rows[row + (lane < n ? lane : 0)]);
      const int first = row * shares;
      ListsAtHand lists{s, row, shares, sums + row, taken + first, scores + first, ids + first, inverse};
      alive[i] = choose_of_sentence<REFILLS, ENDS_LOOPS>(s, lists, row, n, shares, odd, before[i]);
    }
    if (lane == 0) {
      alive_of[row] = alive[i];
    }
  }
  __syncthreads(); /* all rows of this step have been read */
  int live = 0;
#pragma unroll
  for (int r = 0; r < kFewRows; r++) {
    live += alive_of[r];
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    int to = 0;
    for (int r = 0; r < warp + i * kAtOnce; r++) {
      to += alive_of[r];
    }
    for (int j = lane; j < alive[i]; j += 32) {
      const int64_t at = static_cast<int64_t>(before[i].sentence) * s.beam + j;
      s.word[to + j] = s.survivor_word[at];
      s.from[to + j] = s.survivor_from[at];
      s.node[to + j] = j;
      s.score[to + j] = s.survivor_score[at];
      s.sentence[to + j] = before[i].sentence;
    }
  }
  return live;
}

/* Reports the end of a step; one thread's work. */
__device__ __forceinline__ void report_step(const SearchState &s, int live) {
  *s.live = live;
  s.report->rows = live;
  s.report->ended = static_cast<uint32_t>(load_early(reinterpret_cast<const int32_t *>(s.ended)));
}

}  // namespace lat::nmt
