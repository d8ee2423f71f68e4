package io.latimer.operators.text.markup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MarkupTest {
  /** The plain text, with each tag in bars: pairs with a number, others without. */
  private static String shown(String text) {
    Markup markup = Markup.of(text, List.of());
    StringBuilder shown = new StringBuilder();
    int from = 0;
    for (int i = 0; i < markup.tags().size(); i++) {
      Tag tag = markup.tags().get(i);
      shown.append(markup.plain(), from, tag.at());
      from = tag.at();
      if (tag.isEntity()) {
        continue;
      }
      String pair = tag.isPaired() ? String.valueOf(Math.min(i, tag.partner())) : "";
      shown.append('|').append(pair).append(tag.literal()).append('|');
    }
    return shown.append(markup.plain(), from, markup.plain().length()).toString();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\0',
      delimiterString = " => ",
      value = {
        "<b>x</b> y => |0<b>|x|0</b>| y",
        "a<br/>b<BR>c => a|<br/>|b|<BR>|c",
        "<i><b>x</i></b> => |0<i>||<b>|x|0</i>||</b>|",
        "<a href=\"x>y\" title='z'>t</a> => |0<a href=\"x>y\" title='z'>|t|0</a>|",
        "1 < 2 and 3 > 2, i <3 u, <4, < b> => 1 < 2 and 3 > 2, i <3 u, <4, < b>",
        "a<!-- no --text -->b => a|<!-- no --text -->|b",
        "<script>if (a < b) alert('x')</script>y => |<script>if (a < b) alert('x')</script>|y",
        "<x:y-z a.b=1>t</x:y-z > => |0<x:y-z a.b=1>|t|0</x:y-z >|",
        "x <b>unclosed => x |<b>|unclosed",
        "don&#39;t, M&uuml;n, &#x42;&amp;&copy; => don't, Mün, B&amp;&copy;",
        "**a** *b* _c_ __d__ ~~e~~ ***f*** =>"
            + " |0**|a|0**| |2*|b|2*| |4_|c|4_| |6__|d|6__| |8~~|e|8~~| |10***|f|10***|",
        "2 * 3 * 4, a*b*c, my_long_name, 5**2 => 2 * 3 * 4, a*b*c, my_long_name, 5**2",
        "* not closed, **nor this* either => |*| not closed, **nor this* either",
        "*a **b* c** => |0*|a **b|0*| c**",
        "[text](http://x.y/a(b)c \"t\") z => |0[|text|0](http://x.y/a(b)c \"t\")| z",
        "![alt](a.png) [ref][1] [note] (x) => |0![|alt|0](a.png)| |2[|ref|2][1]| [note] (x)",
        "## Head => |##| Head",
        "- [x] item => |- [x]| item",
        "> said => |>| said",
        "#tag -5 >>deu<< Hi => #tag -5 >>deu<< Hi",
        "a \\*b\\* => a \\*b\\*",
        "** ** and *!* => ** ** and *!*",
      })
  void whatIsMarkup(String text, String expected) {
    assertThat(shown(text)).isEqualTo(expected);
  }

  @Test
  void aBlockOfCodeIsOneTagAndEndsASentence() {
    Markup markup = Markup.of("Run\n```sh\nnpm *i* <b>\n```\nnow", List.of());
    assertThat(markup.plain()).isEqualTo("Run\n\nnow");
    assertThat(markup.tags()).hasSize(1);
    assertThat(markup.breaks()).containsExactly(4);
  }

  @Test
  void blocksEndSentences() {
    assertThat(Markup.of("<li>a</li><li>b <i>c</i></li>", List.of()).breaks())
        .containsExactly(0, 1, 1, 4);
  }

  @Test
  void keptRangesAreNoMarkup() {
    String text = "see *this* and *that*";
    Markup markup = Markup.of(text, List.of(new Markup.Range(4, 10)));
    assertThat(markup.plain()).isEqualTo("see *this* and that");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<",
        "<a x=\"",
        "<!--",
        "<![CDATA[",
        "<?",
        "<b>",
        "</b>",
        "<pre>",
        "*a",
        "*a ",
        "_",
        "**a ",
        "[",
        "](",
        "](a",
        "![",
        "&",
        "&#",
        "&amp",
        "&#39;",
        "`",
        "```\n",
        "# ",
        "- ",
        "<a ",
        "<b a='"
      })
  void hostileTextIsReadInTime(String part) {
    String text = part.repeat(100_000 / part.length());
    Markup markup = Markup.of(text, List.of());
    StringBuilder whole = new StringBuilder();
    int from = 0;
    for (Tag tag : markup.tags()) {
      whole.append(markup.plain(), from, tag.at()).append(tag.literal());
      from = tag.at() + tag.length();
    }
    whole.append(markup.plain(), from, markup.plain().length());
    assertThat(whole.toString()).isEqualTo(text);
  }
}
