package io.latimer.operators.phrases;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
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
    return Phrases.opener(options).open(file, device());
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
            new PhraseTable(expected, i), new PhraseTable(found, i), sentences[i].text());
      }
    }
  }
}
