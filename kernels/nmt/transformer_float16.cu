// Transformers in float16.
#include "nmt/transformer.cuh"

namespace lat::nmt {

template <>
int make_transformer<__half>(const lat_nmt_transformer_settings &settings, lat_nmt_model **model) {
  *model = new TransformerModel<__half>(settings);
  return LAT_OK;
}

}  // namespace lat::nmt
