#include <cuda_runtime.h>

#include "latimer_kernels.h"

#ifndef LAT_ARCHITECTURES
#error "the Makefile says which architectures it compiles for"
#endif

namespace {
__global__ void nothing() {}
}  // namespace

extern "C" int lat_abi_version(void) { return LAT_ABI_VERSION; }

extern "C" const char *lat_architectures(void) { return LAT_ARCHITECTURES; }

extern "C" const char *lat_error_name(int status) {
  switch (status) {
    case LAT_BAD_ARGUMENT:
      return "LAT_BAD_ARGUMENT";
    case LAT_SCRATCH_TOO_SMALL:
      return "LAT_SCRATCH_TOO_SMALL";
    case LAT_UNSUPPORTED:
      return "LAT_UNSUPPORTED";
    default:
      return cudaGetErrorName(static_cast<cudaError_t>(status));
  }
}

extern "C" const char *lat_error_text(int status) {
  switch (status) {
    case LAT_BAD_ARGUMENT:
      return "an argument is outside its documented range";
    case LAT_SCRATCH_TOO_SMALL:
      return "the scratch memory is smaller than the query asked for";
    case LAT_UNSUPPORTED:
      return "the device lacks what this function needs";
    default:
      return cudaGetErrorString(static_cast<cudaError_t>(status));
  }
}

extern "C" int lat_can_run(void) {
  // A cheap call that makes the runtime load code for this device.
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, nothing);
  cudaGetLastError();  // leave no error behind for the next caller
  return error;
}
