package io.latimer.operators.glossary.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.glossary.index.GlossaryFormatException;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GlossaryTextTest {
  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static GlossaryText.Read read(Path file) {
    return new GlossaryText(file, null, "en", "de").read(BuildProgress.NONE);
  }

  private List<Term> terms(String name, String text) throws IOException {
    GlossaryIndex index = read(file(name, text)).builder().inMemory();
    return IntStream.range(0, index.size()).mapToObj(index::term).toList();
  }

  private String error(String name, String text) throws IOException {
    Path file = file(name, text);
    Throwable[] thrown = new Throwable[1];
    assertThatThrownBy(() -> read(file).builder().inMemory())
        .isInstanceOf(GlossaryFormatException.class)
        .satisfies(e -> thrown[0] = e);
    return thrown[0].getMessage().replace(file.toString(), "FILE");
  }

  private static final Term LIFT =
      new Term(List.of("lift"), List.of("Aufzug"), false, TargetRule.AS_GIVEN);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lift\tAufzug\n",
        "lift\tAufzug",
        "\ufefflift\tAufzug\r\n\r\n\t\n",
        " lift \t Aufzug ",
        "source\ttarget\nlift\tAufzug",
        "Target\tNote\tSOURCE\nAufzug\tnot Lift\tlift",
        "source\ttarget\tcase\trule\nlift\tAufzug",
        "source\ttarget\tcase\trule\nlift\tAufzug\tno\tgiven",
      })
  void tablesInTsv(String text) throws IOException {
    assertThat(terms("g.tsv", text)).containsExactly(LIFT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lift,Aufzug\n",
        "\"lift\",\"Aufzug\"\r\n",
        "\ufeffsource,target\r\nlift,Aufzug\r\n",
        "rule,target,source\n,\"Aufzug\",lift",
        "\"\nlift\n\",Aufzug",
      })
  void tablesInCsv(String text) throws IOException {
    assertThat(terms("g.csv", text)).containsExactly(LIFT);
  }

  @Test
  void cellsSayCaseRuleAndForms() throws IOException {
    assertThat(
            terms(
                "g.tsv",
                """
                source\ttarget\tcase\trule
                room|rooms\tZimmer|Zimmern
                IT\tEDV
                US\tUSA\tno
                Bank\tBank\tyes\tany
                Wi-Fi|WLAN\t-
                """))
        .containsExactly(
            new Term(
                List.of("room", "rooms"), List.of("Zimmer", "Zimmern"), false, TargetRule.ANY_FORM),
            new Term(List.of("IT"), List.of("EDV"), true, TargetRule.AS_GIVEN),
            new Term(List.of("US"), List.of("USA"), false, TargetRule.AS_GIVEN),
            new Term(List.of("Bank"), List.of("Bank"), true, TargetRule.ANY_FORM),
            new Term(List.of("Wi-Fi", "WLAN"), List.of(), false, TargetRule.KEEP));
  }

  @Test
  void quotedCellsOfCsvHaveCommasAndQuotationMarks() throws IOException {
    assertThat(terms("g.csv", "\"the \"\"Blue\"\", room\",\"das „Blaue“, Zimmer\"\n"))
        .extracting(term -> term.sources().get(0) + " = " + term.targets().get(0))
        .containsExactly("the \"Blue\", room = das „Blaue“, Zimmer");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "lift; line 1: expected 2 columns separated by a tab, found 1",
        "a%b%x; line 1: expected 2 columns separated by a tab, found 3; more need a header",
        "a%b/c%; line 2: the target is empty; write - for a term that is not translated",
        "a%b/%c; line 2: the source is empty",
        "a||b%c; line 1: a source form is empty",
        "source%target%cases; line 1: unknown column \"cases\"; known are source, target, case",
        "source%target%source; line 1: the column source is there twice; remove one",
        "source%target%case/a%b%maybe; line 2: case must be yes or no, found \"maybe\"",
        "source%target%rule/a%b%all; line 2: rule must be given or any, found \"all\"",
        "source%target%rule/a%-%any; line 2: a term with the target - has no rule",
        "source%target%rule/a%b|c%given; line 2: expected 1 target form, found 2",
        "source%target/a%b%c; line 2: expected 2 columns separated by a tab, found 3",
        "...; line 1: expected 2 columns",
        "source%target%note/a; line 2: expected 2 to 3 columns separated by a tab, found 1",
        "source%target%note/a%b%c%d; line 2: expected 2 to 3 columns separated by a tab, found 4",
        "\u00ad%x; line 1: expected a source form of 1 to 32 words, found 0",
        "aa%b/c%d/Aa%e; line 3: \"Aa\" has another translation than in FILE line 1; remove one",
        "source%target; has no terms",
      })
  void mistakesInTablesAreNamed(String text, String expected) throws IOException {
    assertThat(error("g.tsv", text.strip().replace('%', '\t').replace('/', '\n')))
        .startsWith("FILE")
        .contains(expected.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a\"b,c; line 1: a quotation mark inside a cell",
        "\"a\"b,c; line 1: a quoted cell is followed by \"b\"",
        "x,y/\"a,c/; line 2: a quotation mark is not closed before the end of the file",
        "a%b; line 1: expected 2 columns separated by a comma, found 1",
      })
  void mistakesInCsvAreNamed(String text, String expected) throws IOException {
    assertThat(error("g.csv", text.replace('%', '\t').replace('/', '\n')))
        .startsWith("FILE" + " " + expected.strip());
  }

  @Test
  void longRowsAndOtherEncodingsAreRefused() throws IOException {
    assertThat(error("g.tsv", "a\tb\n" + "x".repeat(TextRows.MAX_BYTES + 1)))
        .isEqualTo("FILE line 2: it has more than 65536 bytes; no term is that long");
    assertThat(error("g.csv", "\"" + "x\n".repeat(TextRows.MAX_BYTES)))
        .isEqualTo("FILE line 1: it has more than 65536 bytes; no term is that long");
    assertThat(error("g.tsv", "x".repeat(Term.MAX_CHARS + 1) + "\ty"))
        .isEqualTo("FILE line 1: a source form has 513 characters; the limit is 512");
    assertThat(error("g.tsv", "a\u0007\tb"))
        .isEqualTo(
            "FILE line 1: a source form has a control character or half of a surrogate pair;"
                + " remove it");
    assertThat(error("g.tsv", "a ".repeat(33) + "\tb"))
        .startsWith("FILE line 1: expected a source form of 1 to 32 words, found 33 in \"a a a");
    Path latin = Files.write(folder.resolve("l.tsv"), new byte[] {'a', '\t', (byte) 0xe4, '\n'});
    assertThatThrownBy(() -> read(latin))
        .hasMessage(
            latin + " line 1: byte 3 is not UTF-8; convert the file, for example with iconv");
    assertThatThrownBy(() -> read(folder.resolve("none.tsv")))
        .hasMessage(folder.resolve("none.tsv") + " cannot be read: no such file");
  }

  @Test
  void packedFilesAreReadToo() throws IOException {
    Path file = folder.resolve("g.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("lift,Aufzug\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(read(file).builder().inMemory().term(0)).isEqualTo(LIFT);
  }

  @Test
  void severalConflictsAreCounted() throws IOException {
    assertThat(error("g.tsv", "a\tb\nb\tc\na\tb\na\tc\nb\td\n"))
        .isEqualTo(
            "FILE line 4: \"a\" has another translation than in FILE line 1, and 1 more such terms;"
                + " remove one, or write all forms in one of them, separated by |");
  }

  private static final String TBX_2008 =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE martif SYSTEM "TBXBasiccoreStructV02.dtd">
      <martif type="TBX-Basic" xml:lang="en"><text><body>
      <termEntry id="1"><descrip type="definition">a <hi>desk</hi></descrip>
        <langSet xml:lang="en-GB">
          <tig><term>front desk</term></tig>
          <ntig><termGrp><term>reception</term></termGrp></ntig>
        </langSet>
        <langSet xml:lang="DE_at">
          <tig><term>Portier</term>
            <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
          <tig><term>Empfang &amp; <hi>Halle</hi></term>
            <termNote type="partOfSpeech">noun</termNote></tig>
          <tig><term>Rezeption</term>
            <termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
        </langSet>
        <langSet xml:lang="fr"><tig><term>accueil</term></tig></langSet>
      </termEntry>
      <termEntry><langSet xml:lang="en"><tig><term>only English</term></tig></langSet></termEntry>
      </body></text></martif>
      """;

  @Test
  void tbxOf2008() throws IOException {
    assertThat(terms("g.tbx", TBX_2008))
        .containsExactly(
            new Term(
                List.of("front desk", "reception"),
                List.of("Rezeption", "Empfang & Halle"),
                false,
                TargetRule.ANY_FORM));
    assertThat(read(folder.resolve("g.tbx")).skipped()).isEqualTo(1);
  }

  @Test
  void tbxOf2019() throws IOException {
    assertThat(
            terms(
                "g.tbx",
                """
                <tbx style="dct" type="TBX-Min" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
                    xmlns:min="http://www.tbxinfo.net/ns/min"><text><body>
                <conceptEntry id="a"><min:subjectField>hotel</min:subjectField>
                <langSec xml:lang="en"><termSec><term>lift</term></termSec></langSec>
                <langSec xml:lang="de"><termSec><term>Lift</term>
                <min:administrativeStatus>supersededTerm-admn-sts</min:administrativeStatus>
                </termSec><termSec><term>Aufzug</term></termSec></langSec>
                </conceptEntry></body></text></tbx>
                """))
        .containsExactly(LIFT);
  }

  @Test
  void tbxInUnicode() throws IOException {
    Path file = folder.resolve("g.tbx");
    String text = TBX_2008.replace("Rezeption", "Schlüssel");
    Files.write(file, text.replace("UTF-8", "UTF-16").getBytes(StandardCharsets.UTF_16));
    assertThat(read(file).builder().inMemory().term(0).targets()).startsWith("Schlüssel");
    Files.writeString(file, "\ufeff" + text);
    assertThat(read(file).builder().inMemory().term(0).targets()).startsWith("Schlüssel");
    Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> read(file))
        .hasMessage(
            file + " is neither UTF-8 nor UTF-16 with a byte order mark; convert it to UTF-8");
  }

  @Test
  void mistakesInTbxAreNamed() throws IOException {
    assertThat(error("g.tbx", TBX_2008.replace("DE_at", "pl")))
        .isEqualTo("FILE has no entry with terms in en and de; it has terms in en, en-GB, fr, pl");
    assertThat(error("g.tbx", "<html/>"))
        .isEqualTo(
            "FILE has no entry with terms in en and de; it has no termEntry or conceptEntry of"
                + " TBX");
    assertThat(error("g.tbx", TBX_2008.replace("</martif>", "")))
        .startsWith("FILE is not TBX: line ");
    assertThat(error("g.tbx", "a\tb\n")).startsWith("FILE is not TBX: line 1: ");
    assertThat(error("g.tbx", TBX_2008.replace("front desk", "x".repeat(2000))))
        .isEqualTo("FILE line 4: a term has more than 512 characters; no term is that long");
    assertThat(error("g.tbx", "<a>".repeat(100)))
        .isEqualTo("FILE line 1: more than 64 elements inside each other");
    assertThat(error("g.tbx", "<a b='" + "x".repeat((1 << 20) + (1 << 17)) + "'/>"))
        .isEqualTo("FILE cannot be read: a tag or comment has more than 1048576 bytes");
  }

  @Test
  void entitiesOfADocumentTypeAreNotRead() throws IOException {
    Path secret = file("secret.txt", "secret");
    String with =
        TBX_2008
            .replace(
                "SYSTEM \"TBXBasiccoreStructV02.dtd\"",
                "[<!ENTITY x SYSTEM \""
                    + secret.toUri()
                    + "\">"
                    + "<!ENTITY y \"expanded\"><!ENTITY z \"&y;&y;\">]")
            .replace("Rezeption", "%s");
    assertThat(error("g.tbx", with.replace("%s", "&x;"))).doesNotContain("secret.txt");
    assertThat(error("g.tbx", with.replace("%s", "&z;"))).startsWith("FILE");
  }
}
