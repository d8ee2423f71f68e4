"""
Counts byte n-grams with CuPy, as in "NGrams with CUDA" (Bianco): V1, V2 and sorting.

  ngrams_cupy.py FILE [--mb 498] [--orders 1,2,3,4,5,6,7,8] [--runs 9]

FILE is repeated to reach a size, as in ngram_bench. V1: one thread per n-gram adds to a histogram of 256^n counts. V2:
the same with several copies of the histogram, which a second kernel sums (128 copies as in the paper, 32 for n = 3).
sort: n-grams as the narrowest integers that hold them, cupy.sort, run lengths. Prints one JSON object per line, with
median, minimum and maximum of the runs.

count_ms: counting from device memory to device memory, including clearing the tables. list_ms: converting a histogram
to a list of n-grams and counts. fetch_ms: copying the list to host memory. upload_ms: copying the text to the device.
distinct and checksum describe the list and must equal those of NgramBench.
"""

import argparse
import time

import peer

WARM_UP = 2
BLOCK = 256
LISTED = 1 << 28  # counts listed at once: CuPy computes a 64-bit number for each
MOST_ORDER = {"v1": 4, "v2": 3, "sort": 8}

KERNELS = r"""
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ u64 ngram(const u8 *text, u64 at, int n) {
  u64 key = 0;
  for (int i = 0; i < n; i++) {
    key = key << 8 | text[at + i];
  }
  return key;
}

extern "C" __global__ void v1(const u8 *text, u64 windows, int n, u32 *counts) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < windows) {
    atomicAdd(counts + ngram(text, at, n), 1u);
  }
}

extern "C" __global__ void v2(const u8 *text, u64 windows, int n, u32 copies, u32 *counts) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < windows) {
    atomicAdd(counts + ((u64)(blockIdx.x % copies) << (8 * n)) + ngram(text, at, n), 1u);
  }
}

extern "C" __global__ void v2_sum(const u32 *counts, u32 copies, u64 bins, u32 *sums) {
  const u64 bin = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < bins) {
    u32 sum = 0;
    for (u32 c = 0; c < copies; c++) {
      sum += counts[c * bins + bin];
    }
    sums[bin] = sum;
  }
}

#define KEYS(NAME, TYPE)                                                                 \
  extern "C" __global__ void NAME(const u8 *text, u64 windows, int n, TYPE *keys) {      \
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;                           \
    if (at < windows) {                                                                  \
      keys[at] = (TYPE)ngram(text, at, n);                                               \
    }                                                                                    \
  }
KEYS(keys1, unsigned char)
KEYS(keys2, unsigned short)
KEYS(keys4, unsigned int)
KEYS(keys8, unsigned long long)
"""


def checksum(numpy, keys, counts):
    """The sum of mix(n-gram) * count, modulo 2^64, as in NgramBench."""
    mixed = keys.astype(numpy.uint64)
    mixed = (mixed ^ (mixed >> numpy.uint64(33))) * numpy.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> numpy.uint64(33))) * numpy.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> numpy.uint64(33)
    return f"{int((mixed * counts.astype(numpy.uint64)).sum(dtype=numpy.uint64)):016x}"


class Histogram:
    """V1, or V2 with several copies."""

    def __init__(self, cupy, module, text, n, copies):
        self.cupy = cupy
        self.text = text
        self.n = n
        self.copies = copies
        self.bins = 256**n
        self.windows = text.size - n + 1
        self.counts = cupy.empty(self.bins * copies, cupy.uint32)
        self.sums = self.counts if copies == 1 else cupy.empty(self.bins, cupy.uint32)
        self.kernel = module.get_function("v1" if copies == 1 else "v2")
        self.add_up = module.get_function("v2_sum")

    def count(self):
        numbers = self.cupy
        self.counts.fill(0)
        size, n = numbers.uint64(self.windows), numbers.int32(self.n)
        if self.copies == 1:
            self.kernel((blocks(self.windows),), (BLOCK,), (self.text, size, n, self.counts))
        else:
            copies = numbers.uint32(self.copies)
            self.kernel((blocks(self.windows),), (BLOCK,), (self.text, size, n, copies, self.counts))
            self.add_up((blocks(self.bins),), (BLOCK,), (self.counts, copies, numbers.uint64(self.bins), self.sums))

    def list(self):
        found, counts = [], []
        for first in range(0, self.bins, LISTED):
            some = self.sums[first : first + LISTED]
            places = self.cupy.flatnonzero(some)
            found.append(places + first)
            counts.append(some[places])
        return self.cupy.concatenate(found), self.cupy.concatenate(counts)


