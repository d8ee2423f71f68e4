package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.MappedSection;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.Segment;
import io.latimer.operators.testing.ResidentMemoryContract;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A phrase index's device memory, by its sections and by its words. */
class GpuPhraseIndexMemoryTest extends ResidentMemoryContract {
  private static final int SENTENCES = 40_000;
  private static final int WORDS = 20;

  @TempDir Path folder;
  private IndexFile file;
  private PhraseIndex index;

  /** Sentences of equal length, linked word by word; low ids are frequent, as in real text. */
  private static ParallelText text() {
    Random random = new Random(16);
    List<ParallelText.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < SENTENCES; i++) {
      pairs.add(
          new ParallelText.Pair(
              words(random),
              words(random),
              IntStream.range(0, WORDS)
                  .mapToObj(place -> new ParallelText.Point(place, place))
                  .toList()));
    }
    return new ParallelText(pairs);
  }

  private static List<String> words(Random random) {
    return IntStream.range(0, WORDS)
        .mapToObj(place -> "w" + (int) Math.pow(2000, random.nextDouble()))
        .toList();
  }

  @Override
  protected AutoCloseable bring(Device device) {
    if (file == null) {
      file = IndexFile.open(text().index(folder, "index.lpx"));
      index = PhraseIndex.open(file);
    }
    return new GpuPhraseIndex(index, device);
  }

  @AfterEach
  void close() {
    if (file != null) {
      file.close();
    }
  }

  @Override
  protected long bytes(AutoCloseable resident) {
    long bytes = ((GpuPhraseIndex) resident).bytes();
    Segment segment = index.segments().get(0);
    assertThat(bytes).isLessThan(64L * segment.sourceLength() + 8L * segment.targetLength());
    return bytes;
  }

  @Override
  protected long expected(AutoCloseable resident) {
    return Stream.concat(
            index.segments().stream().flatMap(segment -> segment.sections().stream()),
            Stream.of(
                index.lexicon().table(),
                index.lexicon().sourceLinks(),
                index.lexicon().targetLinks()))
        .mapToLong(MappedSection::length)
        .sum();
  }
}
