// Transformers in float16.
#include "nmt/transformer.cuh"

namespace lat::nmt {

template int make_transformer<__half>(const lat_nmt_transformer_settings &, lat_nmt_model **);

}  // namespace lat::nmt
