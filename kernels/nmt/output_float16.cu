// The output layer and stored layers in float16.
#include "nmt/output_kernels.cuh"

namespace lat::nmt {

template int output_layer<__half>(const Output<__half> &, Wanted, const OutputPlan &, RowCount, cudaStream_t);
template int given_layer<__half>(const Output<__half> &, const GivenWords &, RowCount, cudaStream_t);
template int store_layer<__half>(const Product<__half> &, const Store<__half> &, RowCount, cudaStream_t);
template int output_in_memory<__half>(const Output<__half> &, float *, bool, RowCount, cudaStream_t);

}  // namespace lat::nmt
