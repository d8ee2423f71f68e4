package io.latimer.operators.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The indexes that are loaded: one copy of each per device, shared by all who hold a lease, given
 * back when the last lease is closed. Safe for use by several threads; loading one index does not
 * keep others waiting.
 */
public final class ResidentIndexes {
  private static final ResidentIndexes PROCESS = new ResidentIndexes();

  private final ConcurrentMap<Key, Resident> residents = new ConcurrentHashMap<>();

  /** Same bytes on the same device in the same form are the same copy, wherever the file lies. */
  private record Key(String sha256, Device device, Class<?> type, String form) {}

  /** Guarded by its own monitor, which is held while the index is loaded. */
  private static final class Resident {
    private AutoCloseable value;
    private int leases;
    private boolean gone;
  }

  /**
   * Makes of an index file what operators use.
   *
   * @param <T> what it makes
   */
  @FunctionalInterface
  public interface Loader<T extends AutoCloseable> {
    /**
     * Loads.
     *
     * @param file checked against its reference; closed by the caller afterwards, its mapped
     *     buffers stay valid
     * @param device where to load it
     * @return what {@link Lease#get} gives; closed with the last lease
     */
    T load(IndexFile file, Device device);
  }

  /**
   * A share in a loaded index.
   *
   * @param <T> what was loaded
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
     * Returns the shared copy, not to be used beyond {@link #close}.
     *
     * @throws IllegalStateException when the lease is closed
     */
    public T get() {
      if (closed.get()) {
        throw new IllegalStateException("the lease of this index is closed");
      }
      return value;
    }

    /** Gives the share back. Closing twice is safe. */
    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        release.run();
      }
    }
  }

  /** Makes a register of its own; operators use {@link #process}. */
  public ResidentIndexes() {}

  /** The one register of this process. */
  public static ResidentIndexes process() {
    return PROCESS;
  }

  /**
   * Takes a share in an index, loading it when nobody else holds one.
   *
   * @param ref the index; its file is read whole when it is loaded and refused by name when it is
   *     not the one that was meant
   * @param device where it is to be
   * @param type what the loader makes
   * @param loader called at most once per copy
   * @throws IndexFormatException when the file is not the one that was referred to, or not sound
   */
  public <T extends AutoCloseable> Lease<T> acquire(
      IndexRef ref, Device device, Class<T> type, Loader<T> loader) {
    return acquire(ref, device, type, "", loader);
  }

  /**
   * Takes a share in an index that can be loaded in several forms, of each of which there is a
   * copy.
   *
   * @param form such as the precision of its numbers
   * @see #acquire(IndexRef, Device, Class, Loader)
   */
  public <T extends AutoCloseable> Lease<T> acquire(
      IndexRef ref, Device device, Class<T> type, String form, Loader<T> loader) {
    Key key = new Key(ref.sha256(), device, type, form);
    while (true) {
      Resident resident = residents.computeIfAbsent(key, k -> new Resident());
      synchronized (resident) {
        if (resident.gone) {
          continue; // given back between the look-up and here
        }
        if (resident.value == null) {
          load(key, resident, ref, device, loader);
        }
        resident.leases++;
        return new Lease<>(type.cast(resident.value), () -> release(key, resident));
      }
    }
  }

  /** The number of copies that are loaded. */
  public int size() {
    return residents.size();
  }

  private void load(Key key, Resident resident, IndexRef ref, Device device, Loader<?> loader) {
    try (IndexFile file = IndexRefs.open(ref)) {
      resident.value = loader.load(file, device);
    } finally {
      if (resident.value == null) {
        forget(key, resident);
      }
    }
  }

  private void release(Key key, Resident resident) {
    synchronized (resident) {
      resident.leases--;
      if (resident.leases > 0) {
        return;
      }
      forget(key, resident);
      closeValue(resident.value);
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
