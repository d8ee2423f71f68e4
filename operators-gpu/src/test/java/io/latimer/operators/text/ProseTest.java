package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProseTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          The dog is big. | The dog is big.
          The <b>big</b> dog &amp; the **cat**. | The big dog   the cat.
          See https://x.org/the/way or jo@x.org, {name}! | See   or  ,  !
          Run `rm -rf x` as @jo in /etc/hosts. | Run   as   in  .
          Das ist <code>not.text</code> und %s. | Das ist   und  .
          """)
  void whatIsNotWrittenInALanguageIsLeftOut(String text, String prose) {
    assertThat(Prose.of(text)).isEqualTo(prose);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "\ud83d", "<", "```\n```", "<script>let x;</script>", "a\u0000b"})
  void anyTextHasProse(String text) {
    assertThat(Prose.of(text).length()).isLessThanOrEqualTo(text.length() + 1);
  }
}
