package io.latimer.pipelines.flink.table;

import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.TableDue;
import io.latimer.schemas.TablePart;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Runs a {@link TableMerger}, passes it the watermarks, which functions do not see, and makes the
 * tables of slow stages one by one in a separate thread.
 *
 * <p>The task's thread emits a table and removes it from the state in one step, never split by a
 * barrier: after a failure the table is either already emitted or made again. Watermarks do not
 * wait for tables unless many are due; no operator downstream uses watermarks.
 *
 * <p>While many tables are due, the newest watermark is held, so that no more become due, and the
 * input waits, so that a slow stage exerts back pressure. Barriers are part of the input, so it
 * waits only for a limited time between two of them, or all checkpoints would time out. A held
 * watermark is not part of the state: after a restart, sources send theirs again.
 */
public final class MergeOperator<T extends SpecificRecordBase>
    extends KeyedProcessOperator<String, TablePart, T> implements BoundedOneInput {
  private static final long serialVersionUID = 1L;

  /** The watermark is held while more tables than this are due. */
  private static final int MAX_DUE = 16;

  /** Poll interval of the mailbox while the input waits; the mailbox has no timed wait. */
  private static final long POLL_MILLIS = 5;

  private static final int CLOSE_SECONDS = 10;

  private final TableMerger<T> merger;
  private final long maxWait;

  private transient MailboxExecutor mailbox;
  private transient ExecutorService maker;
  private transient boolean making;

  /** The newest watermark, while it is held, else null. */
  private transient Watermark held;

  /** How long the input has waited since the last barrier, in nanoseconds. */
  private transient long waited;

  /**
   * Creates the operator.
   *
   * @param maxWait maximum time that the input waits for tables between two barriers
   */
  public MergeOperator(TableMerger<T> merger, Duration maxWait) {
    super(merger);
    this.merger = merger;
    this.maxWait = maxWait.toNanos();
  }

  @Override
  public void open() throws Exception {
    super.open();
    TableStage<T> stage = merger.stage();
    if (!stage.isSlow()) {
      return;
    }
    stage.shareMemory(
        getContainingTask()
            .getEnvironment()
            .getTaskManagerInfo()
            .getConfiguration()
            .get(TaskManagerOptions.NUM_TASK_SLOTS));
    mailbox =
        getContainingTask()
            .getMailboxExecutorFactory()
            .createExecutor(getOperatorConfig().getChainIndex());
    String name = "make " + stage.name();
    maker =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    this.<String>getKeyedStateBackend()
        .applyToAllKeys(
            VoidNamespace.INSTANCE,
            VoidNamespaceSerializer.INSTANCE,
            DueTables.descriptor(),
            (group, state) -> merger.due().restore(group, state));
    makeNext();
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    held = mark;
    release();
    long start = System.nanoTime();
    long before = waited;
    while (held != null && waited < maxWait) {
      if (!mailbox.tryYield()) {
        Thread.sleep(POLL_MILLIS);
      }
      waited = before + (System.nanoTime() - start);
    }
  }

  /** Passes the held watermark on unless too many tables are due. */
  private void release() throws Exception {
    if (held == null || merger.due().size() > MAX_DUE) {
      return;
    }
    Watermark mark = held;
    held = null;
    merger.watermark(mark.getTimestamp());
    super.processWatermark(mark);
    InternalTimerService<VoidNamespace> timers =
        getInternalTimerService("user-timers", VoidNamespaceSerializer.INSTANCE, this);
    merger
        .takeAfterEnd()
        .forEach(
            (group, time) -> {
              setCurrentKey(group);
              timers.registerEventTimeTimer(VoidNamespace.INSTANCE, time);
            });
    makeNext();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    waited = 0;
  }

  /** Starts to make the first table that is due, unless one is being made. */
  private void makeNext() throws Exception {
    if (making || merger.due().size() == 0) {
      return;
    }
    making = true;
    String group = merger.due().first().group();
    setCurrentKey(group);
    TableDue due = merger.due().table();
    TableScope scope = DueTables.scope(group, due);
    byte[] counts = KafkaBytes.array(due.getCounts());
    maker.execute(() -> make(scope, counts));
  }

  /** Makes a table, in the separate thread. */
  private void make(TableScope scope, byte[] counts) {
    long start = System.nanoTime();
    T table;
    try {
      table = merger.stage().table(scope, counts);
    } catch (Throwable e) { // also errors: the task must not wait for a table that never comes
      send(() -> fail(e));
      return;
    }
    long nanos = System.nanoTime() - start;
    send(() -> emit(table, nanos));
  }

  private void send(ThrowingRunnable<Exception> mail) {
    try {
      mailbox.execute(mail, "emit a table of " + merger.stage().name());
    } catch (RejectedExecutionException e) {
      // the task has ended; the table is still in its state
      LOG.debug("a table of stage {} was made too late", merger.stage().name());
    }
  }

  private static void fail(Throwable e) throws Exception {
    if (e instanceof Error error) {
      throw error;
    }
    throw (Exception) e;
  }

  private void emit(T table, long nanos) throws Exception {
    setCurrentKey(merger.due().first().group());
    merger.due().remove();
    merger.made(nanos);
    output.collect(new StreamRecord<>(table, merger.stage().time(table).toEpochMilli()));
    making = false;
    release();
    makeNext();
  }

  /** Waits for all tables, and so for a held watermark. */
  @Override
  public void endInput() throws Exception {
    while (merger.due().size() > 0) {
      mailbox.yield();
    }
  }

  @Override
  public void close() throws Exception {
    if (maker != null) {
      maker.shutdownNow();
      maker.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    super.close();
  }
}
