package io.latimer.pipelines.flink.table;

import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.state.JobNameState;
import io.latimer.pipelines.flink.task.Labels;
import io.latimer.pipelines.metrics.TableMetrics;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.table.TableAssembler;
import io.latimer.schemas.TablePart;
import io.latimer.schemas.TableTotals;
import io.latimer.schemas.TableWindow;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.RunnableWithException;

/**
 * Merges counts into tables of windows and running tables, with Flink's timers. Holds all state of
 * a stage, keyed by group: the counts of panes that some window still needs, the windows that were
 * written, and the totals. The job's name and the watermark are operator state.
 */
public final class TableMerger<T extends SpecificRecordBase>
    extends KeyedProcessFunction<String, TablePart, T> implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  private final String job;
  private final TableStage<T> stage;

  private transient JobNameState name;
  private transient ReachedTime reached;
  private transient TableAssembler assembler;
  private transient KeyedState state;
  private transient DueTables due;

  /** By group: timers to register once those of the last watermark have fired. */
  private transient Map<String, Long> afterEnd;

  private transient Counter late;
  private transient Counter tables;
  private transient Histogram mergeMillis;
  private transient Histogram assembleMillis;
  private transient Histogram tableMillis;

  /** Creates the merger of a job's table stage. */
  public TableMerger(String job, TableStage<T> stage) {
    this.job = job;
    this.stage = stage;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    name = JobNameState.restore(context.getOperatorStateStore(), job);
    reached = ReachedTime.restore(context.getOperatorStateStore());
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    name.write();
    reached.write();
  }

  TableStage<T> stage() {
    return stage;
  }

  /** The due tables of a slow stage, which the operator makes. */
  DueTables due() {
    return due;
  }

  /**
   * Called when a table is emitted.
   *
   * @param nanos time that it took to make it
   */
  void made(long nanos) {
    tables.inc();
    tableMillis.update(TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /** Called with each watermark, before the timers that it fires. */
  void watermark(long watermark) {
    reached.advance(watermark);
  }

  @Override
  public void open(OpenContext context) {
    assembler = new TableAssembler(stage);
    afterEnd = new LinkedHashMap<>();
    state =
        new KeyedState(
            getRuntimeContext()
                .getMapState(new MapStateDescriptor<>("panes", Types.LONG, Records.PART)),
            getRuntimeContext()
                .getMapState(
                    new MapStateDescriptor<>(
                        "windows", Types.LONG, new AvroTypeInfo<>(TableWindow.class))),
            getRuntimeContext()
                .getState(
                    new ValueStateDescriptor<>("totals", new AvroTypeInfo<>(TableTotals.class))),
            getRuntimeContext()
                .getMapState(
                    new MapStateDescriptor<>(
                        "counts",
                        Types.INT,
                        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)));
    due = new DueTables(getRuntimeContext().getMapState(DueTables.descriptor()));
    MetricGroup metrics = getRuntimeContext().getMetricGroup();
    late = metrics.counter(TableMetrics.LATE.id());
    tables = metrics.counter(TableMetrics.TABLES.id());
    mergeMillis = Labels.histogram(metrics, TableMetrics.MERGE_TIME);
    assembleMillis = Labels.histogram(metrics, TableMetrics.ASSEMBLE_TIME);
    tableMillis = Labels.histogram(metrics, TableMetrics.TABLE_TIME);
    Gauge<Integer> notMade = due::size;
    metrics.gauge(TableMetrics.DUE_TABLES.id(), notMade);
  }

  @Override
  public void processElement(TablePart part, Context context, Collector<T> out) {
    long start = System.nanoTime();
    if (assembler.add(state, part, reached.watermark(), timers(context.timerService()))) {
      late.inc(part.getRecords());
    }
    mergeMillis.update(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<T> out) {
    String group = context.getCurrentKey();
    long watermark = context.timerService().currentWatermark();
    long start = System.nanoTime();
    AtomicBoolean any = new AtomicBoolean();
    // all timers up to the watermark fire together: the first one does the work of all
    assembler.advance(
        state,
        group,
        watermark,
        watermark == Long.MAX_VALUE ? timersAfterEnd(group) : timers(context.timerService()),
        (scope, counts) -> {
          any.set(true);
          if (stage.isSlow()) {
            due.add(group, scope, counts);
          } else {
            long begun = System.nanoTime();
            T table = stage.table(scope, counts);
            made(System.nanoTime() - begun);
            out.collect(table);
          }
        });
    if (any.get()) {
      assembleMillis.update(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }
  }

  /** Removes and returns the timers to register after the last watermark, by group. */
  Map<String, Long> takeAfterEnd() {
    Map<String, Long> times = Map.copyOf(afterEnd);
    afterEnd.clear();
    return times;
  }

  /**
   * Defers timers at the last watermark, where a new one would fire at once and register itself
   * again.
   */
  private TableAssembler.Timers timersAfterEnd(String group) {
    return new TableAssembler.Timers() {
      @Override
      public void register(long time) {
        afterEnd.put(group, time);
      }

      @Override
      public void delete(long time) {
        afterEnd.remove(group, time);
      }
    };
  }

  private static TableAssembler.Timers timers(TimerService service) {
    return new TableAssembler.Timers() {
      @Override
      public void register(long time) {
        service.registerEventTimeTimer(time);
      }

      @Override
      public void delete(long time) {
        service.deleteEventTimeTimer(time);
      }
    };
  }

  /** The state of the current group. Flink's checked exceptions are rethrown unchecked. */
  private static final class KeyedState implements TableAssembler.State {
    private final MapState<Long, TablePart> panes;
    private final MapState<Long, TableWindow> windows;
    private final ValueState<TableTotals> totals;

    /** The segments of the totals' counts, by level; unchanged ones are not rewritten. */
    private final MapState<Integer, byte[]> counts;

    KeyedState(
        MapState<Long, TablePart> panes,
        MapState<Long, TableWindow> windows,
        ValueState<TableTotals> totals,
        MapState<Integer, byte[]> counts) {
      this.panes = panes;
      this.windows = windows;
      this.totals = totals;
      this.counts = counts;
    }

    @Override
    public TablePart pane(long start) {
      return call(() -> panes.get(start));
    }

    @Override
    public void putPane(TablePart pane) {
      run(() -> panes.put(pane.getPane(), pane));
    }

    @Override
    public void removePane(long start) {
      run(() -> panes.remove(start));
    }

    @Override
    public Iterable<Long> panes() {
      return call(panes::keys);
    }

    @Override
    public TableWindow window(long end) {
      return call(() -> windows.get(end));
    }

    @Override
    public void putWindow(long end, TableWindow window) {
      run(() -> windows.put(end, window));
    }

    @Override
    public void removeWindow(long end) {
      run(() -> windows.remove(end));
    }

    @Override
    public Iterable<Long> windows() {
      return call(windows::keys);
    }

    @Override
    public TableTotals totals() {
      return call(totals::value);
    }

    @Override
    public void putTotals(TableTotals value) {
      run(() -> totals.update(value));
    }

    @Override
    public void removeTotals() {
      totals.clear();
      counts.clear();
    }

    @Override
    public byte[] counts(int level) {
      return call(() -> counts.get(level));
    }

    @Override
    public void putCounts(int level, byte[] segment) {
      run(() -> counts.put(level, segment));
    }

    @Override
    public void removeCounts(int level) {
      run(() -> counts.remove(level));
    }

    private static <V> V call(Callable<V> access) {
      try {
        return access.call();
      } catch (Exception e) {
        throw new FlinkRuntimeException(e);
      }
    }

    private static void run(RunnableWithException access) {
      try {
        access.run();
      } catch (Exception e) {
        throw new FlinkRuntimeException(e);
      }
    }
  }
}
