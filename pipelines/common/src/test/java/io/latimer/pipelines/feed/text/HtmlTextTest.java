package io.latimer.pipelines.feed.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HtmlTextTest {
  @Test
  void tagsAndReferencesBecomeText() {
    assertThat(HtmlText.of("<p>Fish &amp; chips&nbsp;&ndash; <b>5&nbsp;&euro;</b></p>"))
        .isEqualTo("Fish & chips \u2013 5 \u20ac");
    assertThat(HtmlText.of("caf&eacute; &#233;&#xE9; &#x1F600; &#0; &#xD800; &#9999999;"))
        .isEqualTo("caf\u00e9 \u00e9\u00e9 \ud83d\ude00 \ufffd \ufffd \ufffd");
    assertThat(HtmlText.of("AT&T &unknown; & &; 1 < 2 <3 a&lt;b"))
        .isEqualTo("AT&T &unknown; & &; 1 < 2 <3 a<b");
  }

  /** WHATWG HTML, 13.2.5.73: some names need no semicolon, even before other letters. */
  @Test
  void everyReferenceOfHtmlIsKnown() {
    assertThat(
            HtmlText.of(
                "&lrm;a&rlm;b&zwj;c&zwnj;d&ensp;e&rarr;f&alpha;g&frac12;h&NotEqual;i&apos;j&shy;"))
        .isEqualTo("\u200ea\u200fb\u200dc\u200cd\u2002e\u2192f\u03b1g\u00bdh\u2260i'j\u00ad");
    assertThat(HtmlText.of("&NotEqualTilde;|&CounterClockwiseContourIntegral;|&fjlig;|&AMP;"))
        .isEqualTo("\u2242\u0338|\u2233|fj|&");
    assertThat(HtmlText.of("a&ampb &eacutet&eacute &copy2 &notit; &notin; &hellip &lt"))
        .isEqualTo("a&b \u00e9t\u00e9 \u00a92 \u00acit; \u2209 &hellip <");
    assertThat(HtmlText.of("&#65 &#x41x &#128; &#00000000000000000000065; &#99999999999999999;"))
        .isEqualTo("A Ax \u20ac A \ufffd");
    assertThat(HtmlText.of("&amp;lrm; &lt;b&gt;")).isEqualTo("&lrm; <b>");
  }

  @Test
  void blocksEndLinesAndOtherWhiteSpaceIsOneSpace() {
    assertThat(HtmlText.of("  <h1>Title</h1>\n\n<p>One\n two</p><ul><li>a<li>b</ul>c<br/>d"))
        .isEqualTo("Title\nOne two\na\nb\nc\nd");
    assertThat(HtmlText.of("in<i>line</i> <a href='x>y' title=\"a>b\">link</a>."))
        .isEqualTo("inline link.");
  }

  @Test
  void whatIsNotShownIsLeftOut() {
    assertThat(
            HtmlText.of(
                "a<script>if (a < b) alert('</p>')</SCRIPT>b<style>p{}</style><!-- c -- > -->d"
                    + "<?php e ?><!DOCTYPE html>f"))
        .isEqualTo("abdf");
  }

  @Test
  void whatIsNotFinishedNeverFails() {
    for (String html :
        new String[] {
          "<", "a<", "a<p", "a<!--", "a<script>", "a&", "a&#", "a&#x;", "a</", "a<p b='"
        }) {
      assertThat(HtmlText.of(html)).startsWith(html.startsWith("<") ? "<" : "a");
    }
    assertThat(HtmlText.of("")).isEmpty();
    assertThat(HtmlText.of("<".repeat(100_000) + "p".repeat(100_000))).hasSize(99_999);
    assertThat(HtmlText.of("&".repeat(1_000_000))).hasSize(1_000_000);
    assertThat(HtmlText.of("&" + "a".repeat(1_000_000))).hasSize(1_000_001);
    assertThat(HtmlText.of("&#" + "9".repeat(1_000))).isEqualTo("\ufffd");
    assertThat(HtmlText.of("&#" + "9".repeat(1_000_000))).startsWith("\ufffd");
  }

  @Test
  void whatFollowsTooManyTagsIsLeftOut() {
    assertThat(HtmlText.of("<b>".repeat(HtmlText.MAX_TAGS) + "a<b>b")).isEqualTo("a");
  }

  /** Fields, frames and forms as browsers show them (WHATWG HTML, 13.2.6). */
  @Test
  void elementsWithARuleOfTheirOwnAreReadAsBrowsersDo() {
    assertThat(HtmlText.of("<textarea>a<b>c</textarea><iframe><p>d</iframe>")).isEqualTo("a<b>c");
    assertThat(HtmlText.of("a<form>b</form>c<details>d</details>")).isEqualTo("a\nb\nc\nd");
  }
}
