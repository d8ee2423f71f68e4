// Recurrent models in float16.
#include "nmt/rnn.cuh"

namespace lat::nmt {

template <>
int make_rnn<__half>(const lat_nmt_rnn_settings &settings, lat_nmt_model **model) {
  *model = new RnnModel<__half>(settings);
  return LAT_OK;
}

}  // namespace lat::nmt
