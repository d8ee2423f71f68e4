package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A jar of an earlier build is seen, although relocation writes classes anew. */
class JobJarTest {
  private static final String MOVED = "org/example/Moved";
  private static final String RELOCATED = "io/latimer/shaded/org/example/Moved";

  /** What is packed. */
  static final class Packed {
    static String text() {
      return System.getProperty(MOVED) + System.getProperty("as it was");
    }

    private Packed() {}
  }

  private static byte[] built() throws IOException {
    try (InputStream in = JobJarTest.class.getResourceAsStream("JobJarTest$Packed.class")) {
      return in.readAllBytes();
    }
  }

  /** Replaces a text of the constant pool, in which its length is before it. */
  private static byte[] replace(byte[] bytes, String from, String to) {
    String all = new String(bytes, StandardCharsets.ISO_8859_1);
    assertThat(all).contains(entry(from));
    return all.replace(entry(from), entry(to)).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String entry(String text) {
    return (char) 0 + "" + (char) text.length() + text;
  }

  @Test
  void relocationAloneIsNoOtherBuild() throws IOException {
    assertThat(JobJar.isSame(built(), built())).isTrue();
    assertThat(JobJar.isSame(built(), replace(built(), MOVED, RELOCATED))).isTrue();
  }

  @Test
  void anotherBuildIsSeenWithAndWithoutRelocation() throws IOException {
    byte[] other = replace(built(), "as it was", "as it is");
    assertThat(JobJar.isSame(built(), other)).isFalse();
    assertThat(JobJar.isSame(built(), replace(other, MOVED, RELOCATED))).isFalse();
    byte[] calls = replace(built(), "getProperty", "getenv");
    assertThat(JobJar.isSame(built(), replace(calls, MOVED, RELOCATED))).isFalse();
  }
}
