// The output layer and stored layers in bfloat16.
#include "nmt/output_kernels.cuh"

namespace lat::nmt {

template int output_layer<__nv_bfloat16>(const Output<__nv_bfloat16> &, Wanted, const OutputPlan &, RowCount, cudaStream_t);
template int given_layer<__nv_bfloat16>(const Output<__nv_bfloat16> &, const GivenWords &, RowCount, cudaStream_t);
template int store_layer<__nv_bfloat16>(const Product<__nv_bfloat16> &, const Store<__nv_bfloat16> &, RowCount, cudaStream_t);
template int output_in_memory<__nv_bfloat16>(const Output<__nv_bfloat16> &, float *, bool, RowCount, cudaStream_t);

}  // namespace lat::nmt
