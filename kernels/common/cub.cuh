// How functions with scratch use CUB's device-wide algorithms. Each source includes the headers of the algorithms it
// uses, after this one, and not <cub/cub.cuh>, which takes longer to compile than most kernels.
#pragma once

/* CUB's merge sort launches its kernels before the previous ones have ended (programmatic dependent launch). In CUDA
 * 13.0 and before, a kernel of it reads what the previous one writes without waiting for it (CCCL issue 5297): when
 * many streams are at work, it ends with an illegal instruction, or sorts wrongly. So CUB launches nothing early: since
 * CCCL 3.1 there is a macro for that, before it the one that says whether CUDA is able to. */
#define CCCL_DISABLE_PDL
#include <cuda/std/version>
#if CCCL_VERSION < 3001000 && __has_include(<cuda/std/__cccl/cuda_capabilities.h>)
#include <cuda/std/__cccl/cuda_capabilities.h>
#undef _CCCL_HAS_PDL
#define _CCCL_HAS_PDL 0
#endif

#include "common/launch.cuh"

/* For a function with scratch, after it has taken its parts: answers a size query, or rejects scratch that is too
 * small. */
#define LAT_SCRATCH(parts, d_scratch, scratch_bytes) \
  do {                                               \
    if ((d_scratch) == nullptr) {                    \
      *(scratch_bytes) = (parts).size();             \
      return LAT_OK;                                 \
    }                                                \
    if (*(scratch_bytes) < (parts).size()) {         \
      return LAT_SCRATCH_TOO_SMALL;                  \
    }                                                \
  } while (0)
