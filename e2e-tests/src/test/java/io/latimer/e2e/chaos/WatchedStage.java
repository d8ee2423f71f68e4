package io.latimer.e2e.chaos;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A stage that takes its time for a batch, hangs on marked sentences, and shows what it works on:
 * while it does, a file named after its process lies in a folder ({@link InFlight}).
 */
public final class WatchedStage implements BatchStage {
  private static final long serialVersionUID = 1L;

  /** Longer than a stage has to close; not for ever, so that abandoned threads end some day. */
  private static final Duration ONCE = Duration.ofMinutes(1);

  /** Longer than {@code batch.timeout}. */
  private static final Duration ALWAYS = Duration.ofSeconds(12);

  private final BatchStage stage;
  private final String folder;
  private final long millis;

  /**
   * Wraps a stage.
   *
   * @param folder an existing folder
   * @param millis the least time for a batch
   */
  public WatchedStage(BatchStage stage, String folder, long millis) {
    this.stage = stage;
    this.folder = folder;
    this.millis = millis;
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    Path shown =
        Path.of(folder, ProcessHandle.current().pid() + InFlight.SEPARATOR + UUID.randomUUID());
    try {
      Files.createFile(shown);
      try {
        for (int i = 0; i < batch.size(); i++) {
          hang(batch.source(i).getText());
        }
        pass(Duration.ofMillis(millis));
        return stage.apply(batch);
      } finally {
        Files.delete(shown);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void hang(String text) throws IOException {
    if (text.startsWith(Feeder.HANGS_ALWAYS)) {
      pass(ALWAYS);
    } else if (firstTime(text)) {
      pass(ONCE);
    }
  }

  private boolean firstTime(String text) throws IOException {
    if (!text.startsWith(Feeder.HANGS_ONCE)) {
      return false;
    }
    try {
      Files.createFile(Path.of(folder, InFlight.HUNG + text.hashCode()));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Waits; a hung device knows no interrupts. */
  private static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    long left;
    while ((left = end - System.nanoTime()) > 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(left);
      } catch (InterruptedException e) {
        // goes on
      }
    }
  }

  @Override
  public void abandon() {
    stage.abandon();
  }

  @Override
  public List<IndexRef> indexRefs() {
    return stage.indexRefs();
  }

  @Override
  public boolean pinned(IndexRef index) {
    return stage.pinned(index);
  }

  @Override
  public int inFlight() {
    return stage.inFlight();
  }

  @Override
  public Set<RecordPart> reads() {
    return stage.reads();
  }

  @Override
  public Set<RecordPart> writes() {
    return stage.writes();
  }

  @Override
  public String kind() {
    return stage.kind();
  }

  @Override
  public String name() {
    return stage.name();
  }

  @Override
  public String device() {
    return stage.device();
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {
    stage.open(device, indexes);
  }

  @Override
  public void close() {
    stage.close();
  }
}
