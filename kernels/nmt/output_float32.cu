// The output layer and stored layers in float32.
#include "nmt/output_kernels.cuh"

namespace lat::nmt {

template int output_layer<float>(const Output<float> &, Wanted, const OutputPlan &, RowCount, cudaStream_t);
template int given_layer<float>(const Output<float> &, const GivenWords &, RowCount, cudaStream_t);
template int store_layer<float>(const Product<float> &, const Store<float> &, RowCount, cudaStream_t);
template int output_in_memory<float>(const Output<float> &, float *, bool, RowCount, cudaStream_t);

}  // namespace lat::nmt
