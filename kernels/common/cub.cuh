// How functions with scratch use CUB's device-wide algorithms. Each source includes the headers of the algorithms it
// uses, not <cub/cub.cuh>, which takes longer to compile than most kernels.
#pragma once

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
