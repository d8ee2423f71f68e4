package io.latimer.operators.grammar.index;

import static io.latimer.operators.testing.ChangedIndex.put;
import static io.latimer.operators.testing.ChangedIndex.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.UnknownWords;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.Section;
import io.latimer.operators.testing.ChangedIndex;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrammarIndexTest {
  @TempDir private Path folder;

  /** A and B derive each other; S derives C, so that S -> A B is superfluous. */
  private Path grammar() {
    return GrammarFiles.index(
        folder,
        "small",
        "start S",
        "v S",
        "v A",
        "v B",
        "v C",
        "b S A B 0.5",
        "b S S B 0.25",
        "b C A B 1",
        "b S S B 0.125",
        "u S C 0.5",
        "u A B 0.5",
        "u B A 0.25",
        "t A x 1",
        "t B y 1");
  }

  private static GrammarIndex open(Path path) {
    try (IndexFile file = IndexFile.open(path)) {
      file.verify();
      return GrammarIndex.open(file);
    }
  }

  private static int[] ints(IndexFile file, String section) {
    ByteBuffer bytes = file.section(section);
    return IntStream.range(0, bytes.remaining() / 4).map(i -> bytes.getInt(4 * i)).toArray();
  }

  private static int[] shorts(IndexFile file, String section) {
    ByteBuffer bytes = file.section(section);
    return IntStream.range(0, bytes.remaining() / 2).map(i -> bytes.getChar(2 * i)).toArray();
  }

  private static List<Float> floats(IndexFile file, String section) {
    ByteBuffer bytes = file.section(section);
    return IntStream.range(0, bytes.remaining() / 4).mapToObj(i -> bytes.getFloat(4 * i)).toList();
  }

  private static String text(IndexFile file, String section) {
    return StandardCharsets.UTF_8.decode(file.section(section)).toString();
  }

  private static List<Float> logs(double... probabilities) {
    return IntStream.range(0, probabilities.length)
        .mapToObj(i -> (float) Math.log(probabilities[i]))
        .toList();
  }

  /** What docs/formats.md says of each section, byte by byte. */
  @Test
  void layoutIsAsDocumented() {
    try (IndexFile file = IndexFile.open(grammar())) {
      assertThat(file.kind()).isEqualTo("grammar");
      assertThat(file.kindVersion()).isEqualTo(1);
      assertThat(file.sections())
          .extracting(Section::name)
          .containsExactly(
              "settings",
              "variables/text",
              "variables/offsets",
              "terminals/text",
              "terminals/offsets",
              "terminals/table",
              "grammar/binary",
              "grammar/unary",
              "grammar/lexical",
              "weights/binary",
              "weights/unary",
              "weights/lexical",
              "classes/of",
              "classes/ancestor-starts",
              "classes/ancestors",
              "rules/by-parent",
              "rules/by-left",
              "rules/by-right",
              "rules/side-starts",
              "lexicon/starts",
              "lexicon/classes",
              "paths/starts",
              "paths/parents",
              "paths/next",
              "paths/weights");
      assertThat(text(file, "settings").replaceAll("\\s", ""))
          .isEqualTo(
              ("{'variables':4,'start':0,'terminals':3,'slots':5,'derivesEmpty':false,"
                      + "'weighted':true,'binaryRules':4,'unaryRules':3,'lexicalRules':2,"
                      + "'classes':3,'ancestors':1,'classRules':2,'sides':2,'entries':2,"
                      + "'paths':3}")
                  .replace('\'', '"'));
      assertThat(text(file, "variables/text")).isEqualTo("SABC");
      assertThat(ints(file, "variables/offsets")).containsExactly(0, 1, 2, 3, 4);
      assertThat(text(file, "terminals/text")).isEqualTo("xy");
      assertThat(ints(file, "terminals/offsets")).containsExactly(0, 0, 1, 2);
      assertThat(shorts(file, "grammar/binary"))
          .containsExactly(0, 1, 2, 0, 0, 2, 3, 1, 2, 0, 0, 2);
      assertThat(shorts(file, "grammar/unary")).containsExactly(0, 3, 1, 2, 2, 1);
      assertThat(ints(file, "grammar/lexical")).containsExactly(1, 1, 2, 2);
      assertThat(floats(file, "weights/binary")).isEqualTo(logs(0.5, 0.25, 1, 0.125));
      assertThat(floats(file, "weights/unary")).isEqualTo(logs(0.5, 0.5, 0.25));
      assertThat(floats(file, "weights/lexical")).isEqualTo(logs(1, 1));
      // Classes: C, S, A with B.
      assertThat(shorts(file, "classes/of")).containsExactly(1, 2, 2, 0);
      assertThat(ints(file, "classes/ancestor-starts")).containsExactly(0, 1, 1, 1);
      assertThat(shorts(file, "classes/ancestors")).containsExactly(1);
      assertThat(shorts(file, "rules/by-parent")).containsExactly(0, 2, 2, 1, 1, 2);
      assertThat(shorts(file, "rules/by-left")).containsExactly(1, 1, 2, 0, 2, 2);
      assertThat(shorts(file, "rules/by-right")).containsExactly(1, 1, 2, 0, 2, 2);
      assertThat(ints(file, "rules/side-starts")).containsExactly(0, 1, 2);
      assertThat(ints(file, "lexicon/starts")).containsExactly(0, 0, 1, 2);
      assertThat(shorts(file, "lexicon/classes")).containsExactly(2, 2);
      assertThat(ints(file, "paths/starts")).containsExactly(0, 0, 1, 2, 3);
      assertThat(shorts(file, "paths/parents")).containsExactly(2, 1, 0);
      assertThat(shorts(file, "paths/next")).containsExactly(1, 2, 3);
      assertThat(floats(file, "paths/weights")).isEqualTo(logs(0.25, 0.5, 0.5));
    }
  }

  @Test
  void saysWhatItHolds() {
    Path path = grammar();
    try (IndexFile file = IndexFile.open(path)) {
      assertThat(GrammarIndex.report(file))
          .isEqualTo(
              new GrammarIndexReport(4, 2, 4, 3, 2, false, true, 3, 2, 2, path.toFile().length()));
    }
    GrammarIndex index = open(path);
    assertThat(index.variables()).containsExactly("S", "A", "B", "C");
    assertThat(index.terminals().word(2)).isEqualTo("y");
    assertThat(index.id()).hasSize(64);
  }

  @Test
  void rulesThatAncestorsMakeSuperfluousAreDropped() {
    Path path =
        GrammarFiles.index(
            folder,
            "superfluous",
            "start S",
            "v S",
            "v X",
            "v Y",
            "v Top",
            "u X Y",
            "u Top S",
            "b S X X",
            "b S Y X",
            "b Top X Y",
            "b Y Y Y",
            "b X Y Y",
            "b S S S",
            "t Y y");
    GrammarIndex index = open(path);
    assertThat(index.classes()).isEqualTo(4);
    ByteBuffer rules = index.byLeft();
    List<String> shown = new ArrayList<>();
    String[] names = new String[4];
    for (int v = 0; v < 4; v++) {
      names[index.classOf().getChar(2 * v)] = index.variables().get(v);
    }
    for (int r = 0; r < index.rules(); r++) {
      shown.add(
          names[rules.getChar(6 * r)]
              + " "
              + names[rules.getChar(6 * r + 2)]
              + " "
              + names[rules.getChar(6 * r + 4)]);
    }
    assertThat(shown).containsExactlyInAnyOrder("S X X", "Y Y Y", "S S S");
  }

  private Path changed(Path index, String section, UnaryOperator<ByteBuffer> change) {
    Path out = folder.resolve("changed.lgx");
    return ChangedIndex.write(index, GrammarIndex.KIND, out, section, change);
  }

  private void assertRefused(String section, UnaryOperator<ByteBuffer> change, String message) {
    Path path = changed(grammar(), section, change);
    assertThatThrownBy(() -> open(path))
        .as(section)
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining(message);
  }

  @Test
  void refusesSectionsThatAreMissingCutOrExtended() {
    List<String> names;
    try (IndexFile file = IndexFile.open(grammar())) {
      names = file.sections().stream().map(Section::name).toList();
    }
    for (String name : names) {
      assertRefused(name, bytes -> null, name);
      if (!name.equals("settings")) {
        String text = name.endsWith("/text") ? "is not sound" : name;
        assertRefused(name, bytes -> bytes.limit(bytes.limit() - 1), text);
        assertRefused(name, bytes -> bytes.limit(0), text);
        assertRefused(
            name, bytes -> ByteBuffer.allocate(bytes.limit() + 4).put(bytes).clear(), text);
      }
    }
    assertRefused("settings", bytes -> bytes.limit(0), "section settings");
    assertRefused("settings", bytes -> ByteBuffer.allocate(1 << 17), "section settings");
  }

  private void assertWrong(String section, int at, int value) {
    assertRefused(
        section,
        put(bytes -> bytes.putShort(2 * at, (short) value)),
        "number " + at + " of section " + section + " is wrong");
  }

  @Test
  void refusesDamagedSectionsByWhatIsWrong() {
    assertWrong("grammar/binary", 2, 4);
    assertWrong("grammar/unary", 0, 0xFFFF);
    assertWrong("classes/of", 3, 3);
    assertWrong("classes/ancestors", 0, 3);
    assertWrong("classes/ancestors", 0, 0); // not above its class
    assertWrong("rules/by-parent", 3, 0); // no longer ascending
    assertWrong("rules/by-left", 0, 3);
    assertWrong("rules/by-right", 5, 3);
    assertWrong("lexicon/classes", 1, 3);
    assertWrong("paths/parents", 2, 4);
    assertWrong("paths/next", 0, 4);
    for (String section :
        List.of("classes/ancestor-starts", "rules/side-starts", "lexicon/starts", "paths/starts")) {
      assertRefused(section, put(b -> b.putInt(0, 1)), "number 0 of section " + section);
      assertRefused(section, put(b -> b.putInt(8, -1)), "number 2 of section " + section);
      int last = section.startsWith("paths") ? 4 : section.startsWith("rules") ? 2 : 3;
      assertRefused(
          section,
          put(b -> b.putInt(4 * last, b.getInt(4 * last) + 1)),
          "number " + last + " of section " + section);
    }
    assertRefused("rules/side-starts", put(b -> b.putInt(4, 0)), "number 1 of section rules/side");
    assertRefused("lexicon/starts", put(b -> b.putInt(4, 1)), "number 1 of section lexicon/starts");
    assertRefused("grammar/lexical", put(b -> b.putInt(0, 4)), "number 0 of section grammar/lex");
    assertRefused("grammar/lexical", put(b -> b.putInt(4, 0)), "number 1 of section grammar/lex");
    assertRefused("grammar/lexical", put(b -> b.putInt(4, 3)), "number 1 of section grammar/lex");
    for (String section :
        List.of("weights/binary", "weights/unary", "weights/lexical", "paths/weights")) {
      for (float weight : new float[] {0.5f, Float.NaN, Float.NEGATIVE_INFINITY}) {
        assertRefused(section, put(b -> b.putFloat(4, weight)), "number 1 of section " + section);
      }
    }
    assertRefused("variables/text", put(b -> b.put(1, (byte) 0xFF)), "the name of variable 1");
    assertRefused("variables/offsets", put(b -> b.putInt(4, 0)), "the name of variable 0 is empty");
    assertRefused("variables/offsets", put(b -> b.putInt(4, 9)), "the name of variable 0");
    assertRefused("variables/offsets", put(b -> b.putInt(16, 9)), "the name of variable 3");
    assertRefused("terminals/offsets", put(b -> b.putInt(4, 1)), "terminal 0, which stands for");
    assertRefused("terminals/table", put(b -> b.putInt(4, 3)), "of the table of words");
  }

  /** Right-hand sides that are split or joined. */
  @Test
  void refusesSidesThatAreNotThoseOfTheRules() {
    Path index =
        GrammarFiles.index(
            folder, "sides", "start S", "v S", "v T", "b S S S", "b T S S", "b S T S", "t S x");
    Path path = changed(index, "rules/side-starts", put(b -> b.putInt(4, 1)));
    assertThatThrownBy(() -> open(path))
        .hasMessageContaining("number 1 of section rules/side-starts is wrong");
  }

  @Test
  void refusesSettingsThatAreOutOfRangeOrDoNotAgree() {
    for (String[] change :
        new String[][] {
          {"\"variables\" : 4", "\"variables\" : 0", "wrong at variables"},
          {"\"variables\" : 4", "\"variables\" : 65536", "wrong at variables"},
          {"\"variables\" : 4", "\"variables\" : 5", "section"},
          {"\"start\" : 0", "\"start\" : 4", "wrong at start"},
          {"\"terminals\" : 3", "\"terminals\" : 0", "wrong at terminals"},
          {"\"slots\" : 5", "\"slots\" : 268435455", "section terminals/table"},
          {"\"binaryRules\" : 4", "\"binaryRules\" : 268435456", "wrong at binaryRules"},
          {"\"unaryRules\" : 3", "\"unaryRules\" : 2", "section"},
          {"\"lexicalRules\" : 2", "\"lexicalRules\" : -1", "wrong at lexicalRules"},
          {"\"classes\" : 3", "\"classes\" : 5", "wrong at classes"},
          {"\"classes\" : 3", "\"classes\" : 2", "section"},
          {"\"ancestors\" : 1", "\"ancestors\" : 2", "section classes/ancestors"},
          {"\"classRules\" : 2", "\"classRules\" : 5", "wrong at classRules"},
          {"\"sides\" : 2", "\"sides\" : 3", "wrong at sides"},
          {"\"entries\" : 2", "\"entries\" : 3", "wrong at entries"},
          {"\"paths\" : 3", "\"paths\" : 4", "section paths/"},
          {"\"weighted\" : true", "\"weighted\" : false", "wrong at paths"},
          {"\"derivesEmpty\" : false", "\"derivesEmpty\" : 0", "settings are wrong"},
          {"\"start\"", "\"Start\"", "settings are wrong"},
        }) {
      assertRefused("settings", replaced(change[0], change[1]), change[2]);
    }
  }

  @Test
  void refusesOtherKindsAndVersions() {
    Path other = folder.resolve("other.lgx");
    try (IndexFileWriter writer =
        IndexFileWriter.create(
            other, new IndexKind("grammar", 1, GrammarSections.VERSION + 1, unread -> {}), "")) {
      writer.commit();
    }
    assertThatThrownBy(() -> open(other))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("expected grammar version 1, found 2");
  }

  /** Whatever is changed, opening ends, and so does every check with what opens. */
  @Test
  void survivesAnyChangedByte() {
    Path whole = grammar();
    Random random = new Random(6);
    List<Section> sections;
    try (IndexFile file = IndexFile.open(whole)) {
      sections = file.sections();
    }
    int opened = 0;
    int refused = 0;
    for (Section section : sections) {
      for (int round = 0; round < 40 && section.length() > 0; round++) {
        int at = random.nextInt((int) section.length());
        int bits = 1 + random.nextInt(255);
        boolean answers =
            answers(
                changed(
                    whole,
                    section.name(),
                    put(bytes -> bytes.put(at, (byte) (bytes.get(at) ^ bits)))));
        opened += answers ? 1 : 0;
        refused += answers ? 0 : 1;
      }
    }
    assertThat(opened).isPositive();
    assertThat(refused).isPositive();
  }

  private static boolean answers(Path path) {
    try (CheckGrammar check =
        CheckGrammar.opener(new GrammarOptions(UnknownWords.ANY, 1024, true, true))
            .open(path, Device.CPU)) {
      List<Result<GrammarVerdict>> found =
          check.apply(List.of("x y", "x", "x y y y x", "z z ".repeat(40)));
      assertThat(found).hasSize(4);
      return true;
    } catch (OperatorException e) {
      assertThat(e).hasMessageMatching("(?s).{20,}");
      return false;
    }
  }

  @Test
  void equalGrammarsGiveEqualBytes() {
    Path first = grammar();
    String id = open(first).id();
    assertThat(open(grammar()).id()).isEqualTo(id);
  }
}
