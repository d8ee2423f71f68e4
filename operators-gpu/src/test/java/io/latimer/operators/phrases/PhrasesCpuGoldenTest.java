package io.latimer.operators.phrases;

import io.latimer.operators.device.Device;
import java.nio.file.Path;

/** The golden files on the CPU. */
class PhrasesCpuGoldenTest extends PhrasesGoldenTest {
  @Override
  Phrases open(Path file, PhraseOptions options) {
    return Phrases.opener(options).open(file, Device.CPU);
  }
}
