package io.latimer.pipelines.beam;

import io.latimer.operators.Result;
import io.latimer.operators.device.Devices;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.shared.ClientMetrics;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.StageDevice;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TupleTag;

/** Counts the n-grams of a bundle's records, by group and window. */
final class NgramFn extends BundleFn<Envelope, KV<String, PartialCounts>> {
  private static final long serialVersionUID = 1L;

  private final TableStage<NgramTable> stage;
  private final TupleTag<KV<String, PartialCounts>> counted;

  private transient BundleMetrics metrics;
  private transient Accumulator accumulator;
  private transient Map<Place, List<Envelope>> gathered;
  private transient long bytes;
  private transient long since; // when the first of these came, in nanoseconds

  NgramFn(TableStage<NgramTable> stage, TupleTag<KV<String, PartialCounts>> counted) {
    this.stage = stage;
    this.counted = counted;
  }

  /** The group and window in which records are counted. */
  private record Place(String group, BoundedWindow window) {}

  /** Receives results, which a bundle outputs in different ways before and at its end. */
  private interface Output {
    void counted(KV<String, PartialCounts> counts, BoundedWindow window);

    void refused(DeadLetter letter, BoundedWindow window);
  }

  @Setup
  public void setup() {
    metrics = new BundleMetrics();
    long start = System.nanoTime();
    stage.open(StageDevice.choose(stage, Devices::shown), ResidentIndexes.process());
    accumulator = stage.accumulator();
    metrics.opened(System.nanoTime() - start);
    gathered = new LinkedHashMap<>();
  }

  @StartBundle
  public void startBundle() {
    gathered.clear();
    bytes = 0;
  }

  /** Buffers a record, and counts the buffered ones if there are enough. */
  @ProcessElement
  public void process(
      @Element Envelope record, BoundedWindow window, PaneInfo pane, MultiOutputReceiver out) {
    if (record.getFailure() != null) {
      out.get(CountNgrams.FAILURES).output(record.getFailure());
      return;
    }
    if (gathered.isEmpty()) {
      since = System.nanoTime();
    }
    gathered
        .computeIfAbsent(new Place(stage.group(record), window), place -> new ArrayList<>())
        .add(record);
    bytes += stage.size(record);
    if (bytes >= stage.batchBytes()) {
      count(
          new Output() {
            @Override
            public void counted(KV<String, PartialCounts> counts, BoundedWindow of) {
              out.get(counted).outputWindowedValue(counts, of.maxTimestamp(), List.of(of), pane);
            }

            @Override
            public void refused(DeadLetter letter, BoundedWindow in) {
              out.get(CountNgrams.FAILURES)
                  .outputWindowedValue(letter, in.maxTimestamp(), List.of(in), pane);
            }
          });
    }
  }

  /** Counts the remaining records. */
  @FinishBundle
  public void finishBundle(FinishBundleContext out) {
    count(
        new Output() {
          @Override
          public void counted(KV<String, PartialCounts> counts, BoundedWindow of) {
            out.output(counted, counts, of.maxTimestamp(), of);
          }

          @Override
          public void refused(DeadLetter letter, BoundedWindow in) {
            out.output(CountNgrams.FAILURES, letter, in.maxTimestamp(), in);
          }
        });
  }

  private void count(Output out) {
    gathered.forEach((place, records) -> count(place, records, out));
    gathered.clear();
    bytes = 0;
    metrics.flush();
  }

  private void count(Place place, List<Envelope> records, Output out) {
    long start = System.nanoTime();
    List<Result<Long>> results = accumulator.add(records);
    byte[] counts = accumulator.take();
    long nanos = System.nanoTime() - start;
    int added = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < records.size(); i++) {
      Envelope record = records.get(i);
      if (results.get(i) instanceof Result.Failure<Long> failure) {
        Envelope refused = DeadLetters.refuse(record, stage.name(), failure.error());
        out.refused(refused.getFailure(), place.window());
      } else {
        long time = EventTimes.of(record).getMillis();
        first = Math.min(first, time);
        last = Math.max(last, time);
        added++;
      }
    }
    int size = records.size();
    metrics.ended(new ClientMetrics.Batch(size, size, size - added, start - since, nanos));
    if (added > 0) {
      out.counted(
          KV.of(place.group(), new PartialCounts(added, first, last, counts)), place.window());
    }
  }

  @Teardown
  public void teardown() {
    if (accumulator != null) {
      accumulator.close();
      accumulator = null;
    }
    stage.close();
  }
}
