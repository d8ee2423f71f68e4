package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.MappedSection;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LexiconTest {
  private static final int SOURCE_WORDS = 40;
  private static final int TARGET_WORDS = 70;

  @TempDir private Path folder;

  private record Pair(int source, int target) {}

  private static Map<Pair, Integer> randomCounts(Random random) {
    Map<Pair, Integer> counts = new LinkedHashMap<>();
    for (int i = random.nextInt(2000); i > 0; i--) {
      Pair pair = new Pair(random.nextInt(SOURCE_WORDS), random.nextInt(TARGET_WORDS));
      counts.merge(pair, 1 + random.nextInt(9), Integer::sum);
    }
    return counts;
  }

  private static LinkCounts links(Map<Pair, Integer> counts, List<Pair> order) {
    LinkCounts links = new LinkCounts();
    order.forEach(pair -> links.add(pair.source, pair.target, counts.get(pair)));
    return links;
  }

  private static ByteBuffer bytes(Consumer<Consumer<ByteBuffer>> write) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write.accept(
        piece -> {
          byte[] bytes = new byte[piece.remaining()];
          piece.get(bytes);
          out.writeBytes(bytes);
        });
    return ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
  }

  private Lexicon lexicon(ByteBuffer table, int[] sourceLinks, int[] targetLinks) {
    Path path = folder.resolve("lexicon.lpx");
    try (IndexFileWriter out = IndexFileWriter.create(path, PhraseIndex.KIND, "")) {
      out.add("table", table);
      out.add("source", pieces -> Pieces.write(sourceLinks, pieces));
      out.add("target", pieces -> Pieces.write(targetLinks, pieces));
      out.commit();
    }
    try (IndexFile file = IndexFile.open(path)) {
      return new Lexicon(
          MappedSection.of(file, "table", 8),
          MappedSection.of(file, "source", 8),
          MappedSection.of(file, "target", 8));
    }
  }

  private Lexicon lexicon(Lexicon.Sections sections) {
    return lexicon(bytes(sections::table), sections.sourceLinks(), sections.targetLinks());
  }

  @Test
  void hasTheCountsThatItIsMadeOf() {
    for (int round = 0; round < 10; round++) {
      Map<Pair, Integer> counts = randomCounts(new Random(round));
      LinkCounts links = links(counts, List.copyOf(counts.keySet()));
      assertThat(links.size()).isEqualTo(counts.size());
      Lexicon lexicon = lexicon(new Lexicon.Sections(links, SOURCE_WORDS, TARGET_WORDS));
      assertThat(lexicon.slots()).isEqualTo(2L * counts.size() + 1);
      for (int source = 0; source < SOURCE_WORDS; source++) {
        int ofSource = 0;
        for (int target = 0; target < TARGET_WORDS; target++) {
          int expected = counts.getOrDefault(new Pair(source, target), 0);
          ofSource += expected;
          assertThat(lexicon.links(source, target)).isEqualTo(expected);
          assertThat(lexicon.targetGivenSource(source, target))
              .isEqualTo(expected == 0 ? 0 : (double) expected / lexicon.sourceLinks(source));
          assertThat(lexicon.sourceGivenTarget(source, target))
              .isEqualTo(expected == 0 ? 0 : (double) expected / lexicon.targetLinks(target));
        }
        assertThat(lexicon.sourceLinks(source)).isEqualTo(ofSource);
      }
      LinkCounts again = new LinkCounts();
      lexicon.addTo(again);
      assertThat(again.sorted()).isEqualTo(links.sorted());
    }
  }

  /** A lookup made from docs/formats.md alone. */
  @Test
  void layoutIsAsDocumented() {
    Map<Pair, Integer> counts = randomCounts(new Random(4));
    Lexicon.Sections sections =
        new Lexicon.Sections(
            links(counts, List.copyOf(counts.keySet())), SOURCE_WORDS, TARGET_WORDS);
    ByteBuffer table = bytes(sections::table);
    long slots = table.limit() / 16;
    assertThat(slots).isEqualTo(2L * counts.size() + 1);
    counts.forEach(
        (pair, links) -> {
          long x = (long) pair.source << 32 | pair.target;
          x = (x ^ x >>> 33) * 0xff51afd7ed558ccdL;
          x = (x ^ x >>> 33) * 0xc4ceb9fe1a85ec53L;
          x ^= x >>> 33;
          int slot = (int) (((x >>> 32) * slots) >>> 32);
          while (table.getInt(16 * slot) != pair.source
              || table.getInt(16 * slot + 4) != pair.target) {
            assertThat(table.getInt(16 * slot + 8)).isPositive();
            slot = (int) ((slot + 1) % slots);
          }
          assertThat(table.getInt(16 * slot + 8)).isEqualTo(links);
          assertThat(table.getInt(16 * slot + 12)).isZero();
        });
  }

  @Test
  void equalCountsGiveEqualBytesInAnyOrder() {
    Random random = new Random(3);
    Map<Pair, Integer> counts = randomCounts(random);
    List<Pair> order = new ArrayList<>(counts.keySet());
    Lexicon.Sections first = new Lexicon.Sections(links(counts, order), SOURCE_WORDS, TARGET_WORDS);
    Collections.shuffle(order, random);
    Lexicon.Sections second =
        new Lexicon.Sections(links(counts, order), SOURCE_WORDS, TARGET_WORDS);
    assertThat(bytes(second::table)).isEqualTo(bytes(first::table));
  }

  @Test
  void everyWordIsLinkedOrCountedAsUnaligned() {
    SentencePair pair = new SentencePair();
    List.of(1, 2, 1).forEach(pair::addSource);
    List.of(1, 2, 3, 3).forEach(pair::addTarget);
    pair.addLink(2, 1);
    pair.addLink(0, 1);
    pair.addLink(0, 0);
    pair.addLink(0, 1);
    pair.sortLinks();
    LinkCounts links = new LinkCounts();
    links.add(pair);
    Map<Pair, Integer> found = new LinkedHashMap<>();
    for (long key : links.sorted()) {
      found.put(new Pair((int) (key >>> 32), (int) key), links.count(key));
    }
    assertThat(found)
        .isEqualTo(
            Map.of(
                new Pair(0, 3), 2,
                new Pair(1, 1), 1,
                new Pair(1, 2), 2,
                new Pair(2, 0), 1));
  }

  @Test
  void countsUpTo31Bits() {
    LinkCounts links = new LinkCounts();
    links.add(1, 1, Integer.MAX_VALUE);
    assertThatThrownBy(() -> links.add(1, 1, 1))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage("two words occur together 2^31 times or more; split the text");
    links.add(1, 2, 1);
    assertThatThrownBy(() -> new Lexicon.Sections(links, 2, 3))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage("a word has 2^31 links or more; split the text");
  }

  @Test
  void withLearnedPairsTotalsStayBelow31Bits() {
    LinkCounts links = new LinkCounts();
    links.add(1, 1, Integer.MAX_VALUE);
    Lexicon lexicon = lexicon(new Lexicon.Sections(links, 2, 2));
    LinkCounts more = new LinkCounts();
    more.add(1, 2, 1);
    assertThatThrownBy(() -> lexicon.with(more, 2, 3))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage("a word has 2^31 links or more; split the text");
  }

  /** Random links, some of words that the lexicon does not know, are added to random links. */
  @Test
  void countsTheLinksOfLearnedPairsWithItsOwn() {
    for (int round = 0; round < 10; round++) {
      Random random = new Random(100 + round);
      Map<Pair, Integer> counts = randomCounts(random);
      Map<Pair, Integer> more = new LinkedHashMap<>();
      for (int i = random.nextInt(50); i > 0; i--) {
        more.merge(
            new Pair(random.nextInt(SOURCE_WORDS + 9), random.nextInt(TARGET_WORDS + 9)),
            1 + random.nextInt(9),
            Integer::sum);
      }
      Lexicon base =
          lexicon(
              new Lexicon.Sections(
                  links(counts, List.copyOf(counts.keySet())), SOURCE_WORDS, TARGET_WORDS));
      Lexicon both =
          base.with(links(more, List.copyOf(more.keySet())), SOURCE_WORDS + 9, TARGET_WORDS + 9);
      Map<Pair, Integer> all = new LinkedHashMap<>(counts);
      more.forEach((pair, links) -> all.merge(pair, links, Integer::sum));
      for (int source = 0; source < SOURCE_WORDS + 9; source++) {
        int ofSource = 0;
        for (int target = 0; target < TARGET_WORDS + 9; target++) {
          int expected = all.getOrDefault(new Pair(source, target), 0);
          ofSource += expected;
          assertThat(both.links(source, target)).isEqualTo(expected);
          assertThat(both.targetGivenSource(source, target))
              .isEqualTo(expected == 0 ? 0 : (double) expected / both.sourceLinks(source));
          assertThat(both.sourceGivenTarget(source, target))
              .isEqualTo(expected == 0 ? 0 : (double) expected / both.targetLinks(target));
        }
        assertThat(both.sourceLinks(source)).isEqualTo(ofSource);
      }
      LinkCounts again = new LinkCounts();
      both.addTo(again);
      assertThat(again.sorted()).isEqualTo(links(all, List.copyOf(all.keySet())).sorted());
    }
  }

  private static ByteBuffer table(int... numbers) {
    return bytes(pieces -> Pieces.write(numbers, pieces));
  }

  @Test
  void refusesNegativeTotalsOfAnyWord() {
    ByteBuffer one = table(1, 1, 1, 0, 0, 0, 0, 0);
    int[] three = {3, 3, 3};
    assertThat(lexicon(one, three, three).links(1, 1)).isEqualTo(1);
    assertThatThrownBy(() -> lexicon(one, new int[] {3, 3, -1}, three))
        .isInstanceOf(PhraseIndexException.class)
        .hasMessage(
            "source word 2 of the lexicon has 4294967295 links, more than an index can have");
    assertThatThrownBy(() -> lexicon(one, three, new int[] {Integer.MIN_VALUE, 3, 3}))
        .isInstanceOf(PhraseIndexException.class)
        .hasMessage(
            "target word 0 of the lexicon has 2147483648 links, more than an index can have");
  }

  @Test
  void refusesWhatALookupCouldNotUse() {
    int[] three = {3, 3, 3};
    for (int[] slot :
        List.of(
            new int[] {3, 1, 1, 0},
            new int[] {-1, 1, 1, 0},
            new int[] {1, 3, 1, 0},
            new int[] {1, -1, 1, 0},
            new int[] {1, 1, 4, 0},
            new int[] {1, 1, -1, 0})) {
      int[] numbers = {0, 0, 0, 0, slot[0], slot[1], slot[2], slot[3]};
      assertThatThrownBy(() -> lexicon(table(numbers), three, three))
          .isInstanceOf(PhraseIndexException.class)
          .hasMessageContaining("slot 1 of the lexicon links the words");
    }
    assertThatThrownBy(() -> lexicon(table(1, 1, 1, 0), three, three))
        .isInstanceOf(PhraseIndexException.class)
        .hasMessage("the lexicon has no free slot");
    assertThatThrownBy(() -> lexicon(table(), three, three)).hasMessageContaining("no free slot");
  }
}
