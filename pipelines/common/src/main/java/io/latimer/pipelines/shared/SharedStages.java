package io.latimer.pipelines.shared;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.Devices;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageDevice;
import io.latimer.pipelines.stage.StageGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * A registry of the stages that the callers in a process share. Each configuration is opened once,
 * with its first client, and closed with its last. Configurations are equal if their settings, the
 * content of their indexes and settings files, their batches and their devices are.
 *
 * <p>If the settings do not name the GPU ({@code gpu} or {@code auto}), a client gets the one with
 * the fewest clients of its configuration, so several GPUs are used evenly, and on a machine with
 * one GPU all clients share it.
 *
 * <p>Thread-safe; opening blocks only callers of the same configuration.
 */
public final class SharedStages {
  private static final SharedStages PROCESS =
      new SharedStages(ResidentIndexes.process(), Devices::shown);

  private final ResidentIndexes indexes;
  private final Supplier<List<Integer>> gpus;
  private final Map<Key, Entry> entries = new HashMap<>();

  /** The key by which stages are shared. */
  private record Key(
      String settings,
      List<String> contents,
      BatchPolicy batches,
      Duration timeout,
      List<Device> devices) {
    boolean isLike(SharedConfig config) {
      return settings.equals(config.settings())
          && contents.equals(config.contents())
          && batches.equals(config.batches())
          && timeout.equals(config.timeout());
    }
  }

  /** Open stages, or those that are being opened. */
  static final class Entry {
    private final Key key;
    private final CompletableFuture<SharedGroup> opened = new CompletableFuture<>();

    /** Number of clients; guarded by the registry's lock. */
    private int clients;

    private Entry(Key key) {
      this.key = key;
    }

    /** The group; it must be open. */
    SharedGroup group() {
      return opened.join();
    }
  }

  /**
   * Creates an empty registry.
   *
   * @param gpus the indexes of the GPUs that may be used
   */
  SharedStages(ResidentIndexes indexes, Supplier<List<Integer>> gpus) {
    this.indexes = indexes;
    this.gpus = gpus;
  }

  /** The registry of this process, or of each class loader in it that loads this class. */
  public static SharedStages process() {
    return PROCESS;
  }

  /** Number of configurations that are open or being opened. */
  public synchronized int size() {
    return entries.size();
  }

  /**
   * Creates a client, and opens its stages unless they are open.
   *
   * @param metrics receives the measurements of the client's batches
   * @throws OperatorException if the stages cannot be opened, or the caller is interrupted; nothing
   *     stays open then
   */
  public StageClient open(SharedConfig config, ClientMetrics metrics) {
    return new StageClient(this, config, metrics);
  }

  /**
   * Adds a client to the stages of a configuration, and waits until they are open. They are opened
   * in a separate thread, because an interrupt of one client must not fail the others.
   */
  Entry join(SharedConfig config) {
    CompletableFuture<Entry> joined = new CompletableFuture<>();
    String name = "opener of shared " + StageGroup.name(config.stages());
    SharedGroup.thread(() -> enter(config, joined), name).start();
    try {
      Entry entry = joined.get();
      entry.opened.get();
      return entry;
    } catch (InterruptedException e) {
      CompletableFuture<Void> unused = joined.thenAccept(this::leave);
      Thread.currentThread().interrupt();
      throw new OperatorException("interrupted while the stages were opened", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException reason) {
        throw reason;
      }
      throw (Error) e.getCause(); // opening throws no other exceptions
    }
  }

  /** Adds a client, and opens the stages if it is the first. */
  private void enter(SharedConfig config, CompletableFuture<Entry> joined) {
    Entry entry;
    boolean isFirst;
    try {
      synchronized (this) {
        Key key =
            new Key(
                config.settings(),
                config.contents(),
                config.batches(),
                config.timeout(),
                devices(config));
        entry = entries.get(key);
        isFirst = entry == null;
        if (isFirst) {
          entry = new Entry(key);
          entries.put(key, entry);
        }
        entry.clients++;
      }
    } catch (Throwable e) { // also errors: the client waits
      joined.completeExceptionally(e);
      return;
    }
    joined.complete(entry);
    if (isFirst) {
      open(entry, config);
    }
  }

  private List<Device> devices(SharedConfig config) {
    List<Device> devices = new ArrayList<>();
    for (BatchStage stage : config.stages()) {
      int place = devices.size();
      devices.add(StageDevice.choose(stage, () -> leastUsed(config, place)));
    }
    return List.copyOf(devices);
  }

  /** The GPUs, sorted by their number of clients of a configuration. */
  private List<Integer> leastUsed(SharedConfig config, int stage) {
    Map<Device, Integer> clients = new HashMap<>();
    for (Entry entry : entries.values()) {
      if (entry.key.isLike(config)) {
        clients.merge(entry.key.devices().get(stage), entry.clients, Integer::sum);
      }
    }
    List<Integer> choice = new ArrayList<>(gpus.get());
    choice.sort(Comparator.comparing(gpu -> clients.getOrDefault(Device.gpu(gpu), 0)));
    return choice;
  }

  private void open(Entry entry, SharedConfig config) {
    try {
      entry.opened.complete(
          SharedGroup.open(config, entry.key.devices(), indexes, () -> forget(entry)));
    } catch (Throwable e) { // also errors: others wait for it
      forget(entry);
      entry.opened.completeExceptionally(e);
    }
  }

  /** Makes later clients open new stages. */
  private synchronized void forget(Entry entry) {
    entries.remove(entry.key, entry);
  }

  /** Removes a client. The last one ends the group without waiting for it. */
  void leave(Entry entry) {
    synchronized (this) {
      entry.clients--;
      if (entry.clients > 0) {
        return;
      }
      forget(entry);
    }
    CompletableFuture<Void> unused = // runs at once, unless the stages are being opened
        entry.opened.thenAccept(
            group -> group.end(new OperatorException("the stages were closed")));
  }
}
