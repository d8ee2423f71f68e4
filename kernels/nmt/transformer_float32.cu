// Transformers in float32.
#include "nmt/transformer.cuh"

namespace lat::nmt {

template <>
int make_transformer<float>(const lat_nmt_transformer_settings &settings, lat_nmt_model **model) {
  *model = new TransformerModel<float>(settings);
  return LAT_OK;
}

}  // namespace lat::nmt
