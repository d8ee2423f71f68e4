package io.latimer.operators.phrases;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.testing.TestGpu;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The golden files on a GPU, and whole test sets on it and the CPU; skipped without a GPU. */
class PhrasesGpuGoldenTest extends PhrasesGoldenTest {
  @RegisterExtension final TestGpu gpu = new TestGpu();

  @TempDir private Path temporary;

  @Override
  Phrases open(Path file, PhraseOptions options, LearnedPairs learned) {
    return Phrases.opener(options, Phrases.GPU_BYTES, learned).open(file, gpu.device());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "multi30k, train.lc.norm.tok.en, train.lc.norm.tok.de, train.en-de,"
        + " test_2016_flickr.lc.norm.tok.en",
    "tatoeba-en-de, train.lc.tok.en, train.lc.tok.de, train.en-de, test.lc.tok.en",
    "pydocs-en-es, train.lc.tok.en, train.lc.tok.es, train.en-es, test.lc.tok.en"
  })
  void givesWhatTheCpuGives(
      String data, String source, String target, String alignment, String test) throws IOException {
    Path text = SharedData.require("data/" + data);
    Path made = temporary.resolve(data + ".lpx");
    PhraseIndexBuilder.index(
        new PhraseTextFiles(
            text.resolve("tok/" + source + ".gz"),
            text.resolve("tok/" + target + ".gz"),
            text.resolve("align/" + alignment + ".gdfa.gz")),
        false,
        made,
        "",
        BuildProgress.NONE);
    SentenceWords[] sentences = sentences(text.resolve("tok/" + test + ".gz"));
    try (IndexFile file = IndexFile.open(made);
        PhraseIndex index = PhraseIndex.open(file);
        GpuPhraseIndex resident = new GpuPhraseIndex(index, gpu.device());
        ExtractPhrases onGpu = new ExtractPhrasesGpu(resident, Phrases.GPU_BYTES, false);
        ExtractPhrases onCpu = new ExtractPhrasesCpu(index, Team.defaultThreads())) {
      for (PhraseOptions options :
          new PhraseOptions[] {PhraseOptions.DEFAULT, new PhraseOptions(0, 5, 15, false)}) {
        SameExtractions.require(
            onCpu.extract(sentences, options), onGpu.extract(sentences, options));
      }
    }
  }

  private static SentenceWords[] sentences(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(SentenceWords::new)
          .toArray(SentenceWords[]::new);
    }
  }
}
