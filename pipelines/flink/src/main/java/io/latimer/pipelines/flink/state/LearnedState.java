package io.latimer.pipelines.flink.state;

import io.latimer.operators.RecordException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.record.Corrections;
import io.latimer.pipelines.record.Taught;
import io.latimer.schemas.Correction;
import io.latimer.schemas.LearnedBlock;
import io.latimer.schemas.PairTexts;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The pairs and terms that the stages of a group have learned, in the state of their gatherer: a
 * block of pairs for each append command. Blocks are encoded, because Flink copies the state at
 * each checkpoint. Changed in the task's thread, read in any.
 *
 * <p>A command retires pairs that later versions do not need at once in all subtasks, but they stay
 * in the state for batches in flight: a checkpoint may contain a batch that another subtask stamped
 * before it executed the command. They are dropped when a checkpoint completes that began after the
 * command.
 */
public final class LearnedState {
  private static final MapStateDescriptor<String, byte[]> STATE =
      new MapStateDescriptor<>(
          "learned", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private static final PairTexts NO_TEXTS = new PairTexts("", "");

  private final BroadcastState<String, byte[]> blocks;
  private final Map<String, IndexRef> indexes;
  private final RecordCodec<LearnedBlock> codec = RecordCodec.of(LearnedBlock.class);
  private final Map<String, LearnedPairs> pairs = new ConcurrentHashMap<>();

  /** Numbers of the first pairs that are not retired, by index name. */
  private final Map<String, Long> first = new ConcurrentHashMap<>();

  /**
   * Retired pairs that are still to be dropped, oldest first. Those retired before a restore are
   * dropped with the next ones, because restored batches may need them.
   */
  private final List<Retired> retired = new ArrayList<>();

  /** Retired pairs: all of an index below a number. */
  private static final class Retired {
    private final String index;
    private final long number;

    /** The first checkpoint that began after they were retired. */
    private long checkpoint = Long.MAX_VALUE;

    Retired(String index, long number) {
      this.index = index;
      this.number = number;
    }
  }

  private LearnedState(BroadcastState<String, byte[]> blocks, Map<String, IndexRef> indexes) {
    this.blocks = blocks;
    this.indexes = indexes;
  }

  /**
   * Restores the learned pairs.
   *
   * @param indexes those of the group's stages, by name; the pairs of others are forgotten
   * @throws UnrecoverableException if blocks are missing
   */
  public static LearnedState restore(OperatorStateStore store, Map<String, IndexRef> indexes)
      throws Exception {
    LearnedState state = new LearnedState(store.getBroadcastState(STATE), Map.copyOf(indexes));
    List<LearnedBlock> found = new ArrayList<>();
    for (Iterator<Map.Entry<String, byte[]>> all = state.blocks.iterator(); all.hasNext(); ) {
      LearnedBlock block = state.decode(all.next().getValue());
      if (!indexes.containsKey(block.getStage())) {
        all.remove();
      } else if (block.getPairs().isEmpty()) {
        state.first.put(block.getStage(), block.getFirst());
      } else {
        found.add(block);
      }
    }
    found.sort(Comparator.comparingLong(LearnedBlock::getFirst));
    for (LearnedBlock block : found) {
      state.add(block);
    }
    return state;
  }

  private LearnedBlock decode(byte[] block) {
    try {
      return codec.decode(block);
    } catch (RecordFormatException e) {
      throw new UnrecoverableException(
          "the job's state has learned pairs or terms that cannot be read: " + e.getMessage(), e);
    }
  }

  private void add(LearnedBlock block) {
    String index = block.getStage();
    LearnedPairs before = pairs.getOrDefault(index, LearnedPairs.none(block.getFirst()));
    if (before.to() != block.getFirst()) {
      throw new UnrecoverableException(
          "stage "
              + index
              + ": the job's state lacks the learned "
              + learned(index)
              + " from "
              + before.to()
              + " to "
              + block.getFirst()
              + "; restore another checkpoint or savepoint");
    }
    List<LearnedPair> more = new ArrayList<>();
    try {
      for (int i = 0; i < block.getPairs().size(); i++) {
        LearnedPair words = Corrections.pair(block.getPairs().get(i));
        // a block has no texts, or one of each pair
        PairTexts texts = i < block.getTexts().size() ? block.getTexts().get(i) : NO_TEXTS;
        more.add(words.withTexts(texts.getSource(), texts.getTarget()));
      }
    } catch (RecordException e) {
      throw new UnrecoverableException(
          "stage "
              + index
              + ": one of the learned "
              + learned(index)
              + " in the job's state is bad: "
              + e.getMessage(),
          e);
    }
    pairs.put(index, before.with(more));
  }

  private String learned(String index) {
    return Taught.beside(indexes.get(index).kind()).plural();
  }

  /** All pairs of an index in the state, which batches in flight may be stamped with. */
  public LearnedPairs of(String index) {
    return pairs.getOrDefault(index, LearnedPairs.none());
  }

  /** The pairs of an index that later versions may use; the same in all subtasks. */
  public LearnedPairs usable(String index) {
    LearnedPairs known = of(index);
    long start = Math.max(known.from(), first.getOrDefault(index, 0L));
    return known.startingAt(Math.min(start, known.to()));
  }

  /**
   * The pairs that a restored stage uses beside an index.
   *
   * @param from number of the first
   * @param to number of the last, plus 1
   * @throws UnrecoverableException if some are missing
   */
  public LearnedPairs used(String index, long from, long to) {
    LearnedPairs known = of(index);
    if (known.isEmpty() && from == to) {
      known = LearnedPairs.none(to); // all of them are in the index
      pairs.put(index, known);
    }
    if (from < known.from() || to > known.to()) {
      throw new UnrecoverableException(
          "stage "
              + index
              + ": the job's state lacks learned "
              + learned(index)
              + ": expected those from "
              + from
              + " to "
              + to
              + ", found "
              + known.from()
              + " to "
              + known.to()
              + "; restore another checkpoint or savepoint");
    }
    return known.startingAt(from).endingAt(to);
  }

  /** Adds pairs that a stage has learned beside an index. */
  public void append(String index, List<LearnedPair> more) {
    LearnedPairs before = of(index);
    List<Correction> records = more.stream().map(Corrections::record).toList();
    byte[] block = codec.encode(new LearnedBlock(index, before.to(), records, texts(more)));
    try {
      blocks.put(key(index, before.to()), block);
    } catch (Exception e) { // Flink declares it
      throw new IllegalStateException(e);
    }
    pairs.put(index, before.with(more));
  }

  private static List<PairTexts> texts(List<LearnedPair> pairs) {
    return pairs.stream().allMatch(pair -> pair.taught().isEmpty())
        ? List.of()
        : pairs.stream().map(pair -> new PairTexts(pair.rawSource(), pair.rawTarget())).toList();
  }

  /**
   * Retires the pairs of an index below a number; later versions do not use them.
   *
   * @param number at most that of the next pair
   */
  public void retire(String index, long number) {
    if (number <= usable(index).from()) {
      return;
    }
    try {
      blocks.put(
          index + "/first", codec.encode(new LearnedBlock(index, number, List.of(), List.of())));
    } catch (Exception e) { // Flink declares it
      throw new IllegalStateException(e);
    }
    first.put(index, number);
    retired.add(new Retired(index, number));
  }

  /** Records that a checkpoint contains the current state. */
  public void saved(long checkpoint) {
    retired.forEach(one -> one.checkpoint = Math.min(one.checkpoint, checkpoint));
  }

  /** Drops pairs that were retired before a checkpoint, which is now complete. */
  public void completed(long checkpoint) {
    retired.stream()
        .filter(one -> one.checkpoint <= checkpoint)
        .forEach(one -> drop(one.index, one.number));
    retired.removeIf(one -> one.checkpoint <= checkpoint);
  }

  /** Removes the blocks of an index whose pairs are all below a number. */
  private void drop(String index, long number) {
    LearnedPairs known = of(index);
    if (number <= known.from()) {
      return;
    }
    long start = known.from();
    try {
      while (start < number) {
        long end = start + decode(blocks.get(key(index, start))).getPairs().size();
        if (end > number) {
          break;
        }
        blocks.remove(key(index, start));
        start = end;
      }
    } catch (Exception e) { // Flink declares it
      throw new IllegalStateException(e);
    }
    pairs.put(index, known.startingAt(start));
  }

  private static String key(String index, long first) {
    return index + "/" + first;
  }
}
