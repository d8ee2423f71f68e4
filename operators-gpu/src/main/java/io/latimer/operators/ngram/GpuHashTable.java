package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.Event;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The hash table of strategy hash. It grows with its n-grams; if the device has no memory for a
 * larger table, the table is read back to the host and starts again empty.
 */
final class GpuHashTable implements GpuAccumulator {
  private static final String OWNER = "ngrams hash";
  private static final long FREE = -1;
  private static final long SMALLEST = 1 << 20;
  private static final long FACTOR_1 = 0x9e3779b97f4a7c15L;
  private static final long FACTOR_2 = 0xd6e8feb86659fd93L;
  private static final long BACK_1 = inverse(FACTOR_1);
  private static final long BACK_2 = inverse(FACTOR_2);

  /** A table stops growing for n-grams whose slots cluster: a text may be crafted to do that. */
  private static final int MOST_GROWTH = 16;

  /** Texts queued before the device is awaited. */
  private static final int MOST_QUEUED = 255;

  private static final Progress NOTHING = new Progress(0, 0, 0, 0);

  private final GpuKernels kernels;
  private final GpuOut out;
  private final Arena work;
  private final long memory;
  private final NgramUnit unit;
  private final int order;
  private final Closer closer = new Closer();
  private final Arena fixed; // buffers that do not grow with the table
  private final DeviceBuffer progress;
  private final DeviceBuffer moved; // progress of a larger table while entries move there
  private final DeviceBuffer overflow;
  private final PinnedBuffer host;
  private final Event reported;
  private Arena arena;
  private DeviceBuffer table;
  private long capacity;
  private int idBits; // of the words in the table
  private NgramCounts merged;
  private final List<GpuKernels.Text> queued = new ArrayList<>(); // since the last settle
  private Progress counted = NOTHING; // when nothing is queued

