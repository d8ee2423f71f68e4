package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeepPatternsTest {
  private static List<String> found(String text, String... patterns) {
    return KeepPatterns.of(List.of(patterns)).find(text).stream().map(KeptSpan::target).toList();
  }

  @Test
  void whatIsFoundDoesNotOverlap() {
    assertThat(found("INV-12 and AB-3", "INV-[0-9]+", "[A-Z]+-[0-9]"))
        .containsExactly("INV-12", "AB-3");
    assertThat(found("abcabc", "abc", "abca")).containsExactly("abca");
    assertThat(found("nothing", "x")).isEmpty();
    assertThat(KeepPatterns.of(List.of())).isSameAs(KeepPatterns.NONE);
  }

  @Test
  void evilPatternsAreNotSlow() {
    assertThat(found("a".repeat(50_000) + "!", "(a+)+$")).isEmpty();
  }

  @Test
  void wrongPatternsAreRefused() {
    refused("(", "the pattern ( is no regular expression of RE2: missing closing )");
    refused("(?=a)b", "RE2 has no lookaround");
    refused("a*", "the pattern a* matches an empty text");
    refused("a".repeat(1_001), "has 1001 characters; the maximum is 1000");
    assertThatThrownBy(() -> KeepPatterns.of(Collections.nCopies(101, "a")))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("101 patterns; the maximum is 100");
  }

  private static void refused(String pattern, String message) {
    assertThatThrownBy(() -> KeepPatterns.of(List.of(pattern)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(message);
  }
}
