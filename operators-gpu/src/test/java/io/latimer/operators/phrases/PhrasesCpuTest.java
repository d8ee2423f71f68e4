package io.latimer.operators.phrases;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Team;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The operator on the CPU keeps to the contract, on any number of threads. */
class PhrasesCpuTest extends PhrasesContractTest {
  @Override
  Device device() {
    return Device.CPU;
  }

  @Override
  Phrases openWithLittleMemory(Path file, PhraseOptions options) {
    IndexFile opened = IndexFile.open(file);
    PhraseIndex phrases = PhraseIndex.open(opened);
    return new Phrases(
        new FewAtOnce(new ExtractPhrasesCpu(phrases, 1)), options, Lease.unshared(opened));
  }

  /** Has memory for a few sentences only. */
  private record FewAtOnce(ExtractPhrases all) implements ExtractPhrases {
    private static final int MOST = 3;

    @Override
    public PhraseIndex index() {
      return all.index();
    }

    @Override
    public Team team() {
      return all.team();
    }

    @Override
    public ExtractedPhrases extract(SentenceWords[] sentences, PhraseOptions options) {
      if (sentences.length > MOST) {
        throw new OutOfMemoryError("room for " + MOST + " sentences");
      }
      return all.extract(sentences, options);
    }

    @Override
    public void close() {
      all.close();
    }
  }

  @Test
  void anyNumberOfThreadsGivesTheSame() {
    SentenceWords[] sentences =
        IntStream.range(0, 200)
            .mapToObj(i -> new SentenceWords(record(i)))
            .toArray(SentenceWords[]::new);
    PhraseOptions options = new PhraseOptions(0, 0, 0, false);
    try (IndexFile file = IndexFile.open(index());
        PhraseIndex phrases = PhraseIndex.open(file);
        ExtractPhrases one = new ExtractPhrasesCpu(phrases, 1);
        ExtractPhrases three = new ExtractPhrasesCpu(phrases, 3)) {
      ExtractedPhrases expected = one.extract(sentences, options);
      ExtractedPhrases found = three.extract(sentences, options);
      for (int i = 0; i < sentences.length; i++) {
        assertSameOutput(
            new PhraseTable(expected, i, 0), new PhraseTable(found, i, 0), sentences[i].text());
      }
    }
  }
}
