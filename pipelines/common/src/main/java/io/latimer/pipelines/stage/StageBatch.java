package io.latimer.pipelines.stage;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A stage's view of the records of a micro-batch: those without a failure, with what earlier stages
 * that it reads have written or passed on in memory. Records are numbered from 0. Returned objects
 * must not be changed.
 */
public final class StageBatch {
  private final BatchStage stage;
  private final BatchValues values;
  private final int[] places;
  private final Translation[] drafts;

  /**
   * Creates a batch.
   *
   * @param places the positions of its records in the whole micro-batch, ascending
   * @param drafts the translation of each record, or null
   */
  StageBatch(BatchStage stage, BatchValues values, int[] places, Translation[] drafts) {
    this.stage = stage;
    this.values = values;
    this.places = places;
    this.drafts = drafts;
  }

  /** Number of records, 1 or more. */
  public int size() {
    return places.length;
  }

  /** A record as it came to the first stage of the group. */
  public Envelope envelope(int record) {
    return values.records().get(places[record]);
  }

  /** The sentence of a record. */
  public Sentence source(int record) {
    return envelope(record).getSentence();
  }

  /**
   * The translation of a record.
   *
   * @return null in the first stage of a job; later, the sentence itself if no stage has translated
   *     it
   */
  public Translation translation(int record) {
    return drafts[record];
  }

  /**
   * The position of a record in the whole micro-batch, including failed records; the index for
   * values of a batch.
   */
  public int place(int record) {
    return places[record];
  }

  /** A value that all stages of the group share, computed on first use. */
  public <T> T shared(BatchKey<T> key) {
    return values.shared(key);
  }

  /**
   * Passes a value of a record to later stages of the group.
   *
   * @throws IllegalArgumentException if the stage does not write the part that the key belongs to
   */
  public <T> void handOn(RecordKey<T> key, int record, T value) {
    require(stage.writes().contains(key.part()), key, "write");
    values.put(key, places[record], value);
  }

  /**
   * A value passed on by an earlier stage of the group.
   *
   * @return empty if there is none, for example because the record came from another group
   * @throws IllegalArgumentException if the stage does not read the part that the key belongs to
   */
  public <T> Optional<T> handedOn(RecordKey<T> key, int record) {
    require(stage.reads().contains(key.part()), key, "read");
    return values.get(key, places[record]);
  }

  private void require(boolean declared, RecordKey<?> key, String access) {
    if (!declared) {
      throw new IllegalArgumentException(
          "stage "
              + stage.name()
              + " does not say that it "
              + access
              + "s "
              + key.part()
              + ", to which \""
              + key
              + "\" belongs");
    }
  }

  /** A new list with one more value at its end. */
  public static <T> List<T> append(List<T> list, T value) {
    List<T> longer = new ArrayList<>(list.size() + 1);
    longer.addAll(list);
    longer.add(value);
    return longer;
  }
}
