package io.latimer.operators.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out whether this machine should multiply 8-bit integers, without asking what is tested. */
public final class Int8Cpu {
  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");

  private Int8Cpu() {}

  /** Skips the test on a machine other than Linux on x86-64 with VNNI. */
  public static void require() throws IOException {
    assumeTrue(
        System.getProperty("os.arch").equals("amd64")
            && Files.exists(PROCESSOR)
            && Files.readString(PROCESSOR).matches("(?s).*\\b(avx512_vnni|avx_vnni)\\b.*"),
        "no Linux on x86-64 with VNNI");
  }
}