  GpuHashTable(GpuKernels kernels, GpuOut out, Arena work, long memory, NgramUnit unit, int order) {
    this.kernels = kernels;
    this.out = out;
    this.work = work;
    this.memory = memory;
    this.unit = unit;
    this.order = order;
    try {
      this.host =
          closer.add(
              new PinnedBuffer(kernels.gpu(), "ngrams", (MOST_QUEUED + 1) * GpuKernels.REPORT));
      this.reported = closer.add(new Event(kernels.gpu(), "ngrams"));
      long overflowBytes = kernels.overflowEntries() * GpuKernels.ENTRY;
      this.fixed =
          closer.add(
              Arena.exactWithin(
                  kernels.gpu(),
                  OWNER,
                  memory,
                  GpuKernels.PROGRESS,
                  GpuKernels.PROGRESS,
                  overflowBytes));
      this.progress = fixed.allocate(GpuKernels.PROGRESS);
      this.moved = fixed.allocate(GpuKernels.PROGRESS);
      this.overflow = fixed.allocate(overflowBytes);
      this.capacity = SMALLEST;
      this.arena = arenaFor(capacity);
      closer.add(() -> arena.close()); // the one in use then
      this.table = arena.allocate(capacity * GpuKernels.ENTRY);
      clear();
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Device memory for the table: exactly its entries, within what the other buffers leave of the
   * limit.
   */
  private Arena arenaFor(long entries) {
    return Arena.exactWithin(
        kernels.gpu(), OWNER, memory - fixed.capacity(), entries * GpuKernels.ENTRY);
  }

  @Override
  public long bytes() {
    return fixed.capacity() + arena.capacity();
  }

  /** Bits per word in a key: the words of an n-gram share 64. */
  static int wordBits(int order) {
    return Math.min(Integer.SIZE, Long.SIZE / order);
  }

  @Override
  public NgramStrategy strategy() {
    return NgramStrategy.HASH;
  }

  @Override
  public void idBits(int bits) {
    idBits = Math.max(idBits, bits);
  }

  @Override
  public void add(GpuKernels.Text text, long windows) {
    if (queued.size() == MOST_QUEUED || reported.isReached()) {
      settle(); // without waiting, unless there are many: a full table grows soon
    }
    kernels.stream().fill(progress.slice(8, 8), 0);
    queued.add(text);
    count(text, queued.size());
  }

  /**
   * Queues the counting of a text from the progress' next tile on, and a report.
   *
   * @param report where it goes: 0 for a text alone, otherwise the text's number among those queued
   */
  private void count(GpuKernels.Text text, int report) {
    if (unit == NgramUnit.BYTES) {
      kernels.hash(text, order, table, capacity, progress, overflow);
    } else {
      kernels.wordsHash(text, order, wordBits(order), table, capacity, progress, overflow);
    }
    kernels.hashReport(progress, host, report);
    kernels.stream().record(reported);
  }

  /**
   * A table that is full at one text counts nothing of the texts after it, because it does not get
   * emptier: each of them is then counted from where its own report says.
   */
  @Override
  public void settle() {
    if (queued.isEmpty()) {
      return;
    }
    reported.await();
    List<GpuKernels.Text> texts = List.copyOf(queued);
    List<Progress> reports = IntStream.rangeClosed(1, texts.size()).mapToObj(this::report).toList();
    queued.clear();
    counted = reports.get(texts.size() - 1);
    for (int i = 0; i < texts.size(); i++) {
      boolean last = i == texts.size() - 1;
      if (!isCounted(texts.get(i), reports.get(i)) || (last && counted.overflow > 0)) {
        countAlone(texts.get(i), reports.get(i).next);
      }
    }
  }

  private boolean isCounted(GpuKernels.Text text, Progress then) {
    return then.next >= kernels.tiles(unit, text.units());
  }

  /** Counts a text from a tile on, with as much room as that takes. */
  private void countAlone(GpuKernels.Text text, long next) {
    host.bytes().putLong(0, next);
    kernels.stream().copyIn(host, 0, 8, progress.slice(8, 8));
    kernels.stream().synchronize();
    while (true) {
      count(text, 0);
      reported.await();
      counted = report(0);
      if (isCounted(text, counted) && counted.overflow == 0) {
        return;
      }
      makeRoom(counted);
    }
  }

  private record Progress(long used, long next, long overflow, long ones) {
    /** N-grams in the table. */
    long ngrams() {
      return used + (ones > 0 ? 1 : 0);
    }
  }

  private Progress report(int number) {
    ByteBuffer bytes = host.bytes().position(number * GpuKernels.REPORT);
    return new Progress(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  /** Makes a larger table, or reads this one back if memory or clustering prevents that. */
  private void makeRoom(Progress now) {
    long wanted = capacity * 4;
    long least = capacity * 2; // the smallest that holds every entry
    while (wanted <= capacity * MOST_GROWTH) {
      try {
        if (move(wanted, now)) {
          return;
        }
        wanted *= 2; // clustered entries: a larger table may have room
        least = wanted;
      } catch (DeviceMemoryException e) {
        if (wanted <= least) {
          break;
        }
        wanted = least;
      }
    }
    merged = NgramCounts.merge(merged, named(toHost(now)));
    kernels.hashClear(table, capacity, progress);
    continueFrom(now.next, 0);
  }

  /**
   * Moves all entries to a larger table; returns false, with nothing changed, if they do not fit
   * there.
   */
  private boolean move(long size, Progress now) {
    Arena to = arenaFor(size);
    try {
      DeviceBuffer larger = to.allocate(size * GpuKernels.ENTRY);
      kernels.hashClear(larger, size, moved);
      kernels.hashInsert(table, capacity, larger, size, moved);
      kernels.hashInsert(overflow, now.overflow, larger, size, moved);
      kernels.stream().copyOut(moved, 32, host, 0);
      kernels.stream().synchronize();
      if (host.bytes().getLong(16) != 0) { // entries that did not fit
        to.close();
        return false;
      }
      kernels.stream().copy(moved, progress, 32);
      continueFrom(now.next, now.ones);
      arena.close();
      arena = to;
      table = larger;
      capacity = size;
      return true;
    } catch (RuntimeException | Error e) {
      to.close();
      throw e;
    }
  }

  private void continueFrom(long next, long ones) {
    host.bytes().putLong(0, next).putLong(8, 0).putLong(16, ones);
    kernels.stream().copyIn(host, 0, 24, progress.slice(8, 24));
    kernels.stream().synchronize();
  }

  @Override
  public NgramCounts counts() {
    if (counted.ngrams() == 0) {
      return merged;
    }
    NgramCounts here;
    try {
      here =
          out.sortedOf(
              kernels,
              work,
              counted.ngrams(),
              keyBits(),
              to -> kernels.hashList(table, capacity, progress, to),
              this::named);
    } catch (DeviceMemoryException e) {
      here = named(toHost(counted)); // no device memory for listing and sorting
    }
    return NgramCounts.merge(merged, here);
  }

  /** Bits of a key in use: words take the same number each, however small their ids. */
  private int keyBits() {
    return unit == NgramUnit.BYTES
        ? 8 * order
        : wordBits(order) * (order - 1) + Math.min(idBits, wordBits(order));
  }

  /** Reads the table back entry by entry. */
  private LongTable toHost(Progress now) {
    LongTable here = new LongTable();
    out.inTurn(table, capacity * GpuKernels.ENTRY, (at, bytes) -> take(bytes, here));
    out.inTurn(overflow, now.overflow * GpuKernels.ENTRY, (at, bytes) -> take(bytes, here));
    if (now.ones > 0) {
      here.add(unmix(FREE), now.ones);
    }
    return here;
  }

  private static void take(ByteBuffer entries, LongTable to) {
    while (entries.hasRemaining()) {
      long mixed = entries.getLong();
      long count = entries.getLong();
      if (mixed != FREE) {
        to.add(unmix(mixed), count);
      }
    }
  }

  private NgramCounts named(LongTable table) {
    long[] keys = table.sortedKeys();
    return named(keys, table.counts(keys), NgramCounts.ALONE);
  }

  private NgramCounts named(long[] keys, long[] counts, Team team) {
    if (unit == NgramUnit.BYTES) {
      return NgramCounts.ofBytes(order, keys, counts, team);
    }
    int bits = wordBits(order);
    int[] words = new int[Math.multiplyExact(keys.length, order)];
    NgramCounts.forShares(
        keys.length,
        team,
        (from, to) -> {
          for (int i = from; i < to; i++) {
            for (int k = 0; k < order; k++) {
              long word = keys[i] >>> (bits * (order - 1 - k));
              words[i * order + k] = (int) (bits == 32 ? word : word & ((1L << bits) - 1));
            }
          }
        });
    return NgramCounts.ofWords(order, words, counts, team);
  }

  /** Inverts the kernels' mix64. */
  static long unmix(long mixed) {
    long x = mixed * BACK_2;
    x ^= x >>> 32;
    return x * BACK_1;
  }

  private static long inverse(long odd) {
    long x = odd;
    for (int i = 0; i < 5; i++) {
      x *= 2 - odd * x;
    }
    return x;
  }

  @Override
  public void clear() {
    idBits = 1;
    queued.clear(); // a failure may leave some whose text is gone
    counted = NOTHING;
    merged = NgramCounts.empty(unit, order);
    kernels.hashClear(table, capacity, progress);
  }

  @Override
  public void close() {
    closer.close();
  }
}
