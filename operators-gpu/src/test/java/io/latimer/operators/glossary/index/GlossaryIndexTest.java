package io.latimer.operators.glossary.index;

import static io.latimer.operators.testing.ChangedIndex.put;
import static io.latimer.operators.testing.ChangedIndex.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.glossary.index.GlossaryBuilder.Repeated;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.Section;
import io.latimer.operators.testing.ChangedIndex;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.util.Hashing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GlossaryIndexTest {
  private static final List<Term> TERMS =
      List.of(
          Term.of(List.of("front desk", "reception"), List.of("Rezeption")),
          Term.of(List.of("IT"), List.of("EDV", "IT")),
          Term.keep(List.of("Wi-Fi")));

  @TempDir private Path folder;

  private static GlossaryBuilder builder(List<Term> terms) {
    GlossaryBuilder builder =
        new GlossaryBuilder("en", "de", Repeated.REFUSED, place -> "term " + place);
    for (int i = 0; i < terms.size(); i++) {
      builder.add(terms.get(i), i + 1);
    }
    return builder;
  }

  private Path write() {
    Path file = folder.resolve("g.ltx");
    builder(TERMS).write(file, "v1");
    return file;
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
  void layoutIsAsDocumented() {
    try (IndexFile file = IndexFile.open(write())) {
      file.verify();
      assertThat(file.kind()).isEqualTo("glossary");
      assertThat(file.kindVersion()).isEqualTo(1);
      assertThat(file.sections())
          .extracting(Section::name)
          .containsExactly(
              "settings",
              "sources/text",
              "sources/offsets",
              "targets/text",
              "targets/offsets",
              "terms/sources",
              "terms/targets",
              "terms/rules",
              "table");
      assertThat(text(file, "settings").replaceAll("\\s", ""))
          .isEqualTo(
              ("{'sourceLanguage':'en','targetLanguage':'de','terms':3,'caseSensitiveTerms':1,"
                      + "'sources':4,'targets':3,'slots':15,'seed':0}")
                  .replace('\'', '"'));
      assertThat(text(file, "sources/text")).isEqualTo("front deskreceptionITWi-Fi");
      assertThat(ints(file, "sources/offsets")).containsExactly(0, 10, 19, 21, 26);
      assertThat(text(file, "targets/text")).isEqualTo("RezeptionEDVIT");
      assertThat(ints(file, "targets/offsets")).containsExactly(0, 9, 12, 14);
      assertThat(ints(file, "terms/sources")).containsExactly(0, 2, 3, 4);
      assertThat(ints(file, "terms/targets")).containsExactly(0, 1, 3, 3);
      byte[] rules = new byte[3];
      file.section("terms/rules").get(rules);
      assertThat(rules).containsExactly(0, 4 + 1, 2);
      checkTable(file.section("table"));
    }
  }

  /** The hashes as the page defines them, without Latimer's code. */
  private static void checkTable(ByteBuffer table) {
    assertThat(table.remaining()).isEqualTo(15 * 12);
    long space = 0x9e3779b97f4a7c15L;
    long folded = mix(space);
    long plain = mix(1 + space);
    long front = mix(31 * folded + word("front"));
    long wi = mix(31 * folded + word("wi"));
    long hyphen = mix(31 * wi + word("-"));
    assertThat(entry(table, front)).isEqualTo(1);
    assertThat(entry(table, mix(31 * front + word("desk") + space))).isEqualTo(2);
    assertThat(entry(table, mix(31 * folded + word("reception")))).isEqualTo(3);
    assertThat(entry(table, mix(31 * plain + word("IT")))).isEqualTo(4);
    assertThat(entry(table, wi)).isEqualTo(1);
    assertThat(entry(table, hyphen)).isEqualTo(1);
    assertThat(entry(table, mix(31 * hyphen + word("fi")))).isEqualTo(5);
    assertThat(IntStream.range(0, 15).filter(slot -> table.getInt(12 * slot + 8) != 0)).hasSize(7);
  }

  private static long word(String word) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : word.getBytes(StandardCharsets.UTF_16LE)) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return mix(hash);
  }

  private static long mix(long x) {
    x = (x ^ (x >>> 33)) * 0xff51afd7ed558ccdL;
    x = (x ^ (x >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return x ^ (x >>> 33);
  }

  private static int entry(ByteBuffer table, long hash) {
    int slots = table.remaining() / 12;
    int slot = (int) (((hash >>> 32) * slots) >>> 32);
    while (table.getLong(12 * slot) != hash && table.getInt(12 * slot + 8) != 0) {
      slot = (slot + 1) % slots;
    }
    return table.getInt(12 * slot + 8);
  }

  @Test
  void equalTermsGiveEqualBytesInFilesAndInMemory() throws IOException {
    byte[] first = Files.readAllBytes(write());
    assertThat(Files.readAllBytes(write())).isEqualTo(first);
    try (IndexFile file = IndexFile.open(folder.resolve("g.ltx"))) {
      GlossaryIndex mapped = GlossaryIndex.open(file);
      GlossaryIndex built = builder(TERMS).inMemory();
      assertThat(IntStream.range(0, 3).mapToObj(mapped::term)).containsExactlyElementsOf(TERMS);
      assertThat(IntStream.range(0, 3).mapToObj(built::term)).containsExactlyElementsOf(TERMS);
      assertThat(mapped.version()).isEqualTo("v1");
      assertThat(mapped.id()).hasSize(64);
      String sentence = "Ask reception or the FRONT DESK about it, IT and wi-fi.";
      assertThat(Glossary.of(mapped).find(sentence))
          .hasSize(4)
          .isEqualTo(Glossary.of(built).find(sentence));
    }
  }

  @Test
  void theReportHasTheSizes() {
    try (IndexFile file = IndexFile.open(write())) {
      assertThat(GlossaryIndex.report(file))
          .isEqualTo(new GlossaryReport("en", "de", 3, 1, 4, 3, file.length()));
    }
  }

  @Test
  void repeatedSourceFormsAreRefusedOrTheLastCounts() {
    List<Term> terms =
        List.of(
            Term.of(List.of("lift"), List.of("Aufzug")),
            Term.of(List.of("Lift"), List.of("Aufzug")),
            Term.of(List.of("elevator", "LIFt"), List.of("Lift")));
    assertThatThrownBy(() -> builder(terms).inMemory())
        .isInstanceOf(GlossaryFormatException.class)
        .hasMessage(
            "term 3: \"elevator\" has another translation than in term 1; remove one, or write all"
                + " forms in one of them, separated by |");
    assertThat(builder(terms.subList(0, 2)).inMemory().size()).isEqualTo(2);
    GlossaryBuilder last = new GlossaryBuilder("en", "de", Repeated.LAST_COUNTS, place -> "");
    terms.forEach(term -> last.add(term, 0));
    assertThat(Glossary.of(last.inMemory()).find("a lift").get(0).term()).isEqualTo(terms.get(2));
  }

  @Test
  void addedTermsCountBeforeThoseOfTheIndex() {
    Path index = write();
    Term other = Term.of(List.of("Reception"), List.of("Empfang"));
    Term more = Term.of(List.of("lift"), List.of("Aufzug"));
    GlossaryReport report = GlossaryBuilder.append(index, List.of(more, other), index, "v2");
    assertThat(report.terms()).isEqualTo(5);
    try (IndexFile file = IndexFile.open(index)) {
      assertThat(file.version()).isEqualTo("v2");
      assertThat(Glossary.of(GlossaryIndex.open(file)).find("front desk, reception, lift"))
          .extracting(match -> match.term())
          .containsExactly(TERMS.get(0), other, more);
    }
  }

  private void refuses(String section, UnaryOperator<ByteBuffer> change, String expected) {
    Path changed =
        ChangedIndex.write(
            write(), GlossaryIndex.KIND, folder.resolve("changed.ltx"), section, change);
    try (IndexFile file = IndexFile.open(changed)) {
      assertThatThrownBy(() -> GlossaryIndex.open(file))
          .isInstanceOf(IndexFormatException.class)
          .hasMessageStartingWith(changed + "")
          .hasMessageContaining(expected);
    }
  }

  @Test
  void everyNumberIsCheckedBeforeItIsUsed() {
    refuses(
        "settings",
        replaced("\"terms\" : 3", "\"terms\" : 1000001"),
        "settings are wrong at terms");
    refuses("settings", replaced("\"seed\" : 0", "\"seed\" : 8"), "settings are wrong at seed");
    refuses("settings", replaced("\"en\"", "\"\""), "the length of sourceLanguage");
    refuses("settings", replaced("\"sources\" : 4", "\"sources\" : 5"), "sources/offsets");
    refuses(
        "settings",
        replaced("\"caseSensitiveTerms\" : 1", "\"caseSensitiveTerms\" : 2"),
        "expected 2 case-sensitive terms, found 1");
    refuses("sources/offsets", put(b -> b.putInt(4, -1)), "sources/offsets number 1");
    refuses("sources/offsets", put(b -> b.putInt(0, 1)), "sources/offsets must begin with 0");
    refuses("sources/offsets", put(b -> b.putInt(16, 27)), "end with 26, found 0 and 27");
    refuses("targets/offsets", put(b -> b.putInt(4, 0)), "targets/offsets number 1");
    refuses("targets/offsets", put(b -> b.putInt(0, -5)), "targets/offsets must begin with 0");
    refuses("terms/sources", put(b -> b.putInt(4, 3)), "terms/sources number 2");
    refuses("terms/targets", put(b -> b.putInt(8, 1)), "term 1 has the rule 5 and 0 target forms");
    refuses("terms/rules", put(b -> b.put(0, (byte) 3)), "term 0 has the rule 3");
    refuses("terms/rules", put(b -> b.put(0, (byte) 8)), "term 0 has the rule 8");
    refuses("terms/rules", put(b -> b.put(2, (byte) 0)), "term 2 has the rule 0 and 0 target");
    refuses("table", put(b -> b.putInt(8, 6)), "slot 0 of the table");
    refuses("table", put(b -> b.putInt(12 * 14 + 8, -1)), "slot 14 of the table");
    refuses("table", bytes -> bytes.limit(12), "table");
    refuses("targets/text", bytes -> null, "expected the sections");
  }

  /** Every way to damage the content ends in an error, or in a search that ends. */
  @Test
  void damagedSectionsAreRefusedOrHarmless() throws IOException {
    Path index = write();
    List<String> sections;
    try (IndexFile file = IndexFile.open(index)) {
      sections = file.sections().stream().map(Section::name).toList();
    }
    Random random = new Random(3);
    int opened = 0;
    for (int i = 0; i < 600; i++) {
      String section = sections.get(random.nextInt(sections.size()));
      Path changed =
          ChangedIndex.write(
              index,
              GlossaryIndex.KIND,
              folder.resolve("fuzz.ltx"),
              section,
              put(b -> b.put(random.nextInt(b.limit()), (byte) random.nextInt(256))));
      try (IndexFile file = IndexFile.open(changed)) {
        Glossary glossary = Glossary.of(GlossaryIndex.open(file));
        opened++;
        glossary.find("The front desk, reception, IT and Wi-Fi.");
      } catch (OperatorException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
    assertThat(opened).isBetween(50, 550);
  }

  @Test
  void aTableWithoutFreeSlotsEndsSearches() {
    Path full =
        ChangedIndex.write(
            write(),
            GlossaryIndex.KIND,
            folder.resolve("full.ltx"),
            "table",
            put(
                b -> {
                  for (int slot = 0; slot < 15; slot++) {
                    b.putInt(12 * slot + 8, 2);
                  }
                }));
    try (IndexFile file = IndexFile.open(full)) {
      assertThat(Glossary.of(GlossaryIndex.open(file)).find("nothing is found here")).isEmpty();
    }
  }

  /** As many words of the same slot under each of some seeds as no search passes. */
  private static List<Term> colliding(int seeds) {
    int each = GlossarySections.MAX_PROBES + 1;
    int slots = 2 * each * seeds + 1;
    int[] found = new int[seeds];
    List<Term> terms = new ArrayList<>();
    for (int n = 0; terms.size() < each * seeds; n++) {
      String word = "w" + n;
      long hash = TermWords.of(word, TermFolding.USUAL).hash(0, true, false);
      for (int seed = 0; seed < seeds; seed++) {
        long whole = TermHash.next(TermHash.start(seed, false), hash);
        if (found[seed] < each && Hashing.home(whole, slots) == 0) {
          found[seed]++;
          terms.add(Term.keep(List.of(word)));
          break;
        }
      }
    }
    return terms;
  }

  @Test
  void termsThatFallTogetherGetAnotherSeed() {
    List<Term> terms = colliding(2);
    Path file = folder.resolve("seed.ltx");
    builder(terms).write(file, "");
    try (IndexFile opened = IndexFile.open(file)) {
      assertThat(text(opened, "settings")).contains("\"seed\" : 2");
      Glossary glossary = Glossary.of(GlossaryIndex.open(opened));
      assertThat(terms)
          .allSatisfy(term -> assertThat(glossary.find(term.sources().get(0))).hasSize(1));
    }
  }

  @Test
  void termsMadeToFallTogetherAreRefused() {
    assertThatThrownBy(() -> builder(colliding(GlossarySettings.SEEDS)).inMemory())
        .isInstanceOf(GlossaryFormatException.class)
        .hasMessage("the glossary has source forms that are made to collide; no table takes them");
  }

  @Test
  void limitsAreNamed() {
    GlossaryBuilder words = builder(List.of());
    Term long32 = Term.of(List.of("a ".repeat(32)), List.of("x"));
    words.add(long32, 1);
    Term tooLong = Term.of(List.of("\u4e2d".repeat(33)), List.of("x"));
    assertThatThrownBy(() -> words.add(tooLong, 7))
        .isInstanceOf(GlossaryFormatException.class)
        .hasMessageStartingWith("term 7: expected a source form of 1 to 32 words, found 33 in ");
    Glossary glossary = Glossary.of(words.inMemory());
    assertThat(glossary.find("a ".repeat(70))).hasSize(2);
    assertThatThrownBy(() -> new GlossaryBuilder("", "de", Repeated.REFUSED, place -> ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
