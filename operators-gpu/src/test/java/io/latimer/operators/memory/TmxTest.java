package io.latimer.operators.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TmxTest {
  private static final String HEAD =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">"
          + "<header srclang=\"en\" datatype=\"plaintext\"/><body>\n";
  private static final String TAIL = "</body></tmx>";

  private static List<String> read(byte[] file, String source, String target) {
    List<String> pairs = new ArrayList<>();
    try (TmxReader reader = new TmxReader(new ByteArrayInputStream(file), source, target)) {
      for (TmxReader.Unit unit = reader.next(); unit != null; unit = reader.next()) {
        pairs.add(unit.source() + " = " + unit.target());
      }
      pairs.add(reader.skipped() + " skipped");
    }
    return pairs;
  }

  private static List<String> read(String body, String source, String target) {
    return read((HEAD + body + TAIL).getBytes(StandardCharsets.UTF_8), source, target);
  }

  private static String unit(String... languagesAndTexts) {
    StringBuilder unit = new StringBuilder("<tu><note>why</note>");
    for (int i = 0; i < languagesAndTexts.length; i += 2) {
      unit.append("<tuv xml:lang=\"").append(languagesAndTexts[i]).append("\"><prop>x</prop><seg>");
      unit.append(languagesAndTexts[i + 1]).append("</seg></tuv>");
    }
    return unit.append("</tu>\n").toString();
  }

  @Test
  void whatIsWrittenIsRead() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TmxWriter writer = new TmxWriter(out, "1", "en", "de")) {
      writer.write("A <b> & \"c\"\n😀", "Ä\t'");
      writer.write("Yes", "Ja");
      writer.write("a\r\nb\rc", "x\ry");
      writer.end();
    }
    assertThat(read(out.toByteArray(), "", ""))
        .containsExactly("A <b> & \"c\"\n😀 = Ä\t'", "Yes = Ja", "a\r\nb\rc = x\ry", "0 skipped");
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("<tmx version=\"1.4\">", "srclang=\"en\"", "<tuv xml:lang=\"de\"><seg>Ja</seg>");
  }

  @Test
  void theTextOfInlineElementsIsKeptWithoutTheirCodes() {
    String marked =
        "Press <bpt i=\"1\">&lt;b&gt;</bpt><hi>the <ph>{0}</ph>big</hi><ept i=\"1\">&lt;/b&gt;"
            + "</ept> button<it pos=\"begin\">x<sub>y</sub></it> &amp; wait";
    assertThat(read(unit("de", "Drücken", "en", marked), "", ""))
        .containsExactly("Press the big button & wait = Drücken", "0 skipped");
  }

  @Test
  void languagesAreChosenAndUnitsThatLackOneAreSkipped() {
    String units =
        unit("en-US", "One", "de-DE", "Eins", "fr", "Un")
            + unit("fr", "Deux", "de", "Zwei")
            + unit("en", "Three", "de", " ");
    assertThat(read(units, "en", "de")).containsExactly("One = Eins", "2 skipped");
    assertThat(read(units, "fr", "de")).containsExactly("Un = Eins", "Deux = Zwei", "1 skipped");
    assertThatThrownBy(() -> read(units, "", ""))
        .isInstanceOf(OperatorException.class)
        .hasMessage(
            "line 4: the unit has the languages en-US, de-DE, fr; say which is the target"
                + " language");
  }

  @Test
  void whatIsNotTmxIsRefused() {
    assertThatThrownBy(() -> read("not xml".getBytes(StandardCharsets.UTF_8), "", ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("line 1: not TMX: ");
    assertThatThrownBy(() -> read("<tu><tuv>", "", ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("not TMX");
    assertThatThrownBy(() -> read(unit("en", "a &own; b", "de", "c"), "", ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("own");
    assertThatThrownBy(() -> read(unit("en", "x".repeat(1 << 19), "de", "c"), "", ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("more than 262144 characters");
    assertThatThrownBy(() -> read(unit("en", "<hi>".repeat(80), "de", "c"), "", ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("64 levels");
    TmxWriter writer = new TmxWriter(new ByteArrayOutputStream(), "1", "en", "de");
    assertThatThrownBy(() -> writer.write("a", "b\u0001"))
        .isInstanceOf(OperatorException.class)
        .hasMessage("a text has the character U+0001, which XML cannot have; remove it");
    writer.close();
  }

  @Test
  void anEntityOfADocumentTypeIsNotExpanded() {
    String bomb =
        "<!DOCTYPE tmx [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
            + "<tmx><header srclang=\"en\"/><body>"
            + unit("en", "&b;", "de", "x")
            + TAIL;
    assertThatThrownBy(() -> read(bomb.getBytes(StandardCharsets.UTF_8), "", ""))
        .isInstanceOf(OperatorException.class);
  }
}
