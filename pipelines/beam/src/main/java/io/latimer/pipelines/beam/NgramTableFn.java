package io.latimer.pipelines.beam;

import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.NgramTable;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.KV;

/** Makes the table of a window from its counts. */
final class NgramTableFn extends DoFn<KV<String, PartialCounts>, NgramTable> {
  private static final long serialVersionUID = 1L;

  private final TableStage<NgramTable> stage;

  NgramTableFn(TableStage<NgramTable> stage) {
    this.stage = stage;
  }

  /**
   * Makes a table, except of a pane without records. The number of late records is unknown, because
   * Beam drops them silently.
   */
  @ProcessElement
  public void process(
      @Element KV<String, PartialCounts> element,
      BoundedWindow window,
      PaneInfo pane,
      OutputReceiver<NgramTable> out) {
    PartialCounts counts = element.getValue();
    if (counts.records() == 0) {
      return;
    }
    boolean running = !(window instanceof IntervalWindow);
    long start = running ? counts.first() : ((IntervalWindow) window).start().getMillis();
    long end = running ? counts.last() + 1 : ((IntervalWindow) window).end().getMillis();
    int revision = running ? 0 : Math.toIntExact(pane.getIndex());
    TableScope scope =
        new TableScope(element.getKey(), running, start, end, revision, counts.records(), 0);
    out.output(stage.table(scope, counts.counts()));
  }
}
