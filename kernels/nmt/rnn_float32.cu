// Recurrent models in float32.
#include "nmt/rnn.cuh"

namespace lat::nmt {

template <>
int make_rnn<float>(const lat_nmt_rnn_settings &settings, lat_nmt_model **model) {
  *model = new RnnModel<float>(settings);
  return LAT_OK;
}

}  // namespace lat::nmt
