package io.latimer.operators.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The loaded indexes: one copy per device, shared by all leases and released when the last lease is
 * closed. Thread-safe; loading one index does not block others.
 */
public final class ResidentIndexes {
  private static final ResidentIndexes PROCESS = new ResidentIndexes();

  private final ConcurrentMap<Key, Resident> residents;
  private final Function<IndexRef, IndexFile> files;

  /**
   * The same bytes on the same device in the same form share one copy, whatever the file's path.
   */
  private record Key(String sha256, Device device, Class<?> type, String form) {}

  /** Guarded by its own monitor, which is held during loading. */
  private static final class Resident {
    private AutoCloseable value;
    private Lease<?> base; // what the value is made of; null for a file
    private volatile String version; // read without the monitor, once loading has begun
    private volatile long bytes;
    private int leases;
    private boolean gone;
  }

  /**
   * Loads an index file for operators.
   *
   * @param <T> the loaded type
   */
  @FunctionalInterface
  public interface Loader<T extends AutoCloseable> {
    /**
     * Loads.
     *
     * @param file checked against its reference; the caller closes it afterwards, but its mapped
     *     buffers stay valid
     * @param device the device to load it on
     * @return the result of {@link Lease#get}; closed with the last lease
     */
    T load(IndexFile file, Device device);
  }

  /**
   * A lease of a loaded index.
   *
   * @param <T> the loaded type
   */
  public static final class Lease<T extends AutoCloseable> implements AutoCloseable {
    private final T value;
    private final Runnable release;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Lease(T value, Runnable release) {
      this.value = value;
      this.release = release;
    }

    /** A lease of a copy that nothing else shares: it is closed with the lease. */
    public static <T extends AutoCloseable> Lease<T> unshared(T value) {
      return new Lease<>(value, () -> closeValue(value));
    }

    /**
     * Returns the shared copy, which must not be used after {@link #close}.
     *
     * @throws IllegalStateException if the lease is closed
     */
    public T get() {
      if (closed.get()) {
        throw new IllegalStateException("the lease of this index is closed");
      }
      return value;
    }

    /** Ends the lease. Closing twice is safe. */
    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        release.run();
      }
    }
  }

  /** Makes a separate register of local files; operators use {@link #process}. */
  public ResidentIndexes() {
    this(new ConcurrentHashMap<>(), IndexRefs::open);
  }

  private ResidentIndexes(
      ConcurrentMap<Key, Resident> residents, Function<IndexRef, IndexFile> files) {
    this.residents = residents;
    this.files = files;
  }

  /**
   * This register with another way to open index files, such as over a network.
   *
   * @param files opens the file of a reference, checked as {@link IndexRefs#open} does; called only
   *     for what is not resident yet
   */
  public ResidentIndexes reading(Function<IndexRef, IndexFile> files) {
    return new ResidentIndexes(residents, files);
  }

  /**
   * The producer's version of the content that a lease holds, for references that do not have it.
   *
   * @param ref what was leased
   * @return the reference's own version if the content is not loaded
   */
  public String version(IndexRef ref) {
    for (Map.Entry<Key, Resident> entry : residents.entrySet()) {
      String version = entry.getValue().version;
      if (version != null && entry.getKey().sha256().equals(ref.sha256())) {
        return version;
      }
    }
    return ref.version();
  }

  /**
   * The length of the file with the content that a lease holds, in bytes.
   *
   * @param ref what was leased
   * @return 0 if the content is not loaded
   */
  public long bytes(IndexRef ref) {
    return residents.entrySet().stream()
        .filter(entry -> entry.getKey().sha256().equals(ref.sha256()))
        .mapToLong(entry -> entry.getValue().bytes)
        .max()
        .orElse(0);
  }

  /** Whether content is loaded, or being loaded, on any device. */
  public boolean holds(String sha256) {
    return residents.keySet().stream().anyMatch(key -> key.sha256().equals(sha256));
  }

  /** The register of this process. */
  public static ResidentIndexes process() {
    return PROCESS;
  }

  /**
   * Leases an index, and loads it if it is not resident.
   *
   * @param ref the index; on loading, its file is read completely, and refused if it is not the one
   *     referred to
   * @param device its device
   * @param type the loaded type
   * @param loader called at most once per copy
   * @throws IndexFormatException if the file is not the one referred to, or is invalid
   */
  public <T extends AutoCloseable> Lease<T> acquire(
      IndexRef ref, Device device, Class<T> type, Loader<T> loader) {
    return acquire(ref, device, type, "", loader);
  }

  /**
   * Leases an index that can be loaded in several forms, each with a copy of its own.
   *
   * @param form such as the precision of its numbers
   * @see #acquire(IndexRef, Device, Class, Loader)
   */
  public <T extends AutoCloseable> Lease<T> acquire(
      IndexRef ref, Device device, Class<T> type, String form, Loader<T> loader) {
    return acquire(
        new Key(ref.sha256(), device, type, form),
        type,
        resident -> load(resident, ref, device, loader));
  }

  /**
   * Leases a value derived from a loaded index, such as the index with additions: one copy per
   * device and form. It keeps the index loaded until its last lease is closed.
   *
   * @param ref the index, whose file is not read for this
   * @param type of the copy
   * @param form distinguishes it from the index itself, and from other values derived from it
   * @param base leases the index; called at most once per copy
   * @param make makes the copy
   */
  public <B extends AutoCloseable, T extends AutoCloseable> Lease<T> derive(
      IndexRef ref,
      Device device,
      Class<T> type,
      String form,
      Supplier<Lease<B>> base,
      Function<B, T> make) {
    return acquire(
        new Key(ref.sha256(), device, type, form),
        type,
        resident -> {
          Lease<B> lease = base.get();
          try {
            resident.version = version(ref);
            resident.value = make.apply(lease.get());
            resident.base = lease;
          } finally {
            if (resident.value == null) {
              lease.close();
            }
          }
        });
  }

  private <T extends AutoCloseable> Lease<T> acquire(
      Key key, Class<T> type, Consumer<Resident> load) {
    while (true) {
      Resident resident = residents.computeIfAbsent(key, k -> new Resident());
      synchronized (resident) {
        if (resident.gone) {
          continue; // released since the look-up
        }
        if (resident.value == null) {
          load(key, resident, load);
        }
        resident.leases++;
        return new Lease<>(type.cast(resident.value), () -> release(key, resident));
      }
    }
  }

  /** The number of loaded copies. */
  public int size() {
    return residents.size();
  }

  private void load(Key key, Resident resident, Consumer<Resident> load) {
    try {
      load.accept(resident);
    } finally {
      if (resident.value == null) {
        forget(key, resident);
      }
    }
  }

  private void load(Resident resident, IndexRef ref, Device device, Loader<?> loader) {
    try (IndexFile file = files.apply(ref)) {
      resident.version = file.version();
      resident.bytes = file.length();
      resident.value = loader.load(file, device);
    }
  }

  private void release(Key key, Resident resident) {
    synchronized (resident) {
      resident.leases--;
      if (resident.leases > 0) {
        return;
      }
      try {
        closeValue(resident.value); // first: while it is registered, nobody loads a second copy
      } finally {
        forget(key, resident);
        if (resident.base != null) {
          resident.base.close();
        }
      }
    }
  }

  private static void closeValue(AutoCloseable value) {
    try {
      value.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new OperatorException("the index cannot be closed: " + e.getMessage(), e);
    }
  }

  private void forget(Key key, Resident resident) {
    resident.gone = true;
    residents.remove(key, resident);
  }
}
