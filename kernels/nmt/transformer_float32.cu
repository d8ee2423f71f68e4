// Transformers in float32.
#include "nmt/transformer.cuh"

namespace lat::nmt {

template int make_transformer<float>(const lat_nmt_transformer_settings &, lat_nmt_model **);

}  // namespace lat::nmt
