package io.latimer.pipelines.shared;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stage whose batches end when the test lets them. Copies of it share what the test sees. It
 * writes the digits of its index behind a text, refuses the text "bad" and fails at "broken" and
 * "error".
 */
final class GatedStage implements BatchStage {
  private static final long serialVersionUID = 1L;

  /** What the test sees of all copies. */
  static final class Seen {
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    final AtomicInteger abandoned = new AtomicInteger();
    final List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
    final Semaphore begun = new Semaphore(0);
    final Semaphore mayEnd = new Semaphore(0);
    volatile boolean gated = true;
    volatile RuntimeException opening;
    volatile CountDownLatch mayOpen = new CountDownLatch(0);
    volatile boolean isOpening;
    volatile ClassLoader context; // of the thread that opened it
  }

  private static final Map<String, Seen> SEEN = new ConcurrentHashMap<>();

  private final String id;
  private final int inFlight;
  private final String digit; // of its index

  private GatedStage(String id, int inFlight, String digit) {
    this.id = id;
    this.inFlight = inFlight;
    this.digit = digit;
  }

  static GatedStage of(String id, int inFlight) {
    SEEN.put(id, new Seen());
    return new GatedStage(id, inFlight, "a");
  }

  static IndexRef index(String digit) {
    return new IndexRef("test", URI.create("file:/" + digit), digit.repeat(64), "");
  }

  Seen seen() {
    return SEEN.get(id);
  }

  @Override
  public List<IndexRef> indexRefs() {
    return List.of(index(digit));
  }

  @Override
  public BatchStage on(IndexRef other) {
    if (!other.kind().equals("test")) {
      throw new OperatorException("expected an index of kind test, found " + other.kind());
    }
    return new GatedStage(id, inFlight, other.sha256().substring(0, 1));
  }

  @Override
  public String kind() {
    return "gated";
  }

  @Override
  public String name() {
    return "gated";
  }

  @Override
  public String device() {
    return "cpu";
  }

  @Override
  public int inFlight() {
    return inFlight;
  }

  @Override
  public Set<RecordPart> reads() {
    return Set.of(RecordPart.SOURCE);
  }

  @Override
  public Set<RecordPart> writes() {
    return Set.of(RecordPart.TRANSLATION);
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {
    seen().context = Thread.currentThread().getContextClassLoader();
    seen().isOpening = true;
    try {
      seen().mayOpen.await();
    } catch (InterruptedException e) {
      throw new OperatorException("interrupted while opening", e);
    }
    if (seen().opening != null) {
      throw seen().opening;
    }
    seen().opened.incrementAndGet();
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    List<String> texts = new ArrayList<>();
    List<Result<RecordChange>> changes = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      String text = batch.source(i).getText();
      texts.add(text);
      changes.add(
          text.equals("bad")
              ? Result.failure(new RecordException("it is bad"))
              : Result.of(draft -> draft.setText(text + " " + digit)));
    }
    seen().batches.add(texts);
    seen().begun.release();
    if (seen().gated) {
      seen().mayEnd.acquireUninterruptibly();
    }
    if (texts.contains("error")) {
      throw new StackOverflowError("in the stage");
    }
    if (texts.contains("broken")) {
      throw new OperatorException("the device was lost");
    }
    return changes;
  }

  @Override
  public void abandon() {
    seen().abandoned.incrementAndGet();
  }

  @Override
  public void close() {
    seen().closed.incrementAndGet();
  }
}
