package io.latimer.pipelines.beam;

import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.NgramTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderRegistry;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.transforms.Combine;

/** Merges counts. An accumulator buffers a few before merging, because merging reads them all. */
final class NgramMerge extends Combine.CombineFn<NgramCounts, List<NgramCounts>, NgramCounts> {
  private static final long serialVersionUID = 1L;

  /** Maximum counts in an accumulator before they are merged. */
  private static final int MOST = 16;

  private final TableStage<NgramTable> stage;

  NgramMerge(TableStage<NgramTable> stage) {
    this.stage = stage;
  }

  @Override
  public List<NgramCounts> createAccumulator() {
    return new ArrayList<>();
  }

  @Override
  public List<NgramCounts> addInput(List<NgramCounts> accumulator, NgramCounts input) {
    accumulator.add(input);
    return compact(accumulator);
  }

  @Override
  public List<NgramCounts> compact(List<NgramCounts> accumulator) {
    return accumulator.size() <= MOST
        ? accumulator
        : new ArrayList<>(List.of(extractOutput(accumulator)));
  }

  @Override
  public List<NgramCounts> mergeAccumulators(Iterable<List<NgramCounts>> accumulators) {
    List<NgramCounts> all = createAccumulator();
    for (List<NgramCounts> one : accumulators) {
      all.addAll(one);
      all = compact(all);
    }
    return all;
  }

  /** Merges the rest; with discarding panes, Beam also calls this for panes without records. */
  @Override
  public NgramCounts extractOutput(List<NgramCounts> accumulator) {
    if (accumulator.isEmpty()) {
      return NgramCounts.NONE;
    }
    long records = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (NgramCounts part : accumulator) {
      records += part.records();
      first = Math.min(first, part.first());
      last = Math.max(last, part.last());
    }
    byte[] counts = stage.merge(accumulator.stream().map(NgramCounts::counts).toList());
    return new NgramCounts(records, first, last, counts);
  }

  @Override
  public Coder<List<NgramCounts>> getAccumulatorCoder(
      CoderRegistry registry, Coder<NgramCounts> input) {
    return ListCoder.of(input);
  }

  @Override
  public Coder<NgramCounts> getDefaultOutputCoder(
      CoderRegistry registry, Coder<NgramCounts> input) {
    return input;
  }
}
