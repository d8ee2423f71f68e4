package io.latimer.pipelines.stage;

import io.latimer.operators.util.Monitors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The stages of a {@link StageGroup} on the index versions that batches need, reference-counted: a
 * stage is opened on another version beside the one in use, and closed when the last hold on it is
 * released. Versions with equal content and learned pairs are equal. Thread-safe; opening a stage
 * blocks only callers that need it.
 */
public final class StageVersions implements AutoCloseable {
  private final StageGroup own;
  private final Consumer<BatchStage> opener;
  private final List<Map<String, Version>> versions = new ArrayList<>(); // per member, by content
  private boolean ended;
  private boolean closed;

  /** A stage on versions of its indexes. Its fields are guarded by the lock of all versions. */
  private static final class Version {
    private final BatchStage stage;
    private final StageLoad load;
    private final AtomicBoolean opening = new AtomicBoolean();
    private boolean open;
    private RuntimeException failure;
    private FairSemaphore semaphore;
    private int holds;

    Version(BatchStage stage, StageLoad load) {
      this.stage = stage;
      this.load = load;
    }
  }

  /** A reference that keeps a stage open on an index version. */
  public final class Hold implements AutoCloseable {
    private final int member;
    private final Version version;
    private final AtomicBoolean released = new AtomicBoolean();

    private Hold(int member, Version version) {
      this.member = member;
      this.version = version;
    }

    /**
     * Opens the stage, unless it is open.
     *
     * @return the open stage
     * @throws io.latimer.operators.OperatorException if it cannot be opened
     * @throws GroupEndedException if the versions were closed meanwhile
     */
    public BatchStage open() {
      StageVersions.this.open(version);
      return version.stage;
    }

    /** Releases the stage, and closes it if this was the last hold. Releasing twice is safe. */
    @Override
    public void close() {
      if (released.compareAndSet(false, true)) {
        release(member, version);
      }
    }
  }

  /** A reference that keeps the stages of a batch open. */
  public final class Use implements AutoCloseable {
    private final List<Hold> holds;

    private Use(List<Hold> holds) {
      this.holds = holds;
    }

    /**
     * The group of the batch, with its stages open.
     *
     * @throws io.latimer.operators.OperatorException if one cannot be opened
     * @throws GroupEndedException if the versions were closed meanwhile
     */
    public StageGroup group() {
      List<BatchStage> members = new ArrayList<>();
      List<FairSemaphore> semaphores = new ArrayList<>();
      for (Hold hold : holds) {
        members.add(hold.open());
        semaphores.add(semaphore(hold.version));
      }
      return new StageGroup(own, members, semaphores);
    }

    /** Releases the stages. */
    @Override
    public void close() {
      holds.forEach(Hold::close);
    }
  }

  /**
   * Creates the versions of a group's stages; none is open.
   *
   * @param stages of the group, with the indexes of the job file
   * @param threads creates threads for stages that run concurrently
   * @param opener opens a stage on its device; called once for each version
   */
  public StageVersions(
      List<BatchStage> stages, ThreadFactory threads, Consumer<BatchStage> opener) {
    this.own = new StageGroup(stages, threads);
    this.opener = opener;
    stages.forEach(stage -> versions.add(new HashMap<>()));
  }

  /** The loads of the stages, in order, on all their indexes. */
  public List<StageLoad> loads() {
    return own.loads();
  }

  /** The stages with the indexes of the job file, in its order; not open. */
  public List<BatchStage> stages() {
    return own.members();
  }

  /**
   * Takes a hold on a stage and versions of its indexes, without opening it.
   *
   * @param indexes by {@link IndexName}, also those of other stages; those that are not listed are
   *     of the job file
   * @throws io.latimer.operators.OperatorException if the stage cannot use the index
   * @throws IllegalArgumentException if the group has no such stage
   */
  public Hold hold(String stage, Map<String, IndexVersion> indexes) {
    for (int member = 0; member < own.members().size(); member++) {
      if (own.members().get(member).name().equals(stage)) {
        return hold(member, indexes);
      }
    }
    throw new IllegalArgumentException("no stage " + stage);
  }

