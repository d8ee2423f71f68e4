package io.latimer.operators.text.markup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TagPlacementTest {
  /**
   * Places the markup of a source in a translation.
   *
   * @param links pairs of words, counted from 0, as {@code source-target}
   */
  private static TagPlacement placed(String source, String line, String links) {
    Markup markup = Markup.of(source, List.of());
    WordLinks words = new WordLinks(markup.plain(), line);
    for (String link : links.isEmpty() ? new String[0] : links.split(" ", -1)) {
      int from = Integer.parseInt(link.substring(0, link.indexOf('-')));
      int to = Integer.parseInt(link.substring(link.indexOf('-') + 1));
      words.add(new WordRange(from, from + 1), new WordRange(to, to + 1), 1);
    }
    return TagPlacement.of(markup.tags(), markup.plain(), line, () -> words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a <b>b</b> c; A B C; 0-0 1-1 2-2; A <b>B</b> C",
        "a <b>b</b> c; B C A; 0-2 1-0 2-1; <b>B</b> C A",
        // a far word of the pair does not stretch it
        "a <b>b c</b> d; B C A D E F B; 0-2 1-0 2-1 3-3 3-4 3-5 1-6; <b>B C</b> A D E F B",
        // a word that comes from outside does not cut it
        "a <b>b c d</b> e; B A C D E; 0-1 1-0 2-2 3-3 4-4; <b>B A C D</b> E",
        "<b>all of it</b>; Alles; 0-0 1-0 2-0; <b>Alles</b>",
        "<i>a <b>b</b></i> c; X B A; 0-2 1-1 2-0; X <i><b>B</b> A</i>",
        "<i>a</i> <b>b</b>; B A; 0-1 1-0; <b>B</b> <i>A</i>",
        // two pairs of one word
        "<i>a</i> <b>b</b>; A; 0-0 1-0; <i>A</i><b></b>",
        "say <b>no</b>!; Nein!; 0-0 1-0 2-1; <b>Nein</b>!",
        "say <b>no!</b>; Nein!; 1-0 2-1; <b>Nein!</b>",
        "a<img/> b; B A; 0-1 1-0; B A<img/>",
        "a <img/>b c; A B C; 0-0 1-1 2-2; A <img/>B C",
        "<b></b>a b; A B; 0-0 1-1; <b></b>A B",
        "a <b><u></u>b</b> c; A B C; 0-0 1-1 2-2; A <b><u></u>B</b> C",
        "a <b>b</b> c; A; 0-0 2-0; A<b></b>",
        "x <b>y</b>; ''; ''; <b></b>",
      })
  void tagsGoWhereTheirWordsGo(String source, String line, String links, String expected) {
    assertThat(placed(source, line, links).text()).isEqualTo(expected);
  }

  @Test
  void pairsThatGoOnElsewhereReachTheSentencesEnds() {
    List<Tag> tags =
        List.of(
            new Tag(1, "</i>", 0, Integer.MAX_VALUE, false),
            new Tag(2, "<b>", 0, Integer.MAX_VALUE, true));
    WordLinks links = WordLinks.inOrder("a b", "A B");
    assertThat(TagPlacement.of(tags, "a b", "A B", () -> links).text()).isEqualTo("A</i> <b>B");
  }

  @Test
  void charactersAreFoundAgain() {
    TagPlacement placed = placed("a <b>b</b> c", "A 𝒳 C", "0-0 1-1 2-2");
    assertThat(placed.text()).isEqualTo("A <b>𝒳</b> C");
    assertThat(placed.offset(0)).isZero();
    assertThat(placed.offset(2)).isEqualTo(5);
    assertThat(placed.offset(4)).isEqualTo(11);
  }
}
