package io.latimer.pipelines.flink;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/** A stage that converts texts to upper case, and runs a test's action before each batch. */
public class TestStage implements BatchStage {
  private static final long serialVersionUID = 1L;

  /**
   * An action before a batch, kept in static fields of the tests, because stages are serialized.
   */
  public interface Before extends Serializable {
    void batch(List<Envelope> batch) throws Exception;
  }

  private final String name;
  private final Before before;
  private final String index;
  private final boolean pinned;
  private final int inFlight;

  public TestStage(String name, Before before) {
    this(name, before, null, false);
  }

  /** Makes a stage that processes several batches at once. */
  public TestStage(String name, int inFlight, Before before) {
    this(name, before, null, false, inFlight);
  }

  /**
   * Makes a stage.
   *
   * @param index SHA-256 of its model, or null if it has none
   */
  public TestStage(String name, Before before, String index, boolean pinned) {
    this(name, before, index, pinned, 1);
  }

  private TestStage(String name, Before before, String index, boolean pinned, int inFlight) {
    this.inFlight = inFlight;
    this.name = name;
    this.before = before;
    this.index = index;
    this.pinned = pinned;
  }

  @Override
  public String kind() {
    return "test";
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String device() {
    return "cpu";
  }

  @Override
  public List<IndexRef> indexRefs() {
    if (index == null) {
      return List.of();
    }
    URI uri = URI.create("file:/models/m.lmx");
    return List.of(new IndexRef("translation-model", uri, index, "1"));
  }

  @Override
  public boolean pinned(IndexRef index) {
    return pinned;
  }

  @Override
  public int inFlight() {
    return inFlight;
  }

  @Override
  public void open(Device device, ResidentIndexes residents) {}

  @Override
  public Set<RecordPart> reads() {
    return EnumSet.of(RecordPart.SOURCE);
  }

  @Override
  public Set<RecordPart> writes() {
    return EnumSet.of(RecordPart.TRANSLATION);
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    try {
      before.batch(IntStream.range(0, batch.size()).mapToObj(batch::envelope).toList());
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    List<Result<RecordChange>> changes = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      String text = batch.source(i).getText().toUpperCase(Locale.ROOT);
      changes.add(
          Result.of(
              draft -> {
                draft.setTargetLanguage("de");
                draft.setText(text);
                draft.setModelId("test");
              }));
    }
    return changes;
  }

  @Override
  public void close() {}
}
