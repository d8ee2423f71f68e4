package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeptSpansTest {
  private static List<String> kept(String text) {
    return KeptSpans.of(text).stream().map(s -> text.substring(s.start(), s.end())).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        // text | what stays, separated by two spaces
        "Hello {name}, you have {count} new messages. | {name}  {count}",
        "Dear {{ user.name }}, see {0} and {a:b} | {{ user.name }}  {0}  {a:b}",
        "%s has %1$s of %(total)d in %05.2f%% | %s  %1$s  %(total)d  %05.2f",
        "Set ${HOME}/bin and $PATH first | ${HOME}  $PATH",
        "Well done :tada: and [[Main Page]] or <0/> | :tada:  [[Main Page]]  <0/>",
        "Run `rm -rf x` or ``a`b`` now | `rm -rf x`  ``a`b``",
        "pre{x}post and a[[b]]c, 5${X} | {x}  [[b]]  ${X}",
        "Thanks @jörg_1 for #Fußball2024! | @jörg_1  #Fußball2024",
        "Mail me@example.org, not @me. | me@example.org  @me",
        "Open /etc/nginx/nginx.conf, ~/.ssh/id_rsa or ../a/b. | /etc/nginx/nginx.conf  ~/.ssh/id_rsa  ../a/b",
        "It is in C:\\Users\\Public\\a.txt now | C:\\Users\\Public\\a.txt",
        "Use v2 or v1.18.3-rc1, not 3.0.13 | v2  v1.18.3-rc1  3.0.13",
        "From 192.168.0.1 on 31.12.2025 | 192.168.0.1  31.12.2025",
        "Call +49 (0)30 1234567 or (555) 123-4567 or 555-1234. | +49 (0)30 1234567  (555) 123-4567  555-1234",
        "To DE89 3704 0044 0532 0130 00 please | DE89 3704 0044 0532 0130 00",
        "Colour #ff8800 at 0x7fFF in 3f786850e387 | #ff8800  0x7fFF  3f786850e387",
        "Id 123e4567-e89b-12d3-a456-426614174000 and a1e4567b-e89b-12d3-a456-426614174000 | 123e4567-e89b-12d3-a456-426614174000  a1e4567b-e89b-12d3-a456-426614174000",
      })
  void finds(String text, String spans) {
    assertThat(kept(text)).containsExactly(spans.split("  ", -1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "An either/or of 50 km/h and and/or.",
        "It rose by 50% of all, 5% since.",
        "At 10:30:15, or 3:2, he said: no.",
        "It costs $5, 1.234.567 or 12.50 in total.",
        "The facade, deadbeef and 1234567 are words and numbers.",
        "[1] See (a) and {not closed, a < b, c > d.",
        "The score was 3-2 in 2024-25.",
        "We met in the A4 of B12, Mr. V2.",
        "It's a `single tick, and :) or :-D here.",
        "Nr. 5. Und? Ja.",
      })
  void leavesTheRest(String text) {
    assertThat(kept(text)).isEmpty();
  }

  @Test
  void longHostileTextsTakeNoLongTime() {
    for (String unit :
        List.of(
            "{",
            "{{",
            "`",
            "%",
            "%1",
            "$",
            "${",
            "[[",
            ":a",
            "#",
            "@",
            "/a",
            "~/",
            "./",
            "a1",
            "0x",
            "1.",
            "1.2",
            "v1.",
            "+1 ",
            "+1(",
            "AB12 ",
            "AB12",
            "deadbeef0-",
            "C:\\",
            "C:\\a",
            "<0",
            "555-",
            "(555) ",
            "12345678-1234-",
            "a",
            "0")) {
      String text = unit.repeat(100_000 / unit.length());
      int end = 0;
      for (KeptSpan span : KeptSpans.of(text)) {
        assertThat(span.start()).as(unit).isGreaterThanOrEqualTo(end);
        assertThat(span.end()).as(unit).isGreaterThan(span.start());
        end = span.end();
      }
    }
  }
}
