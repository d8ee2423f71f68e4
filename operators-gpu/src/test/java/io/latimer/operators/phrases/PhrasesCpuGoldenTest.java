package io.latimer.operators.phrases;

import io.latimer.operators.device.Device;
import io.latimer.operators.phrases.index.LearnedPairs;
import java.nio.file.Path;

/** The golden files on the CPU. */
class PhrasesCpuGoldenTest extends PhrasesGoldenTest {
  @Override
  Phrases open(Path file, PhraseOptions options, LearnedPairs learned) {
    return Phrases.opener(options, Phrases.GPU_BYTES, learned).open(file, Device.CPU);
  }
}
