/*
 * Shared by all of Latimer's kernels: status codes, streams, and information about the library.
 *
 * Conventions
 * - Every function that does work returns a status: 0 for success; 1 to 9999 a CUDA error (a cudaError_t); negative one
 *   of the LAT_ codes below. lat_error_name and lat_error_text describe all of them.
 * - Pointers named d_... point to device memory, aligned to 256 bytes unless stated otherwise; the caller owns them. No
 *   function allocates device memory. Other pointers point to host memory.
 * - Sizes are in the unit that their name gives: _bytes; otherwise elements.
 * - Work is queued on the stream (a CUstream or cudaStream_t of the calling thread's current context) and is not
 *   finished when the function returns, unless stated otherwise. Functions do not synchronise.
 * - Scratch: call a function that takes (d_scratch, scratch_bytes) with d_scratch = NULL first; it then only writes the
 *   required number of bytes to *scratch_bytes. Scratch need not be cleared and holds nothing afterwards.
 * - Functions may be called from several threads concurrently, on different streams and buffers.
 * - The kernels need a card of compute capability 8.0 (sm_80) or newer. For tests, the environment variable
 *   LATIMER_SHARED_KB=99 makes a larger card pretend that a block can have at most 99 KiB of shared memory, like sm_86,
 *   sm_89 and sm_120. Functions that need more return LAT_UNSUPPORTED.
 */
#ifndef LATIMER_COMMON_H
#define LATIMER_COMMON_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LAT_API __attribute__((visibility("default")))
#else
#define LAT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented when a signature or a documented layout changes; Java rejects a library of another version. */
#define LAT_ABI_VERSION 6

#define LAT_OK 0
#define LAT_BAD_ARGUMENT -1    /* a size, an order or a pointer is outside its documented range */
#define LAT_SCRATCH_TOO_SMALL -2 /* scratch_bytes is less than the query returned */
#define LAT_UNSUPPORTED -3       /* the device lacks what this function needs, such as shared memory */

typedef void *lat_stream;

LAT_API int lat_abi_version(void);
/* The name of a status, such as "cudaErrorIllegalAddress" or "LAT_BAD_ARGUMENT"; never NULL, static. */
LAT_API const char *lat_error_name(int status);
/* One sentence that describes a status; never NULL, static. */
LAT_API const char *lat_error_text(int status);
/* The architectures that the library was compiled for, separated by spaces: "sm_80 sm_90 compute_90" (compute_ is PTX). */
LAT_API const char *lat_architectures(void);
/* Whether the current device can run this library's code (this loads it): a status, cudaErrorNoKernelImageForDevice if
 * not. */
LAT_API int lat_can_run(void);

/* Whether a profiler that reads NVTX, such as Nsight Systems, listens: 1 or 0, the same for the whole process. */
LAT_API int lat_profiler_listens(void);
/* Begins a range of the calling thread, within its current one, in NVTX's domain "latimer". name: UTF-8, copied. */
LAT_API void lat_range_begin(const char *name);
/* Ends the calling thread's current range. */
LAT_API void lat_range_end(void);

#ifdef __cplusplus
}
#endif
#endif
