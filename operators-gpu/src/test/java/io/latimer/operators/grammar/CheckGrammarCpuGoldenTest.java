package io.latimer.operators.grammar;

import io.latimer.operators.device.Device;
import java.nio.file.Path;

/** The golden files on the CPU. */
class CheckGrammarCpuGoldenTest extends CheckGrammarGoldenTest {
  @Override
  CheckGrammar open(Path file, GrammarOptions options) {
    return CheckGrammar.opener(options).open(file, Device.CPU);
  }
}
