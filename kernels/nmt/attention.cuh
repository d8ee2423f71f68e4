// Attention of a recurrent decoder: energies, softmax over the words of one sentence, weighted sum; one block per row.
//
// It reads a sentence's keys and annotations once per hypothesis, 2 * T * 2H numbers; hypotheses of a sentence are
// adjacent, so all but the first find them in L2.
#pragma once

#include "nmt/layers.cuh"

namespace lat::nmt {

constexpr int kAttendThreads = 256;

/* Maximum shared memory of a block in bytes; the context's partial sums take at most one pack per thread. */
constexpr size_t attend_bytes(int width, int longest) {
  return (static_cast<size_t>(width) + (longest + 3) / 4 * 4 + kAttendThreads * 8) * sizeof(float);
}

template <typename T>
struct Attend {
  const float *query; /* [rows][width] */
  const float *score; /* [width], zero-padded */
  const T *keys;      /* [tokens][width] */
  const T *annotations; /* [tokens][context] */
  int width;
  int context;
  const int32_t *sentence; /* per row */
  const int32_t *length;   /* per sentence */
  const int32_t *first_token;
  T *out;         /* [rows][context] */
  float *weights; /* [rows][longest], or null */
  int longest;
};

constexpr int kEarlyPacks = 4; /* of a key, per lane */
constexpr int kEarlyWords = 4; /* whose annotations a thread reads early */

/* A block's row of the attention, of live ones. EARLY: whether the keys of the first words are read before the wait,
 * which takes registers: for few rows, whose blocks do not fill the device. `await` returns once the queries are there.
 * `shared`: for the query, energies and partial sums. */
template <bool EARLY, typename T, typename AWAIT>
__device__ __forceinline__ void attend_row(const Attend<T> &work, int row, int rows, float *shared, AWAIT await) {
  // The previous step wrote each row's sentence; keys and annotations were there when that began.
  const int sentence = load_early(work.sentence + row);
  const int length = load_early(work.length + sentence);
  const int64_t first = load_early(work.first_token + sentence);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  constexpr int kWarps = kAttendThreads / 32;
  constexpr int kPack = Pack<T>::SIZE;
  // Two words at a time share the loads of the query and overlap the loads of their keys.
  Pack<T> early[EARLY ? kEarlyPacks : 1][2];
  // Adjacent threads take adjacent columns of the sum; if there are fewer columns than threads, groups of threads split
  // the words.
  const int chunks = work.context / kPack;
  const int groups = chunks >= kAttendThreads ? 1 : kAttendThreads / chunks;
  const int group = chunks >= kAttendThreads ? 0 : threadIdx.x / chunks;
  const T *annotations = work.annotations + first * work.context;
  Pack<T> early_words[EARLY ? kEarlyWords : 1];
  if (EARLY && row < rows && warp < length) {
#pragma unroll
    for (int n = 0; n < kEarlyPacks; n++) {
      const int i = (lane + n * 32) * kPack;
      const T *key = work.keys + (first + warp) * work.width + i;
      if (i < work.width) {
        early[n][0].load(key);
        early[n][1].load(warp + kWarps < length ? key + static_cast<int64_t>(kWarps) * work.width : key);
      }
    }
  }
  if (EARLY && row < rows && groups > 1 && group < groups) {
#pragma unroll
    for (int n = 0; n < kEarlyWords; n++) {
      if (group + n * groups < length) {
        early_words[n].load(annotations + static_cast<int64_t>(group + n * groups) * work.context +
                            (threadIdx.x - group * chunks) * kPack);
      }
    }
  }
  await();
  if (row >= rows) {
    return;
  }
  float *query = shared;
  float *energy = shared + work.width;
  for (int i = threadIdx.x * 4; i < work.width; i += kAttendThreads * 4) {
    *reinterpret_cast<float4 *>(query + i) =
        *reinterpret_cast<const float4 *>(work.query + static_cast<int64_t>(row) * work.width + i);
  }
  alignas(16) float early_score[EARLY ? kEarlyPacks : 1][kPack]; /* after the wait, for want of registers */
#pragma unroll
  for (int n = 0; EARLY && n < kEarlyPacks; n++) {
    const int i = (lane + n * 32) * kPack;
    if (i < work.width) {
#pragma unroll
      for (int j = 0; j < kPack; j += 4) {
        *reinterpret_cast<float4 *>(early_score[n] + j) = *reinterpret_cast<const float4 *>(work.score + i + j);
      }
    }
  }
  __syncthreads();
  for (int t = warp; t < length; t += 2 * kWarps) {
    const bool second = t + kWarps < length;
    const T *key = work.keys + (first + t) * work.width;
    const T *key2 = second ? key + static_cast<int64_t>(kWarps) * work.width : key;
    float sum = 0;
    float sum2 = 0;
    const auto add = [&](const Pack<T> &pack, const Pack<T> &pack2, int i, const float *v) {
      alignas(16) float q[kPack]; /* lanes are 8 columns apart: single ones would be in the same banks */
#pragma unroll
      for (int j = 0; j < kPack; j += 4) {
        *reinterpret_cast<float4 *>(q + j) = *reinterpret_cast<const float4 *>(query + i + j);
      }
#pragma unroll
      for (int j = 0; j < kPack; j++) {
        sum = fmaf(tanh_of<T>(pack.get(j) + q[j]), v[j], sum);
        sum2 = fmaf(tanh_of<T>(pack2.get(j) + q[j]), v[j], sum2);
      }
    };
    int from = lane * kPack;
    if (EARLY && t == warp) {
#pragma unroll
      for (int n = 0; n < kEarlyPacks; n++) {
        if (from < work.width) {
          add(early[n][0], early[n][1], from, early_score[n]);
          from += 32 * kPack;
        }
      }
    }
#pragma unroll 2
    for (int i = from; i < work.width; i += 32 * kPack) {
      Pack<T> pack;
      Pack<T> pack2;
      pack.load(key + i);
      pack2.load(key2 + i);
      alignas(16) float v[kPack];
#pragma unroll
      for (int j = 0; j < kPack; j += 4) {
        *reinterpret_cast<float4 *>(v + j) = __ldg(reinterpret_cast<const float4 *>(work.score + i + j));
      }
      add(pack, pack2, i, v);
    }
    sum = warp_sum(sum);
    sum2 = warp_sum(sum2);
    if (lane == 0) {
      energy[t] = sum;
      if (second) {
        energy[t + kWarps] = sum2;
      }
    }
  }
  __syncthreads();
  float max = -INFINITY;
  for (int t = lane; t < length; t += 32) {
    max = fmaxf(max, energy[t]);
  }
  max = warp_max(max);
  float sum = 0;
  for (int t = lane; t < length; t += 32) {
    sum += expf(energy[t] - max);
  }
  sum = warp_sum(sum);
  __syncthreads();
  for (int t = threadIdx.x; t < length; t += kAttendThreads) {
    const float w = expf(energy[t] - max) / sum;
    energy[t] = w;
    if (work.weights != nullptr) {
      work.weights[static_cast<int64_t>(row) * work.longest + t] = w;
    }
  }
  __syncthreads();
  float *partial = energy + (work.longest + 3) / 4 * 4; /* [groups][context] if there are groups */
  for (int chunk = threadIdx.x - group * chunks; group < groups && chunk < chunks; chunk += kAttendThreads) {
    float total[kPack];
#pragma unroll
    for (int j = 0; j < kPack; j++) {
      total[j] = 0;
    }
    const auto add = [&](const Pack<T> &pack, float w) {
#pragma unroll
      for (int j = 0; j < kPack; j++) {
        total[j] = fmaf(w, pack.get(j), total[j]);
      }
    };
    int from = group;
    if (EARLY && groups > 1) {
#pragma unroll
      for (int n = 0; n < kEarlyWords; n++) {
        if (from < length) {
          add(early_words[n], energy[from]);
          from += groups;
        }
      }
    }
    const T *at = annotations + chunk * kPack;
#pragma unroll 8
    for (int t = from; t < length; t += groups) {
      Pack<T> pack;
      pack.load(at + static_cast<int64_t>(t) * work.context);
      add(pack, energy[t]);
    }
    if (groups == 1) {
      Pack<T> pack;
#pragma unroll
      for (int j = 0; j < kPack; j++) {
        pack.set(j, total[j]);
      }
      pack.store(work.out + static_cast<int64_t>(row) * work.context + chunk * kPack);
    } else {
#pragma unroll
      for (int j = 0; j < kPack; j++) {
        partial[group * work.context + chunk * kPack + j] = total[j];
      }
    }
  }
  if (groups > 1) {
    __syncthreads();
    for (int i = threadIdx.x; i < work.context; i += kAttendThreads) {
      float total = 0;
      for (int g = 0; g < groups; g++) {
        total += partial[g * work.context + i];
      }
      work.out[static_cast<int64_t>(row) * work.context + i] = narrow<T>(total);
    }
  }
}

template <typename T, bool EARLY>
__global__ void __launch_bounds__(kAttendThreads)
    attend_kernel(const __grid_constant__ Attend<T> work, RowCount count) {
  extern __shared__ __align__(16) float attend_shared[];
  let_next_begin();
  attend_row<EARLY>(work, blockIdx.x, count.get(), attend_shared, [] { await_previous(); });
}

/* Shared memory of a block in bytes. */
template <typename T>
size_t attend_bytes(const Attend<T> &work) {
  const int chunks = work.context / Pack<T>::SIZE;
  const size_t partial = chunks >= kAttendThreads ? 0 : kAttendThreads / chunks * static_cast<size_t>(work.context);
  return (static_cast<size_t>(work.width) + (work.longest + 3) / 4 * 4 + partial) * sizeof(float);
}

template <typename T>
int attend(const Attend<T> &work, RowCount count, cudaStream_t stream) {
  const auto kernel = count.most <= 16 ? attend_kernel<T, true> : attend_kernel<T, false>;
  return launch_early(kernel, dim3(count.most), kAttendThreads, attend_bytes(work), stream, work, count);
}

/* Mean of each sentence's annotations, as a factor. */
template <typename T>
__global__ void mean_kernel(const T *annotations, int context, const int32_t *index, const int32_t *offset,
                            const int32_t *length, T *out) {
  const int i = blockIdx.x;
  const int n = length[i];
  for (int c = threadIdx.x; c < context; c += blockDim.x) {
    float sum = 0;
    for (int t = 0; t < n; t++) {
      sum += widen(annotations[static_cast<int64_t>(index[offset[i] + t]) * context + c]);
    }
    out[static_cast<int64_t>(i) * context + c] = narrow<T>(sum / static_cast<float>(n));
  }
}

}  // namespace lat::nmt
