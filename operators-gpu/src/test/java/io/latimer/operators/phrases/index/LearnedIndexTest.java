package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.testing.ChangedIndex;
import io.latimer.operators.util.BuildProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index with learned pairs has what a file has to which they were appended. */
class LearnedIndexTest {
  private static final ParallelText BASE =
      ParallelText.of("a b c a b c a b c ||| x y z x y z ||| 0-0 1-1 2-2 3-3 4-4", "b ||| y ||| ");
  private static final ParallelText MORE =
      ParallelText.of("d a ||| w x ||| 0-0 1-1", "e ||| w v ||| 0-0");

  @TempDir private Path folder;

  private Path append(Path index, LearnedPairs pairs, String name) {
    Path out = folder.resolve(name);
    PhraseIndexBuilder.append(index, pairs, out, "v", BuildProgress.NONE);
    return out;
  }

  private static void assertSame(PhraseIndex expected, PhraseIndex found) {
    assertSame(expected.source(), found.source());
    assertSame(expected.target(), found.target());
    assertThat(found.segments()).hasSameSizeAs(expected.segments());
    for (int source = 0; source < expected.source().size(); source++) {
      assertThat(found.lexicon().sourceLinks(source))
          .isEqualTo(expected.lexicon().sourceLinks(source));
      for (int target = 0; target < expected.target().size(); target++) {
        assertThat(found.lexicon().targetLinks(target))
            .isEqualTo(expected.lexicon().targetLinks(target));
        assertThat(found.lexicon().links(source, target))
            .isEqualTo(expected.lexicon().links(source, target));
      }
    }
    for (int i = 0; i < expected.segments().size(); i++) {
      Segment segment = expected.segments().get(i);
      assertThat(found.segments().get(i).settings()).isEqualTo(segment.settings());
      for (int part = 0; part < segment.sections().size(); part++) {
        assertThat(found.segments().get(i).sections().get(part).pieces())
            .isEqualTo(segment.sections().get(part).pieces());
      }
    }
  }

  private static void assertSame(PhraseVocabulary expected, PhraseVocabulary found) {
    assertThat(found.size()).isEqualTo(expected.size());
    for (int id = 0; id < expected.size(); id++) {
      assertThat(found.bytes(id)).isEqualTo(expected.bytes(id));
      assertThat(found.word(id)).isEqualTo(expected.word(id));
      assertThat(found.id(expected.word(id))).isEqualTo(id);
    }
    assertThat(found.id("never")).isEqualTo(PhraseSections.END);
    assertThatThrownBy(() -> found.bytes(expected.size())).hasMessageContaining("there is no word");
  }

  @Test
  void hasTheBytesOfAFileWithThePairsAsItsLastSegment() {
    Path base = BASE.index(folder, "base.lpx");
    LearnedPairs learned = MORE.learned(0);
    try (IndexFile baseFile = IndexFile.open(base);
        IndexFile file = IndexFile.open(append(base, learned, "more.lpx"));
        PhraseIndex index = PhraseIndex.open(baseFile);
        PhraseIndex found = index.with(learned)) {
      assertSame(PhraseIndex.open(file), found);
      found.learnedSegment().segment().check(found.target().size());
      assertThat(found.segments().get(0)).isSameAs(index.segments().get(0));
      assertThat(found.learned()).isEqualTo(learned);
      assertThat(found.id()).isEqualTo(index.id());
      assertThat(index.learned().isEmpty()).isTrue();
      assertThat(index.learnedSegment()).isNull();
    }
  }

  /** A sentence whose places do not fit into a byte, of words that all are new. */
  @Test
  void takesLongSentencesOfNewWords() {
    StringBuilder words = new StringBuilder();
    StringBuilder links = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      words.append("n").append(i).append(' ');
      links.append(i).append('-').append(299 - i).append(' ');
    }
    LearnedPairs learned =
        LearnedPairs.none()
            .with(
                List.of(
                    new LearnedPair("c", 1, words.toString(), words.toString(), links.toString())));
    StringBuilder much = new StringBuilder("a b");
    for (int i = 0; i < 700; i++) {
      much.append(" a");
    }
    Path base = ParallelText.of(much + " ||| x ||| 0-0").index(folder, "base.lpx");
    try (IndexFile baseFile = IndexFile.open(base);
        IndexFile file = IndexFile.open(append(base, learned, "long.lpx"));
        PhraseIndex found = PhraseIndex.open(baseFile).with(learned)) {
      assertThat(found.learnedSegment().segment().isWide()).isTrue();
      assertSame(PhraseIndex.open(file), found);
      found.learnedSegment().segment().check(found.target().size());
    }
  }

  @Test
  void theIndexIsAsItWasWithoutPairs() {
    try (IndexFile file = IndexFile.open(BASE.index(folder, "base.lpx"));
        PhraseIndex index = PhraseIndex.open(file);
        PhraseIndex none = index.with(LearnedPairs.none(4))) {
      assertSame(index, none);
      assertThat(none.learned().from()).isEqualTo(4);
      assertThat(none.learnedSegment()).isNull();
      assertThat(none.lexicon()).isSameAs(index.lexicon());
      PhraseIndex both = none.with(MORE.learned(4));
      assertThatThrownBy(() -> both.with(MORE.learned(6)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("the index has learned pairs 4 to 6");
    }
  }

  @Test
  void saysThatPairsDoNotFit() {
    Path full =
        ChangedIndex.write(
            BASE.index(folder, "base.lpx"),
            PhraseIndex.KIND,
            folder.resolve("full.lpx"),
            "lexicon/source",
            ChangedIndex.put(totals -> totals.putInt(4, Integer.MAX_VALUE)));
    try (IndexFile file = IndexFile.open(full);
        PhraseIndex index = PhraseIndex.open(file)) {
      assertThatThrownBy(() -> index.with(MORE.learned(0)))
          .isInstanceOf(PhraseTextException.class)
          .hasMessage(
              "the learned pairs do not fit: a word has 2^31 links or more; split the text");
    }
  }

  @Test
  void knowsThePairOfEachPosition() {
    try (IndexFile file = IndexFile.open(BASE.index(folder, "base.lpx"));
        PhraseIndex index = PhraseIndex.open(file).with(MORE.learned(10))) {
      LearnedSegment learned = index.learnedSegment();
      assertThat(learned.number()).isEqualTo(1);
      assertThat(learned.segment()).isSameAs(index.segments().get(1));
      assertThat(List.of(0, 1, 2, 3, 4))
          .extracting(learned::pairAt)
          .containsExactly(10L, 10L, 10L, 11L, 11L);
    }
  }

  @Test
  void pairsAreAppendedToAFileAsATextIs() {
    for (int round = 0; round < 20; round++) {
      Random random = new Random(round);
      ParallelText text = ParallelText.random(random);
      Path base = ParallelText.random(random).index(folder, "base.lpx");
      Path pairs = append(base, text.learned(3), "pairs.lpx");
      Path lines = folder.resolve("lines.lpx");
      PhraseIndexBuilder.append(base, text.write(folder), false, lines, "v", BuildProgress.NONE);
      assertThat(pairs).hasSameBinaryContentAs(lines);
    }
  }

  @Test
  void noPairsAreNotAppended() {
    Path base = BASE.index(folder, "base.lpx");
    assertThatThrownBy(() -> append(base, LearnedPairs.none(), "none.lpx"))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage("there are no learned pairs to add to " + base);
    assertThat(folder.resolve("none.lpx")).doesNotExist();
  }
}
