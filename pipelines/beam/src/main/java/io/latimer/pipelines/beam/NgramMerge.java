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
final class NgramMerge
    extends Combine.CombineFn<PartialCounts, List<PartialCounts>, PartialCounts> {
  private static final long serialVersionUID = 1L;

  /** Maximum counts in an accumulator before they are merged. */
  private static final int MOST = 16;

  private final TableStage<NgramTable> stage;

  NgramMerge(TableStage<NgramTable> stage) {
    this.stage = stage;
  }

  @Override
  public List<PartialCounts> createAccumulator() {
    return new ArrayList<>();
  }

  @Override
  public List<PartialCounts> addInput(List<PartialCounts> accumulator, PartialCounts input) {
    accumulator.add(input);
    return compact(accumulator);
  }

  @Override
  public List<PartialCounts> compact(List<PartialCounts> accumulator) {
    return accumulator.size() <= MOST
        ? accumulator
        : new ArrayList<>(List.of(extractOutput(accumulator)));
  }

  @Override
  public List<PartialCounts> mergeAccumulators(Iterable<List<PartialCounts>> accumulators) {
    List<PartialCounts> all = createAccumulator();
    for (List<PartialCounts> one : accumulators) {
      all.addAll(one);
      all = compact(all);
    }
    return all;
  }

  /** Merges the rest; with discarding panes, Beam also calls this for panes without records. */
  @Override
  public PartialCounts extractOutput(List<PartialCounts> accumulator) {
    if (accumulator.isEmpty()) {
      return PartialCounts.NONE;
    }
    long records = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (PartialCounts part : accumulator) {
      records += part.records();
      first = Math.min(first, part.first());
      last = Math.max(last, part.last());
    }
    byte[] counts = stage.merge(accumulator.stream().map(PartialCounts::counts).toList());
    return new PartialCounts(records, first, last, counts);
  }

  @Override
  public Coder<List<PartialCounts>> getAccumulatorCoder(
      CoderRegistry registry, Coder<PartialCounts> input) {
    return ListCoder.of(input);
  }

  @Override
  public Coder<PartialCounts> getDefaultOutputCoder(
      CoderRegistry registry, Coder<PartialCounts> input) {
    return input;
  }
}