class Sort:
    """The paper's B: n-grams as numbers, sorted, and run lengths."""

    def __init__(self, cupy, module, text, n):
        self.cupy = cupy
        self.text = text
        self.n = n
        self.windows = text.size - n + 1
        size = next(size for size in (1, 2, 4, 8) if size >= n)
        self.type = getattr(cupy, f"uint{8 * size}")
        self.kernel = module.get_function(f"keys{size}")
        self.found = None

    def count(self):
        numbers = self.cupy
        keys = numbers.empty(self.windows, self.type)
        size = numbers.uint64(self.windows)
        self.kernel((blocks(self.windows),), (BLOCK,), (self.text, size, numbers.int32(self.n), keys))
        keys.sort()
        self.found = run_lengths(numbers, keys)

    def list(self):
        return self.found


def run_lengths(numbers, keys):
    """The distinct values of sorted keys, and their counts."""
    ends = numbers.flatnonzero(keys[1:] != keys[:-1]) + 1
    edge = numbers.zeros(1, ends.dtype)
    starts = numbers.concatenate([edge, ends])
    return keys[starts], numbers.diff(numbers.concatenate([starts, edge + keys.size]))


def blocks(threads):
    return (threads + BLOCK - 1) // BLOCK


def measure(cupy, numpy, way, counter, runs):
    """Counts repeatedly and prints one line."""
    times = {"count_ms": [], "list_ms": [], "fetch_ms": []}

    def timed(name, work, keep):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        result = work()
        cupy.cuda.Device().synchronize()
        if keep:
            times[name].append((time.perf_counter() - start) * 1e3)
        return result

    for run in range(-WARM_UP, runs):
        timed("count_ms", counter.count, run >= 0)
        keys, counts = timed("list_ms", counter.list, run >= 0)
        keys, counts = timed("fetch_ms", lambda: (cupy.asnumpy(keys), cupy.asnumpy(counts)), run >= 0)
    emit(
        cupy,
        way,
        n=counter.n,
        bytes=int(counter.text.size),
        **peer.spread_fields("count_ms", times["count_ms"]),
        list_ms=peer.spread(times["list_ms"])[0],
        fetch_ms=peer.spread(times["fetch_ms"])[0],
        distinct=int(keys.size),
        checksum=checksum(numpy, keys, counts),
        runs=runs,
    )


def emit(cupy, way, **fields):
    peer.emit(op="ngrams-peer", peer="CuPy " + cupy.__version__, strategy=way, **fields)


def upload(cupy, text, runs):
    """Copies the text from pageable host memory to the device; returns it there."""
    times = []
    for run in range(-WARM_UP, runs):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        there = cupy.asarray(text)
        cupy.cuda.Device().synchronize()
        if run >= 0:
            times.append((time.perf_counter() - start) * 1e3)
    emit(cupy, "upload", n=0, bytes=int(text.size), **peer.spread_fields("upload_ms", times), runs=runs)
    return there


def counters(cupy, module, text, orders):
    """Measures every method that supports an order, for each order."""
    for n in orders:
        if n <= MOST_ORDER["v1"]:
            yield "v1", lambda: Histogram(cupy, module, text, n, 1)
        if n <= MOST_ORDER["v2"]:
            yield "v2", lambda: Histogram(cupy, module, text, n, 128)
        if n == 3:
            yield "v2-32", lambda: Histogram(cupy, module, text, n, 32)
        if n <= MOST_ORDER["sort"]:
            yield "sort", lambda: Sort(cupy, module, text, n)


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(description="byte n-grams with CuPy")
    parser.add_argument("file")
    parser.add_argument("--mb", type=numbers, default=[498])
    parser.add_argument("--orders", type=numbers, default=list(range(1, 9)))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    try:
        import cupy
        import numpy

        cupy.cuda.Device().synchronize()
    except Exception as error:  # the module, a library that it needs, or the driver is missing
        peer.absent("CuPy", error)
    module = cupy.RawModule(code=KERNELS)
    file = numpy.fromfile(options.file, numpy.uint8)
    for mb in options.mb:
        text = upload(cupy, numpy.resize(file, mb * 1_000_000), options.runs)
        for way, make in counters(cupy, module, text, options.orders):
            try:
                measure(cupy, numpy, way, make(), options.runs)
            except cupy.cuda.memory.OutOfMemoryError as error:
                peer.failed(f"CuPy {way}", error)
            cupy.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    main()
    peer.end()
