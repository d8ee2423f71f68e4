// How functions with scratch use CUB's device-wide algorithms. Each source includes the headers of those that it uses, and not
// <cub/cub.cuh>, which takes longer to compile than most kernels.
#pragma once

#include "common/launch.cuh"

/* In a function with scratch, once it has taken its parts: answers a query for the size, or refuses too little. */
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
