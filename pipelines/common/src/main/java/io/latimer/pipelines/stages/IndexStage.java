package io.latimer.pipelines.stages;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A stage that runs an operator with an index on its batches. It holds the references of this index
 * and of others that the operator needs, and the operator while it is open.
 *
 * @param <O> the operator
 */
abstract class IndexStage<O extends BatchOperator<?, ?>> extends ConfiguredStage
    implements BatchStage {
  private static final long serialVersionUID = 1L;

  private ConfiguredIndex index;
  private ArrayList<ConfiguredIndex> others;

  private transient O operator;

  /**
   * Creates the stage.
   *
   * @param index the main index of the operator, which may be swapped
   * @param others other indexes that the operator reads
   */
  IndexStage(StageConfig config, ConfiguredIndex index, ConfiguredIndex... others) {
    super(config);
    this.index = index;
    this.others = new ArrayList<>(List.of(others));
  }

  /** The opener of the operator for an index file. */
  abstract IndexOpener<O> opener();

  /** The operator; the stage must be open. */
  final O operator() {
    return requireOpen(operator);
  }

  /** The reference of one of the other indexes, numbered from 0. */
  final IndexRef other(int number) {
    return others.get(number).ref();
  }

  /** Opens the index file, checked against its reference. */
  final IndexFile openFile() {
    return index.open(index.ref(), ResidentIndexes.process());
  }

  /**
   * Builds another index file and publishes it to a folder, see {@link ConfiguredIndex#publish}.
   */
  final IndexRef publish(String folder, String ending, String writer, IndexFiles.Build build)
      throws IOException {
    return index.publish(folder, ending, writer, build);
  }

  @Override
  public final List<IndexRef> indexRefs() {
    return Stream.concat(Stream.of(index), others.stream()).map(ConfiguredIndex::ref).toList();
  }

  @Override
  public final BatchStage on(IndexRef other) {
    String kind = opener().kind().id();
    if (!other.kind().equals(kind)) {
      throw new OperatorException(
          "stage "
              + name()
              + ": expected an index of kind "
              + kind
              + ", found "
              + other.kind()
              + " in "
              + other.location());
    }
    IndexStage<?> copy = (IndexStage<?>) copy();
    copy.operator = null;
    copy.index = index.with(other);
    return copy;
  }

  @Override
  public final boolean pinned(IndexRef ref) {
    return Stream.concat(Stream.of(index), others.stream())
        .anyMatch(one -> one.ref().equals(ref) && one.pinned());
  }

  @Override
  public final void open(Device device, ResidentIndexes indexes) {
    if (operator != null) {
      throw new IllegalStateException("stage " + name() + " is open");
    }
    operator = opener().open(indexes.reading(ref -> index.open(ref, indexes)), index.ref(), device);
    index = index.withVersion(indexes.version(index.ref()));
    List<ConfiguredIndex> read = List.copyOf(others);
    others = new ArrayList<>(); // replaced, because copies of this stage share the list
    read.forEach(other -> others.add(other.withVersion(indexes.version(other.ref()))));
  }

  @Override
  public final int inFlight() {
    return operator == null ? 1 : operator.inFlight();
  }

  @Override
  public final void abandon() {
    O open = operator;
    if (open != null) {
      open.abandon();
    }
  }

  @Override
  public final void close() {
    if (operator != null) {
      operator.close();
      operator = null;
    }
  }
}
