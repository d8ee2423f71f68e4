// Steps of few rows in float16.
#include "nmt/few_steps_kernel.cuh"

namespace lat::nmt {

template int few_steps<__half>(FewSteps<__half>, int, cudaStream_t);

}  // namespace lat::nmt
