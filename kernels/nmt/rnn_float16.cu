// Recurrent models in float16.
#include "nmt/rnn.cuh"

namespace lat::nmt {

template int make_rnn<__half>(const lat_nmt_rnn_settings &, lat_nmt_model **);

}  // namespace lat::nmt
