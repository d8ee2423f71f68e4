// The output layer in float32.
#include "nmt/output_kernels.cuh"

namespace lat::nmt {

template int output_layer<float>(const Output<float> &, Wanted, const OutputPlan &, RowCount, cudaStream_t);
template int separate_output<float>(const Output<float> &, float *, RowCount, cudaStream_t);

}  // namespace lat::nmt
