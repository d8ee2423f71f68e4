package io.latimer.operators.smt;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.ReadBackRing;
import io.latimer.operators.device.ReadBackRing.Part;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.lm.GpuLanguageModel;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Searches on the GPU that has the language model: uploads the choices, runs all steps of all
 * sentences in one call, and downloads the partial translations that lead to complete ones.
 * Sentences that do not fit, because they are very long and the stacks very large, are left to
 * another searcher.
 */
final class SearchLatticesGpu implements SearchLattices {
  private static final String OWNER = "smt";

  /** Maximum memory for the sentences that are searched at the same time. */
  private static final long SCRATCH_BYTES = 4L << 30;

  /** Maximum memory for the results of the sentences of a call. */
  private static final long RESULT_BYTES = 512L << 20;

  /** Maximum phrases of the sentences of a call, and maximum sentences. */
  private static final long MOST_PHRASES = 1 << 24;

  private static final int MOST_SENTENCES = 1 << 16;

  /** Sentences that a thread looks at at a time. */
  private static final int SHARE = 64;

  private static final int SLOTS = 4;
  private static final int SLOT = 2 << 20;
  private static final int CHUNK = 1 << 18;

  private final GpuLanguageModel lm;
  private final SearchOptions options;
  private final Team team;
  private final SearchLattices other;
  private final Closer closer = new Closer();
  private final UploadRing upload;
  private final ReadBackRing readBack;
  private final Stream stream;
  private final Arena choices;
  private final Arena part;
  private Arena scratch;
  private final Map<GpuSearchField, Long> fields = new EnumMap<>(GpuSearchField.class);