  private synchronized Hold hold(int member, Map<String, IndexVersion> indexes) {
    BatchStage configured = own.members().get(member);
    Map<String, IndexVersion> used = new LinkedHashMap<>(); // in the order of the stage
    configured.indexes().forEach((name, index) -> used.put(name, IndexVersion.of(index)));
    indexes.forEach(
        (name, version) -> {
          if (IndexName.parse(name).stage().equals(configured.name())) {
            used.put(name, version);
          }
        });
    String key = used.values().stream().map(IndexVersion::key).collect(Collectors.joining(", "));
    Version version = versions.get(member).get(key);
    if (version == null) {
      version = new Version(on(configured, used), own.loads().get(member));
      versions.get(member).put(key, version);
    }
    version.holds++;
    return new Hold(member, version);
  }

  /** The stage itself, if the versions are those of the job file. */
  private static BatchStage on(BatchStage configured, Map<String, IndexVersion> used) {
    BatchStage stage = configured;
    for (Map.Entry<String, IndexVersion> one : used.entrySet()) {
      IndexVersion version = one.getValue();
      // the same content may be elsewhere now: the requested reference counts
      if (!version.learned().isEmpty()
          || !version.index().equals(configured.indexes().get(one.getKey()))) {
        stage = stage.on(one.getKey(), version);
      }
    }
    return stage;
  }

  /**
   * Takes holds on the stages of a batch, without opening them.
   *
   * @param indexes by {@link IndexName}; those that are not listed are of the job file
   */
  public Use use(Map<String, IndexVersion> indexes) {
    List<Hold> holds = new ArrayList<>();
    List<BatchStage> stages = own.members();
    for (int member = 0; member < stages.size(); member++) {
      holds.add(hold(member, indexes));
    }
    return new Use(holds);
  }

  private void open(Version version) {
    requireNotClosed(); // otherwise a late call would load an index only to close it
    if (version.opening.compareAndSet(false, true)) {
      RuntimeException failure = null;
      try {
        opener.accept(version.stage);
      } catch (RuntimeException e) {
        failure = e;
      } catch (Error e) {
        opened(version, new IllegalStateException(e));
        throw e;
      }
      opened(version, failure);
    }
    awaitOpen(version);
  }

  private synchronized void requireNotClosed() {
    if (closed) {
      throw new GroupEndedException();
    }
  }

  private void opened(Version version, RuntimeException failure) {
    boolean late;
    synchronized (this) {
      late = closed && failure == null;
      version.open = failure == null && !late;
      version.failure = late ? new GroupEndedException() : failure;
      if (version.open) {
        version.semaphore = new FairSemaphore(version.stage::inFlight, version.load);
        if (ended) {
          version.semaphore.end();
        }
      }
      notifyAll();
    }
    if (late) {
      version.stage.close();
    }
  }

  private synchronized void awaitOpen(Version version) {
    Monitors.awaitUninterruptibly(this, () -> version.open || version.failure != null);
    if (version.failure != null) {
      throw version.failure;
    }
  }

  private synchronized FairSemaphore semaphore(Version version) {
    return version.semaphore;
  }

  private void release(int member, Version version) {
    boolean close;
    synchronized (this) {
      version.holds--;
      if (version.holds > 0) {
        return;
      }
      versions.get(member).values().remove(version);
      close = version.open && !closed;
      version.open = false;
    }
    if (close) {
      version.stage.close();
    }
  }

  /**
   * Ends the group: calls between two stages, or waiting for one, end with a {@link
   * GroupEndedException}.
   */
  public synchronized void end() {
    ended = true;
    for (Map<String, Version> one : versions) {
      for (Version version : one.values()) {
        if (version.semaphore != null) {
          version.semaphore.end();
        }
      }
    }
  }

  /**
   * Closes all stages, even if held; one that is being opened is closed afterwards. No call may be
   * running. Closing twice is safe.
   */
  @Override
  public void close() {
    List<BatchStage> open = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (Map<String, Version> one : versions) {
        for (Version version : one.values()) {
          if (version.open) {
            version.open = false;
            version.failure = new GroupEndedException();
            open.add(version.stage);
          }
        }
      }
      notifyAll();
    }
    own.closeAll(open);
  }
}
