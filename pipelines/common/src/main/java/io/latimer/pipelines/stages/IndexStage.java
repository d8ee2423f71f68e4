package io.latimer.pipelines.stages;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.StageConfig;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** By key of the job file, in order; replaced as a whole, because copies of a stage share it. */
  private LinkedHashMap<String, ConfiguredIndex> others;

  private transient O operator;

  /**
   * Creates the stage.
   *
   * @param index the main index of the operator
   * @param others other indexes that the operator reads, by key of the job file
   */
  IndexStage(StageConfig config, ConfiguredIndex index, Map<String, ConfiguredIndex> others) {
    super(config);
    this.index = index;
    this.others = new LinkedHashMap<>(others);
  }

  /** The opener of the operator for an index file. */
  abstract IndexOpener<O> opener();

  /** The operator; the stage must be open. */
  final O operator() {
    return requireOpen(operator);
  }

  /**
   * The reference of one of the other indexes; null if it has none with this key.
   *
   * @param key of the job file
   */
  final IndexRef other(ConfigKey<String> key) {
    ConfiguredIndex other = others.get(key.name());
    return other == null ? null : other.ref();
  }

  /** The references of the other indexes, in order. */
  final Stream<IndexRef> others() {
    return others.values().stream().map(ConfiguredIndex::ref);
  }

  /** The name of one of the other indexes. */
  final String indexName(ConfigKey<String> key) {
    return new IndexName(name(), key.name()).toString();
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
    return all().map(ConfiguredIndex::ref).toList();
  }

  private Stream<ConfiguredIndex> all() {
    return Stream.concat(Stream.of(index), others.values().stream());
  }

  @Override
  public final Map<String, IndexRef> indexes() {
    Map<String, IndexRef> indexes = new LinkedHashMap<>();
    indexes.put(name(), index.ref());
    others.forEach((key, one) -> indexes.put(new IndexName(name(), key).toString(), one.ref()));
    return indexes;
  }

  @Override
  public BatchStage on(String name, IndexVersion version) {
    String key = IndexName.parse(name).key();
    ConfiguredIndex other = others.get(key);
    if (other == null) {
      return BatchStage.super.on(name, version);
    }
    if (!version.learned().isEmpty()) {
      throw new OperatorException("stage " + name() + " learns nothing beside its " + key);
    }
    requireKind(other.kind(), version.index());
    IndexStage<?> copy = unopened();
    copy.others = new LinkedHashMap<>(others);
    copy.others.put(key, other.with(version.index()));
    return copy;
  }

  @Override
  public final BatchStage on(IndexRef other) {
    requireKind(opener().kind().id(), other);
    IndexStage<?> copy = unopened();
    copy.index = index.with(other);
    return copy;
  }

  private void requireKind(String kind, IndexRef found) {
    if (!found.kind().equals(kind)) {
      throw new OperatorException(
          "stage "
              + name()
              + ": expected an index of kind "
              + kind
              + ", found "
              + found.kind()
              + " in "
              + found.location());
    }
  }

  private IndexStage<?> unopened() {
    IndexStage<?> copy = (IndexStage<?>) copy();
    copy.operator = null;
    return copy;
  }

  @Override
  public final boolean pinned(IndexRef ref) {
    return all().anyMatch(one -> one.ref().equals(ref) && one.pinned());
  }

  @Override
  public final void open(Device device, ResidentIndexes indexes) {
    if (operator != null) {
      throw new IllegalStateException("stage " + name() + " is open");
    }
    operator = opener().open(indexes.reading(ref -> index.open(ref, indexes)), index.ref(), device);
    index = index.withVersion(indexes.version(index.ref()));
    LinkedHashMap<String, ConfiguredIndex> read = new LinkedHashMap<>(others);
    read.replaceAll((key, other) -> other.withVersion(indexes.version(other.ref())));
    others = read;
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