  /**
   * Makes a searcher.
   *
   * @param lm a model that {@link #canSearch}; must stay open, and is not closed with this object
   * @param team prepares and reads; not closed with this object
   * @param other searches sentences that do not fit; closed with this object
   * @throws io.latimer.operators.OperatorException if the device is unusable, or out of memory
   */
  SearchLatticesGpu(GpuLanguageModel lm, SearchOptions options, Team team, SearchLattices other) {
    this.lm = lm;
    this.options = options;
    this.team = team;
    this.other = closer.add(other);
    Gpu gpu = lm.gpu();
    try {
      this.readBack = closer.add(new ReadBackRing(gpu, OWNER, team, SLOTS, SLOT));
      this.upload = closer.add(new UploadRing(gpu, OWNER, team, SLOTS, SLOT, CHUNK));
      this.stream = upload.stream();
      this.choices = closer.add(new Arena(gpu, OWNER));
      this.part = closer.add(new Arena(gpu, OWNER));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
    this.scratch = new Arena(gpu, OWNER);
    setOptions();
  }

  /** Whether sentences can be searched with a model: one in layout hash. */
  static boolean canSearch(GpuLanguageModel lm) {
    return lm.model().layout() == LmLayout.HASH;
  }

  private void setOptions() {
    LanguageModel model = lm.model();
    fields.put(GpuSearchField.UNIGRAMS, lm.words().address());
    fields.put(GpuSearchField.LM_WORDS, (long) model.vocabulary().size());
    fields.put(GpuSearchField.TABLE, lm.ngrams().address());
    fields.put(GpuSearchField.BUCKETS, (long) model.buckets());
    fields.put(GpuSearchField.ORDER, (long) model.order());
    fields.put(GpuSearchField.BEGIN, (long) model.beginSentence());
    fields.put(GpuSearchField.END, (long) model.endSentence());
    fields.put(GpuSearchField.STACK, (long) options.stack());
    fields.put(GpuSearchField.CANDIDATES, (long) options.candidates());
    fields.put(GpuSearchField.DISTORTION, (long) options.distortion());
    fields.put(GpuSearchField.ALTERNATIVES, options.nBest() > 1 ? 1L : 0L);
  }

  private long[] structure() {
    return Arrays.stream(GpuSearchField.values())
        .mapToLong(field -> fields.getOrDefault(field, 0L))
        .toArray();
  }

  @Override
  public long search(Lattices lattices, FeatureWeights weights, List<List<Derivation>> best) {
    fields.put(GpuSearchField.LM_WEIGHT, bits(weights, Feature.LANGUAGE_MODEL));
    fields.put(GpuSearchField.DISTORTION_WEIGHT, bits(weights, Feature.DISTORTION));
    List<Choice[][][]> sentences = lattices.sentences();
    if (sentences.isEmpty()) {
      return 0;
    }
    try {
      try {
        upload(lattices.choices());
      } catch (DeviceMemoryException e) {
        stream.synchronize();
        return other.search(lattices, weights, best);
      }
      int[] order = longestFirst(sentences);
      int[] longest = new int[order.length];
      team.forEach(
          order.length, SHARE, i -> longest[i] = LatticeArrays.longest(sentences.get(order[i])));
      List<Integer> without = new ArrayList<>();
      for (int from = 0, to; from < order.length; from = to) {
        Plan plan = plan(order, from, sentences, longest);
        int[] numbers = Arrays.copyOfRange(order, from, plan.to);
        int searched =
            plan.atATime == 0 ? 0 : searchFitting(numbers, plan, lattices, weights, best);
        if (searched == 0) {
          without.add(order[from]);
        }
        to = from + Math.max(1, searched);
      }
      return without.isEmpty() ? 0 : searchElsewhere(without, lattices, weights, best);
    } catch (RuntimeException | Error e) {
      // queued work still uses the memory that another batch would overwrite
      Closer.runAfter(e, stream::synchronize);
      throw e;
    }
  }

  /** The sentences with the most words first: those that start last should end soon. */
  private static int[] longestFirst(List<Choice[][][]> sentences) {
    long[] keys = new long[sentences.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = (long) -sentences.get(i).length << 32 | i;
    }
    Arrays.sort(keys);
    return Arrays.stream(keys).mapToInt(key -> (int) key).toArray();
  }

  private static long bits(FeatureWeights weights, Feature feature) {
    return Double.doubleToRawLongBits(weights.of(feature));
  }

  private void upload(Choice[] all) {
    ChoiceArrays arrays = new ChoiceArrays(all, team);
    choices.reset();
    fields.put(GpuSearchField.CHOICES, (long) all.length);
    fields.put(GpuSearchField.FIXED, upload(choices, arrays.fixed));
    fields.put(GpuSearchField.EXPECTED, upload(choices, arrays.expected));
    fields.put(GpuSearchField.WORD_STARTS, upload(choices, arrays.wordStarts));
    fields.put(GpuSearchField.WORDS, upload(choices, arrays.words));
  }

  private long upload(Arena to, int[] numbers) {
    DeviceBuffer there = to.allocate((long) Integer.BYTES * numbers.length);
    upload.upload(IntBuffer.wrap(numbers), there);
    return there.address();
  }

  private long upload(Arena to, double[] numbers) {
    DeviceBuffer there = to.allocate((long) Double.BYTES * numbers.length);
    upload.upload(
        there.bytes(),
        there,
        (at, slot) ->
            slot.asDoubleBuffer()
                .put(numbers, (int) (at / Double.BYTES), slot.remaining() / Double.BYTES),
        i -> {});
    return there.address();
  }

  private long upload(Arena to, long[] numbers) {
    DeviceBuffer there = to.allocate((long) Long.BYTES * numbers.length);
    upload.upload(
        there.bytes(),
        there,
        (at, slot) ->
            slot.asLongBuffer()
                .put(numbers, (int) (at / Long.BYTES), slot.remaining() / Long.BYTES),
        i -> {});
    return there.address();
  }

  /**
   * The sentences of a call.
   *
   * @param to the end of the sentences, in their order
   * @param atATime how many are searched at the same time; 0 if the first has no room
   * @param bytes of scratch memory for each of these
   * @param partials results that each may have
   */
  private record Plan(int to, long atATime, long bytes, long partials) {}

  /**
   * Plans a call for sentences from one on.
   *
   * @param longestOf of each sentence in its order, the words of its longest phrase
   */
  private Plan plan(int[] order, int from, List<Choice[][][]> sentences, int[] longestOf) {
    int words = sentences.get(order[from]).length;
    int most = Math.min(order.length, from + MOST_SENTENCES);
    int longest = 1;
    int end = from;
    for (long phrases = 0; end < most; end++) {
      int of = longestOf[end];
      phrases += (long) sentences.get(order[end]).length * of;
      if (end > from && phrases > MOST_PHRASES) {
        break;
      }
      longest = Math.max(longest, of);
    }
    fields.put(GpuSearchField.MOST_WORDS, (long) words);
    fields.put(GpuSearchField.MOST_LONGEST, (long) longest);
    long[] partials = new long[1];
    long[] bytes = new long[1];
    long[] atATime = new long[1];
    lm.gpu().call(OWNER, "lat_smt_workspace", structure(), partials, bytes, atATime);
    long results = RESULT_BYTES / FoundPartials.PARTIAL_BYTES / partials[0];
    if (bytes[0] > SCRATCH_BYTES || results == 0) {
      return new Plan(from + 1, 0, 0, 0);
    }
    end = (int) Math.min(end, from + results);
    long wanted = Math.min(atATime[0], end - from);
    long able = Math.min(wanted, SCRATCH_BYTES / bytes[0]);
    if (able < wanted) { // of shorter ones, more fit at a time, in a call of their own
      while (sentences.get(order[end - 1]).length < (words + 1) / 2) {
        end--;
      }
    }
    return new Plan(end, Math.min(able, end - from), bytes[0], partials[0]);
  }

  /**
   * Searches as many of the first sentences as fit in memory.
   *
   * @return how many these are; 0 if not even the first fits
   */
  private int searchFitting(
      int[] numbers,
      Plan plan,
      Lattices lattices,
      FeatureWeights weights,
      List<List<Derivation>> best) {
    for (int size = numbers.length; size > 0; size /= 2) {
      try {
        search(Arrays.copyOf(numbers, size), plan, lattices, weights, best);
        return size;
      } catch (DeviceMemoryException e) {
        stream.synchronize(); // before the memory of the upload is reused
      }
    }
    return 0;
  }

  private void search(
      int[] numbers,
      Plan plan,
      Lattices lattices,
      FeatureWeights weights,
      List<List<Derivation>> best) {
    List<Choice[][][]> sentences =
        Arrays.stream(numbers).mapToObj(i -> lattices.sentences().get(i)).toList();
    LatticeArrays arrays = new LatticeArrays(sentences, team);
    part.reset();
    fields.put(GpuSearchField.PHRASES, upload(part, arrays.phrases));
    fields.put(GpuSearchField.SENTENCE_SHAPES, upload(part, arrays.sentences));
    fields.put(GpuSearchField.SENTENCES, (long) numbers.length);
    fields.put(GpuSearchField.MOST_LONGEST, (long) arrays.longest);
    int foundInts = FoundPartials.FOUND * numbers.length;
    DeviceBuffer found = part.allocate((long) Integer.BYTES * foundInts);
    long most = plan.partials * numbers.length;
    DeviceBuffer partials = part.allocate(FoundPartials.PARTIAL_BYTES * most);
    DeviceBuffer report = part.allocate(2L * Long.BYTES);
    fields.put(GpuSearchField.FOUND, found.address());
    fields.put(GpuSearchField.FOUND_PARTIALS, partials.address());
    fields.put(GpuSearchField.PARTIALS, most);
    fields.put(GpuSearchField.REPORT, report.address());
    DeviceBuffer room = scratch(plan.bytes, Math.min(plan.atATime, numbers.length));
    stream.call("lat_smt_search", structure(), room.address(), room.bytes());
    int[] foundNumbers = new int[foundInts];
    long[] counts = new long[2];
    readBack.read(stream, List.of(Part.of(found, foundNumbers), Part.of(report, counts)));
    ByteBuffer read =
        ByteBuffer.allocate(Math.toIntExact(FoundPartials.PARTIAL_BYTES * counts[1]))
            .order(ByteOrder.LITTLE_ENDIAN);
    readBack.read(
        stream,
        List.of(
            new Part(
                partials,
                read.capacity(),
                (at, slot) -> read.duplicate().position((int) at).put(slot))));
    FoundPartials results = new FoundPartials(foundNumbers, read, lattices.choices());
    team.forEach(
        numbers.length, 1, i -> best.set(numbers[i], results.best(i, weights, options.nBest())));
  }

  /** Scratch memory for as many sentences at a time as there is room for. */
  private DeviceBuffer scratch(long bytes, long atATime) {
    scratch.reset();
    if (scratch.capacity() < bytes * atATime) {
      // one block; smaller ones are not kept beside it
      scratch.close();
      scratch = new Arena(lm.gpu(), OWNER);
    }
    for (long sentences = atATime; ; sentences /= 2) {
      try {
        return scratch.allocate(bytes * sentences);
      } catch (DeviceMemoryException e) {
        if (sentences == 1) {
          throw e;
        }
      }
    }
  }

  private long searchElsewhere(
      List<Integer> numbers,
      Lattices lattices,
      FeatureWeights weights,
      List<List<Derivation>> best) {
    List<List<Derivation>> found = new ArrayList<>(numbers.stream().map(best::get).toList());
    List<Choice[][][]> sentences = numbers.stream().map(lattices.sentences()::get).toList();
    long waited = other.search(new Lattices(sentences, lattices.choices()), weights, found);
    for (int i = 0; i < found.size(); i++) {
      best.set(numbers.get(i), found.get(i));
    }
    return waited;
  }

  @Override
  public void close() {
    try {
      closer.close();
    } finally {
      scratch.close();
    }
  }
}
