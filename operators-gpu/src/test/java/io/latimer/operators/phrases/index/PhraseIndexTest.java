package io.latimer.operators.phrases.index;

import static io.latimer.operators.testing.ChangedIndex.put;
import static io.latimer.operators.testing.ChangedIndex.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.Section;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.operators.testing.ChangedIndex;
import io.latimer.operators.util.BuildProgress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PhraseIndexTest {
  private static final ParallelText TEXT =
      ParallelText.of(
          "the cat sleeps ||| le chat dort ||| 0-0 1-1 2-2",
          "the dog ||| chien le ||| 0-1 1-0 1-1",
          "a ||| b ||| ");

  @TempDir private Path folder;

  private static PhraseIndex open(Path path) {
    try (IndexFile file = IndexFile.open(path)) {
      file.verify();
      return PhraseIndex.open(file);
    }
  }

  private static int[] ints(IndexFile file, String section) {
    ByteBuffer bytes = file.section(section);
    return IntStream.range(0, bytes.remaining() / 4).map(i -> bytes.getInt(4 * i)).toArray();
  }

  private static String text(IndexFile file, String section) {
    return StandardCharsets.UTF_8.decode(file.section(section)).toString();
  }

  /** What docs/formats.md says of each section, byte by byte. */
  @Test
  void narrowLayoutIsAsDocumented() {
    try (IndexFile file = IndexFile.open(TEXT.index(folder, "index.lpx"))) {
      assertThat(file.kind()).isEqualTo("phrase-index");
      assertThat(file.sections())
          .extracting(Section::name)
          .containsExactly(
              "settings",
              "vocab/source/text",
              "vocab/source/offsets",
              "vocab/source/table",
              "vocab/target/text",
              "vocab/target/offsets",
              "vocab/target/table",
              "lexicon/table",
              "lexicon/source",
              "lexicon/target",
              "segment/0/source",
              "segment/0/suffixes",
              "segment/0/prefixes",
              "segment/0/starts",
              "segment/0/extents",
              "segment/0/target",
              "segment/0/target-extents");
      assertThat(text(file, "settings").replaceAll("\\s", ""))
          .isEqualTo(
              "{'sourceWords':6,'targetWords':6,'sourceSlots':10,'targetSlots':10,"
                      .replace('\'', '"')
                  + "'lexiconSlots':15,'segments':[{'sentences':3,'sourceLength':9,"
                      .replace('\'', '"')
                  + "'targetLength':9,'sourceWords':6,'wide':false}]}".replace('\'', '"'));
      assertThat(text(file, "vocab/source/text")).isEqualTo("thecatsleepsdoga");
      assertThat(ints(file, "vocab/source/offsets")).containsExactly(0, 0, 3, 6, 12, 15, 16);
      assertThat(text(file, "vocab/target/text")).isEqualTo("lechatdortchienb");
      assertThat(ints(file, "vocab/target/offsets")).containsExactly(0, 0, 2, 6, 10, 15, 16);
      assertThat(ints(file, "lexicon/source")).containsExactly(1, 2, 1, 1, 2, 1);
      assertThat(ints(file, "lexicon/target")).containsExactly(1, 3, 1, 1, 1, 1);
      // the cat sleeps / the dog / a /
      assertThat(ints(file, "segment/0/source")).containsExactly(1, 2, 3, 0, 1, 4, 0, 5, 0);
      assertThat(ints(file, "segment/0/suffixes")).containsExactly(8, 3, 6, 0, 4, 1, 2, 5, 7);
      assertThat(ints(file, "segment/0/starts")).containsExactly(0, 3, 5, 6, 7, 8, 9);
      // Ends: of (-1, 3) the middle is 1, of (1, 3) it is 2, of (-1, 1) it is 0.
      assertThat(ints(file, "segment/0/prefixes"))
          .containsExactly(
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16,
              1 | 1 << 16);
      int end = 1 << 31;
      assertThat(ints(file, "segment/0/extents"))
          .containsExactly(
              end,
              0,
              1 | 1 << 8 | 1 << 16,
              2 | 2 << 8 | 2 << 16,
              end | 4,
              1 | 1 << 8,
              1 << 8 | 1 << 16,
              end | 7,
              0xFF,
              end | 9);
      assertThat(ints(file, "segment/0/target")).containsExactly(1, 2, 3, 0, 4, 1, 0, 5, 0);
      assertThat(ints(file, "segment/0/target-extents"))
          .containsExactly(
              (1 | 1 << 8) << 16,
              2 | 2 << 8 | 0xFF << 16,
              1 | 1 << 8 | 1 << 8 << 16,
              0xFF | 0xFF << 16,
              0xFF);
    }
  }

  @Test
  void wideLayoutIsAsDocumented() {
    String long256 = "w ".repeat(255) + "x";
    ParallelText text = ParallelText.of("a b ||| " + long256 + " ||| 1-3 1-255", "a ||| y ||| ");
    try (IndexFile file = IndexFile.open(text.index(folder, "index.lpx"))) {
      assertThat(text(file, "settings")).contains("\"wide\" : true");
      ByteBuffer extents = file.section("segment/0/extents");
      assertThat(extents.remaining()).isEqualTo(8 * 6);
      long end = 1L << 63;
      assertThat(IntStream.range(0, 6).mapToLong(i -> extents.getLong(8 * i)))
          .containsExactly(end, 0xFFFFL, 3 | 255 << 16 | 1L << 32, end | 257, 0xFFFFL, end | 259);
      int[] target = ints(file, "segment/0/target-extents");
      assertThat(target).hasSize(259);
      assertThat(target[3]).isEqualTo(1 | 1 << 16);
      assertThat(target[255]).isEqualTo(1 | 1 << 16);
      assertThat(IntStream.range(0, 259).filter(i -> target[i] == 0xFFFF).count()).isEqualTo(257);
    }
  }

  @Test
  void placesTakeOneByteUpTo255Words() {
    for (int words : new int[] {255, 256}) {
      String side = "w ".repeat(words - 1) + "x";
      String last = (words - 1) + "-" + (words - 1);
      for (ParallelText text :
          List.of(
              ParallelText.of(side + " ||| " + side + " ||| " + last),
              ParallelText.of("a ||| a ||| 0-0", "x ||| " + side + " ||| 0-" + (words - 1)),
              ParallelText.of(side + " ||| x ||| " + (words - 1) + "-0", "a ||| a ||| 0-0"))) {
        Path path = text.index(folder, "index.lpx");
        try (PhraseIndex index = open(path)) {
          assertThat(index.segments().get(0).settings().wide()).isEqualTo(words > 255);
        }
        assertThat(shown(path, new PhraseOptions(0, 1, 1, false), List.of("x")))
            .containsExactly("x 1 [x 1]");
      }
    }
  }

  private static List<String> shown(Path path, PhraseOptions options, List<String> sentences) {
    List<String> shown = new ArrayList<>();
    try (Phrases phrases = Phrases.opener(options).open(path, Device.CPU)) {
      for (Result<PhraseTable> result : phrases.apply(sentences)) {
        for (SourcePhrase phrase : result.orElseThrow().phrases()) {
          List<String> pairs = new ArrayList<>();
          for (PhrasePair pair : phrase.pairs()) {
            assertThat(pair.lexicalTargetGivenSource()).isNotNegative();
            assertThat(pair.lexicalSourceGivenTarget()).isNotNegative();
            pairs.add(pair.text() + " " + pair.count());
          }
          shown.add(phrase.text() + " " + phrase.occurrences() + " " + pairs);
        }
      }
    }
    return shown;
  }

  @Test
  void saysWhatItHolds() {
    Path path = folder.resolve("index.lpx");
    PhraseIndexBuilder.index(TEXT.write(folder), false, path, "2026-11", BuildProgress.NONE);
    try (PhraseIndex index = open(path)) {
      assertThat(index.version()).isEqualTo("2026-11");
      assertThat(index.id()).hasSize(64);
      assertThat(index.source().size()).isEqualTo(6);
      assertThat(index.source().id("dog")).isEqualTo(4);
      assertThat(index.target().word(4)).isEqualTo("chien");
      assertThat(index.source().id("")).isEqualTo(PhraseSections.END);
      assertThat(index.source().id("chien")).isEqualTo(PhraseSections.END);
      assertThat(index.lexicon().links(1, 1)).isEqualTo(2);
      assertThat(index.segments()).hasSize(1);
    }
  }

  @Test
  void isTheSameInPiecesOfAnySize() {
    List<ParallelText.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      pairs.addAll(ParallelText.random(new Random(i)).pairs());
    }
    Path path = new ParallelText(pairs).index(folder, "index.lpx");
    try (IndexFile file = IndexFile.open(path)) {
      Segment whole = PhraseIndex.open(file).segments().get(0);
      Segment pieces = PhraseIndex.open(file, 8).segments().get(0);
      assertThat(whole.sourceLength()).isGreaterThan(64);
      for (int i = 0; i < whole.sourceLength(); i++) {
        assertThat(pieces.source(i)).isEqualTo(whole.source(i));
        assertThat(pieces.suffix(i)).isEqualTo(whole.suffix(i));
        assertThat(pieces.extent(i)).isEqualTo(whole.extent(i));
        assertThat(pieces.prefixLengths(i)).isEqualTo(whole.prefixLengths(i));
      }
      for (int i = 0; i < whole.targetLength(); i++) {
        assertThat(pieces.target(i)).isEqualTo(whole.target(i));
        assertThat(pieces.targetExtent(i)).isEqualTo(whole.targetExtent(i));
      }
    }
  }

  private Path changed(Path index, String section, UnaryOperator<ByteBuffer> change) {
    Path out = folder.resolve("changed.lpx");
    return ChangedIndex.write(index, PhraseIndex.KIND, out, section, change);
  }

  private void assertRefused(
      Path index, String section, UnaryOperator<ByteBuffer> change, String message) {
    Path path = changed(index, section, change);
    assertThatThrownBy(() -> open(path))
        .as(section)
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining(message);
  }

  @Test
  void refusesSectionsThatAreMissingCutOrExtended() {
    Path index = TEXT.index(folder, "index.lpx");
    List<String> names;
    try (IndexFile file = IndexFile.open(index)) {
      names = file.sections().stream().map(Section::name).toList();
    }
    for (String name : names) {
      assertRefused(index, name, bytes -> null, name);
      if (!name.equals("settings")) {
        String text = name.endsWith("/text") ? "is not sound" : name;
        assertRefused(index, name, bytes -> bytes.limit(bytes.limit() - 1), text);
        assertRefused(index, name, bytes -> bytes.limit(0), text);
        assertRefused(
            index, name, bytes -> ByteBuffer.allocate(bytes.limit() + 4).put(bytes).clear(), text);
      }
    }
    assertRefused(index, "settings", bytes -> bytes.limit(0), "section settings");
    assertRefused(index, "settings", bytes -> ByteBuffer.allocate(1 << 17), "section settings");
  }

  @Test
  void refusesDamagedSectionsByWhatIsWrong() {
    Path index = TEXT.index(folder, "index.lpx");
    String segment = "segment/0/";
    assertRefused(
        index, segment + "source", put(b -> b.putInt(0, 6)), "number 0 of section source");
    assertRefused(
        index, segment + "source", put(b -> b.putInt(4, -1)), "number 1 of section source");
    assertRefused(
        index, segment + "source", put(b -> b.putInt(32, 1)), "number 9 of section source");
    assertRefused(index, segment + "source", put(b -> b.putInt(0, 0)), "number");
    assertRefused(
        index, segment + "target", put(b -> b.putInt(8, 6)), "number 2 of section target");
    assertRefused(index, segment + "target", put(b -> b.putInt(12, 1)), "section");
    assertRefused(
        index, segment + "target", put(b -> b.putInt(32, 1)), "number 9 of section target");
    assertRefused(
        index, segment + "suffixes", put(b -> b.putInt(12, 9)), "number 3 of section suffixes");
    assertRefused(
        index, segment + "suffixes", put(b -> b.putInt(12, -1)), "number 3 of section suffixes");
    assertRefused(
        index, segment + "suffixes", put(b -> b.putInt(12, 1)), "number 3 of section suffixes");
    assertRefused(
        index, segment + "starts", put(b -> b.putInt(0, 1)), "number 0 of section starts");
    assertRefused(
        index, segment + "starts", put(b -> b.putInt(8, 2)), "number 2 of section starts");
    assertRefused(
        index, segment + "starts", put(b -> b.putInt(24, 10)), "number 6 of section starts");
    assertRefused(
        index, segment + "starts", put(b -> b.putInt(24, 8)), "number 6 of section starts");
    assertRefused(
        index, segment + "extents", put(b -> b.putInt(0, 0)), "number 0 of section extents");
    assertRefused(
        index, segment + "extents", put(b -> b.put(17, (byte) 1)), "number 4 of section extents");
    assertRefused(
        index, segment + "extents", put(b -> b.put(39, (byte) 0)), "number 9 of section extents");
    assertRefused(
        index, segment + "extents", put(b -> b.put(5, (byte) 3)), "number 1 of section extents");
    assertRefused(
        index, segment + "extents", put(b -> b.put(6, (byte) 1)), "number 1 of section extents");
    assertRefused(
        index, segment + "extents", put(b -> b.put(7, (byte) 1)), "number 1 of section extents");
    assertRefused(
        index, segment + "extents", put(b -> b.put(33, (byte) 1)), "number 8 of section extents");
    String targetExtents = segment + "target-extents";
    assertRefused(
        index, targetExtents, put(b -> b.put(1, (byte) 3)), "number 0 of section target-extents");
    assertRefused(
        index, targetExtents, put(b -> b.put(2, (byte) 2)), "number 1 of section target-extents");
    assertRefused(
        index, targetExtents, put(b -> b.put(6, (byte) 0)), "number 3 of section target-extents");
    assertRefused(
        index, "lexicon/source", put(b -> b.putInt(4, 1)), "of the lexicon links the words");
    assertRefused(
        index, "lexicon/target", put(b -> b.putInt(4, -1)), "target word 1 of the lexicon has");
    assertRefused(
        index,
        "lexicon/table",
        put(b -> IntStream.range(0, 15).forEach(i -> b.putInt(16 * i + 8, 1))),
        "the lexicon has no free slot");
    assertRefused(
        index,
        "vocab/source/offsets",
        put(b -> b.putInt(12, 1)),
        "word 3 is declared to start at 1");
    assertRefused(
        index,
        "vocab/source/offsets",
        put(b -> b.putInt(4, 1)),
        "vocab/source has a word of 1 bytes at id 0");
    assertRefused(
        index,
        "vocab/target/table",
        put(b -> b.putInt(4, 6)),
        "of the table of words holds the id 6");
  }

  @Test
  void refusesSettingsThatAreOutOfRangeOrDoNotAgree() {
    Path index = TEXT.index(folder, "index.lpx");
    for (String[] change :
        new String[][] {
          {
            "\"sourceWords\" : 6,\n  \"t",
            "\"sourceWords\" : 0,\n  \"t",
            "wrong at sourceWords: exp"
          },
          {"\"targetWords\" : 6", "\"targetWords\" : -1", "wrong at targetWords"},
          {"\"targetWords\" : 6", "\"targetWords\" : 2147483647", "section vocab/target/offsets"},
          {"\"targetWords\" : 6", "\"targetWords\" : 2147483648", "settings are wrong"},
          {"\"targetWords\" : 6", "\"targetWords\" : 5", "section vocab/target/offsets"},
          {"\"sourceSlots\" : 10", "\"sourceSlots\" : 0", "wrong at sourceSlots"},
          {"\"targetSlots\" : 10", "\"targetSlots\" : 11", "section vocab/target/table"},
          {"\"lexiconSlots\" : 15", "\"lexiconSlots\" : 2147483647", "section lexicon/table"},
          {"\"sentences\" : 3", "\"sentences\" : 2", "is wrong"},
          {"\"sentences\" : 3", "\"sentences\" : -3", "wrong at sentences"},
          {"\"sourceLength\" : 9", "\"sourceLength\" : 2", "wrong at sourceLength"},
          {"\"sourceLength\" : 9", "\"sourceLength\" : 2147483647", "wrong at sourceLength"},
          {"\"sourceLength\" : 9", "\"sourceLength\" : 2147483646", "section segment/0/"},
          {"\"targetLength\" : 9", "\"targetLength\" : 10", "section segment/0/target"},
          {"\"sourceWords\" : 6,\n    \"wide", "\"sourceWords\" : 7,\n    \"wide", "of a segment"},
          {
            "\"sourceWords\" : 6,\n    \"wide",
            "\"sourceWords\" : 5,\n    \"wide",
            "segment/0/starts"
          },
          {"\"wide\" : false", "\"wide\" : true", "section segment/0/extents"},
          {"\"wide\" : false", "\"wide\" : 0", "settings are wrong"},
          {"\"wide\"", "\"Wide\"", "settings are wrong"},
          {"{\n  \"source", "{\n  \"more\" : 1, \"source", "settings are wrong"},
        }) {
      assertRefused(index, "settings", replaced(change[0], change[1]), change[2]);
    }
    assertRefused(
        index,
        "settings",
        bytes -> {
          String text = StandardCharsets.UTF_8.decode(bytes).toString();
          String segments = text.replaceAll("(?s).*\\[(.*)].*", "$1");
          List<String> many = Collections.nCopies(65, segments.strip().replaceAll("\\s", ""));
          return ByteBuffer.wrap(
              text.replace(segments, String.join(",", many)).getBytes(StandardCharsets.UTF_8));
        },
        "the number of segments: expected 1 to 64, found 65");
    assertRefused(
        index,
        "settings",
        bytes ->
            ByteBuffer.wrap(
                StandardCharsets.UTF_8
                    .decode(bytes)
                    .toString()
                    .replaceAll("(?s)\\[.*]", "[ ]")
                    .getBytes(StandardCharsets.UTF_8)),
        "the number of segments: expected 1 to 64, found 0");
    assertRefused(
        index,
        "settings",
        bytes ->
            ByteBuffer.wrap(
                StandardCharsets.UTF_8
                    .decode(bytes)
                    .toString()
                    .replaceAll("(?s)\\[.*]", "[ null ]")
                    .getBytes(StandardCharsets.UTF_8)),
        "settings are wrong");
  }

  @Test
  void refusesOtherKindsAndVersions() {
    Path other = folder.resolve("other.lpx");
    try (IndexFileWriter writer =
        IndexFileWriter.create(other, new IndexKind("other", 1, 1, unread -> {}), "")) {
      writer.commit();
    }
    assertThatThrownBy(() -> open(other))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("expected an index of kind phrase-index, found other");
    try (IndexFileWriter writer =
        IndexFileWriter.create(
            other,
            new IndexKind(PhraseIndex.KIND.id(), 1, PhraseSections.VERSION + 1, unread -> {}),
            "")) {
      writer.commit();
    }
    assertThatThrownBy(() -> open(other))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("expected phrase-index version 1 to 2, found 3");
  }

  /** Text whose index has places of one byte, two bytes, or several segments. */
  private Path index(String layout) {
    Random random = new Random(5);
    ParallelText text = ParallelText.random(random);
    while (text.pairs().size() < 12) {
      text = ParallelText.random(random);
    }
    if (layout.equals("wide")) {
      List<ParallelText.Pair> pairs = new ArrayList<>(text.pairs());
      pairs.addAll(
          ParallelText.of("s0 s1 ||| " + "t0 t1 ".repeat(130) + "t0 ||| 0-0 1-2 1-259").pairs());
      text = new ParallelText(pairs);
    }
    int all = text.pairs().size();
    int first = layout.equals("segments") ? all - 1 : all;
    Path path = text.part(0, first).index(folder, layout + ".lpx");
    if (first < all) {
      text.part(first, all).append(folder, path);
      try (PhraseIndex index = open(path)) {
        assertThat(index.segments()).hasSize(2);
      }
    }
    return path;
  }

  private static List<String> sentences() {
    return List.of(
        "s0 s1 s2 s3 s4 s5",
        "s0 s0 s0 s0 s0 s0 s0 s0 s0 s0 s0 s0",
        "s1 s0 s1 s0 x s1 s1 s2 s3 s1 s0 s0",
        "s0 s1");
  }

  /** Whatever is changed, opening ends, and so does every search in what opens. */
  @ParameterizedTest
  @ValueSource(strings = {"narrow", "wide", "segments"})
  void survivesAnyChangedByte(String layout) {
    Path whole = index(layout);
    Random random = new Random(6);
    List<Section> sections;
    try (IndexFile file = IndexFile.open(whole)) {
      sections = file.sections();
    }
    int opened = 0;
    int refused = 0;
    for (Section section : sections) {
      for (int round = 0; round < 12 && section.length() > 0; round++) {
        int at = random.nextInt((int) section.length());
        int bits = 1 + random.nextInt(255);
        Path path =
            changed(
                whole, section.name(), put(bytes -> bytes.put(at, (byte) (bytes.get(at) ^ bits))));
        boolean answers = answers(path);
        opened += answers ? 1 : 0;
        refused += answers ? 0 : 1;
      }
    }
    assertThat(opened).isPositive();
    assertThat(refused).isPositive();
  }

  private static boolean answers(Path path) {
    try {
      shown(path, new PhraseOptions(0, 0, 0, true), sentences());
      shown(path, new PhraseOptions(2, 3, 4, false), sentences());
      Path merged = path.resolveSibling("merged.lpx");
      PhraseIndexBuilder.merge(path, merged, "", BuildProgress.NONE);
      shown(merged, new PhraseOptions(0, 0, 0, true), sentences());
      return true;
    } catch (OperatorException e) {
      assertThat(e).hasMessageMatching("(?s).{20,}");
      return false;
    }
  }

  @Test
  void addsNothingToAnIndexThatHasAWordTwice() {
    Path index = TEXT.index(folder, "index.lpx");
    Path twice = changed(index, "vocab/source/text", replaced("thecat", "thethe"));
    assertThatThrownBy(() -> PhraseIndexBuilder.merge(twice, index, "", BuildProgress.NONE))
        .isInstanceOf(PhraseIndexException.class)
        .hasMessageContaining("the word the has two ids");
    assertThatThrownBy(() -> TEXT.append(folder, twice)).isInstanceOf(PhraseIndexException.class);
  }

  /** The numbers that are too many to check when an index is opened. */
  @ParameterizedTest
  @ValueSource(strings = {"narrow", "wide", "segments"})
  void survivesSuffixesAndPrefixLengthsThatLie(String layout) {
    Path whole = index(layout);
    for (int round = 0; round < 40; round++) {
      Random random = new Random(round);
      Path path =
          changed(
              whole,
              "segment/0/prefixes",
              put(
                  bytes -> {
                    for (int at = 0; at < bytes.limit(); at += 2) {
                      bytes.putShort(
                          at, (short) random.nextInt(1 << (random.nextInt(4) == 0 ? 16 : 2)));
                    }
                  }));
      if (round % 2 == 0) {
        path = shuffled(path, random);
      }
      try (PhraseIndex index = open(path)) {
        assertThat(index.segments()).isNotEmpty();
      }
      answers(path);
    }
  }

  /** Mixes the suffixes of each first word. */
  private Path shuffled(Path index, Random random) {
    int[] starts;
    try (IndexFile file = IndexFile.open(index)) {
      starts = ints(file, "segment/0/starts");
    }
    return changed(
        index,
        "segment/0/suffixes",
        put(
            bytes -> {
              for (int word = 0; word + 1 < starts.length; word++) {
                for (int rank = starts[word]; rank < starts[word + 1]; rank++) {
                  int other = starts[word] + random.nextInt(starts[word + 1] - starts[word]);
                  int kept = bytes.getInt(4 * rank);
                  bytes.putInt(4 * rank, bytes.getInt(4 * other));
                  bytes.putInt(4 * other, kept);
                }
              }
            }));
  }
}
