// Recurrent models in float32.
#include "nmt/rnn.cuh"

namespace lat::nmt {

template int make_rnn<float>(const lat_nmt_rnn_settings &, lat_nmt_model **);

}  // namespace lat::nmt
