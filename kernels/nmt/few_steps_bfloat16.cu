// Steps of few rows in bfloat16.
#include "nmt/few_steps_kernel.cuh"

namespace lat::nmt {

template int few_steps<__nv_bfloat16>(FewSteps<__nv_bfloat16>, int, cudaStream_t);

}  // namespace lat::nmt
