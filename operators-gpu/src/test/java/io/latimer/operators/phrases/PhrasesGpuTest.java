package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.testing.TestGpu;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The operator on a GPU keeps to the contract, and gives what the CPU gives; skipped without. */
class PhrasesGpuTest extends PhrasesContractTest {
  private static final int ROUNDS = 20;

  /** So many that the samples of a phrase in all of them take more memory than one kernel has. */
  private static final int MANY_LINES = 80_000;

  /** Results of one of the contract's records fit, those of a batch do not. */
  private static final long LITTLE = 32 << 10;

  private static final long SCRATCH = 256 << 20;

  @RegisterExtension final TestGpu gpu = new TestGpu();

  @TempDir private Path folder;

  @Override
  Device device() {
    return gpu.device();
  }

  @Override
  Phrases openWithLittleMemory(Path file, PhraseOptions options) {
    return Phrases.opener(
            options,
            index -> new ExtractPhrasesGpu(index, LITTLE, SCRATCH, false),
            LearnedPairs.none())
        .open(file, gpu.device());
  }

  /** Random texts: an index of the first part, and the rest as learned pairs. */
  @Test
  void givesWhatTheCpuGivesWithLearnedPairs() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(500 + round);
      ParallelText text = ParallelText.random(random, 2 + random.nextInt(25), 5, 9);
      int size = text.pairs().size();
      int base = 1 + random.nextInt(size - 1);
      Path file = text.part(0, base).index(folder, "base.lpx");
      LearnedPairs learned = text.part(base, size).learned(random.nextInt(1000));
      SentenceWords[] sentences =
          text.pairs().stream()
              .map(pair -> new SentenceWords(String.join(" ", pair.source())))
              .toArray(SentenceWords[]::new);
      try (IndexFile opened = IndexFile.open(file);
          PhraseIndex index = PhraseIndex.open(opened);
          GpuPhraseIndex resident = new GpuPhraseIndex(index, gpu.device());
          GpuPhraseIndex taught = resident.with(learned);
          ExtractPhrases onGpu = new ExtractPhrasesGpu(taught, Phrases.GPU_BYTES, false);
          ExtractPhrases untaught = new ExtractPhrasesGpu(resident, Phrases.GPU_BYTES, false);
          ExtractPhrases onCpu = new ExtractPhrasesCpu(index.with(learned), 1);
          ExtractPhrases baseOnCpu = new ExtractPhrasesCpu(index, 1)) {
        for (PhraseOptions options :
            List.of(
                PhraseOptions.DEFAULT,
                new PhraseOptions(0, 0, 0, true),
                new PhraseOptions(3, 4, 3, true),
                new PhraseOptions(7, 2, 1, false))) {
          SameExtractions.require(
              onCpu.extract(sentences, options), onGpu.extract(sentences, options));
          SameExtractions.require(
              baseOnCpu.extract(sentences, options), untaught.extract(sentences, options));
        }
      }
    }
  }

  @Test
  void givesWhatTheCpuGives() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(400 + round);
      ParallelText text = ParallelText.random(random);
      Path file = folder.resolve("gpu.lpx");
      text.part(0, 1 + random.nextInt(text.pairs().size())).index(folder, "gpu.lpx");
      text.append(folder, file);
      SentenceWords[] sentences =
          text.pairs().stream()
              .map(pair -> new SentenceWords(String.join(" ", pair.source())))
              .toArray(SentenceWords[]::new);
      try (IndexFile opened = IndexFile.open(file);
          PhraseIndex index = PhraseIndex.open(opened);
          GpuPhraseIndex resident = new GpuPhraseIndex(index, gpu.device());
          ExtractPhrases onGpu = new ExtractPhrasesGpu(resident, Phrases.GPU_BYTES, false);
          ExtractPhrases onCpu = new ExtractPhrasesCpu(index, 1)) {
        for (PhraseOptions options :
            List.of(
                PhraseOptions.DEFAULT,
                new PhraseOptions(0, 0, 0, false),
                new PhraseOptions(0, 0, 0, true),
                new PhraseOptions(3, 4, 3, true),
                new PhraseOptions(7, 2, 1, false))) {
          SameExtractions.require(
              onCpu.extract(sentences, options), onGpu.extract(sentences, options));
        }
      }
    }
  }

  /** All steps of a small batch are one kernel, unless their memory does not suffice. */
  @Test
  void aSmallBatchWithManySamplesGivesWhatTheCpuGives() {
    String[] lines = new String[MANY_LINES];
    Arrays.fill(lines, "s0 s1 s0 ||| t0 t1 t0 ||| 0-0 1-1 2-2");
    Path file = ParallelText.of(lines).index(folder, "many.lpx");
    SentenceWords[] sentences = {new SentenceWords("s0"), new SentenceWords("s1 s0")};
    PhraseOptions options = new PhraseOptions(Integer.MAX_VALUE, 2, 2, false);
    try (IndexFile opened = IndexFile.open(file);
        PhraseIndex index = PhraseIndex.open(opened);
        GpuPhraseIndex resident = new GpuPhraseIndex(index, gpu.device());
        ExtractPhrases onGpu = new ExtractPhrasesGpu(resident, Phrases.GPU_BYTES, false);
        ExtractPhrases onCpu = new ExtractPhrasesCpu(index, 1)) {
      ExtractedPhrases expected = onCpu.extract(sentences, options);
      assertThat(expected.phrases.samples()).contains(2 * MANY_LINES);
      SameExtractions.require(expected, onGpu.extract(sentences, options));
      assertThat(onGpu.extract(new SentenceWords[0], options).phrases.words()).isEmpty();
    }
  }

  @Test
  void aRepeatedSentenceHasTheSamePhrasesIfTheyAreExtractedAgain() {
    PhraseOptions options = new PhraseOptions(3, 4, 5, false);
    SentenceWords sentence = new SentenceWords(record(1));
    SentenceWords[] sentences = {sentence, new SentenceWords(""), sentence};
    try (IndexFile opened = IndexFile.open(index());
        PhraseIndex index = PhraseIndex.open(opened);
        GpuPhraseIndex resident = new GpuPhraseIndex(index, gpu.device());
        ExtractPhrases again = new ExtractPhrasesGpu(resident, SCRATCH, SCRATCH, true);
        ExtractPhrases once = new ExtractPhrasesCpu(index, 1)) {
      ExtractedPhrases expected = once.extract(sentences, options);
      ExtractedPhrases found = again.extract(sentences, options);
      assertThat(found.phrases.words()).hasSize(2 * expected.phrases.words().length);
      for (int i = 0; i < sentences.length; i++) {
        assertSameOutput(
            new PhraseTable(found, 0, 0), new PhraseTable(found, 2, 0), sentence.text());
        assertThat(new PhraseTable(found, i, 0).phrases())
            .hasSameSizeAs(new PhraseTable(expected, i, 0).phrases());
      }
    }
  }

  @Test
  void aSentenceWhoseResultsDoNotFitFailsAlone() {
    PhraseOptions options = new PhraseOptions(0, 4, 5, true);
    try (Phrases phrases = openWithLittleMemory(index(), options)) {
      List<Result<PhraseTable>> results =
          phrases.apply(List.of(record(0), "s0 ".repeat(PhraseIndex.MAX_SENTENCE_WORDS), "s1"));
      assertThat(results.get(0).orElseThrow().phrases()).isNotEmpty();
      assertThat(results.get(1)).isInstanceOf(Result.Failure.class);
      assertThat(results.get(2).orElseThrow()).isNotNull();
      try {
        results.get(1).orElseThrow();
      } catch (RecordException e) {
        assertThat(e).hasMessageContaining("do not fit into memory");
      }
    }
  }
}
