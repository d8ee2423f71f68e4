package io.latimer.operators.nmt.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.testing.TestGpu;
import java.util.List;

/** The decoders that a test has made on a GPU. */
final class GpuDecoders extends TestGpu {
  /** A model on the device, closed with this. */
  GpuWeights bring(Network model, NmtPrecision precision) {
    GpuWeights made = new GpuWeights(model, device(), precision);
    afterwards(made::close);
    return made;
  }

  /** A decoder with a model of its own; both are closed with this, if not by the test. */
  Decode open(Network model, NmtPrecision precision, DecodeOptions options, DecodeTuning tuning) {
    return open(bring(model, precision), options, tuning);
  }

  /** A decoder; closed with this, if not by the test. */
  DecodeGpu open(GpuWeights model, DecodeOptions options, DecodeTuning tuning) {
    DecodeGpu made = new DecodeGpu(model, options, tuning);
    afterwards(made::close);
    return made;
  }

  /** A decoder that has memory for one sentence of so many tokens. */
  Decode openFor(int tokens, Network model, DecodeOptions options) {
    GpuWeights resident = bring(model, NmtPrecision.FLOAT32);
    long bytes = GpuSearch.bytes(resident, options, SearchCapacity.alone(options, tokens));
    // an arena rounds up
    return open(resident, options, DecodeTuning.DEFAULT.withMemory(bytes + 256));
  }

  static List<Hypothesis> best(List<Result<Decoded>> results) {
    return results.stream().map(result -> result.orElseThrow().best()).toList();
  }
}
