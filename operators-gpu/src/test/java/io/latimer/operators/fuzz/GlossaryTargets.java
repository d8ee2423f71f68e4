package io.latimer.operators.fuzz;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.glossary.text.GlossaryFormat;
import io.latimer.operators.glossary.text.GlossaryText;
import io.latimer.operators.glossary.text.InlineTerms;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.text.terms.TermMatch;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The readers of glossaries. */
final class GlossaryTargets {
  private static final List<Class<? extends Exception>> DOCUMENTED =
      List.of(OperatorException.class, RecordException.class);

  private static final List<String> TEXTS =
      List.of("The front desk, IT and wi-fi.", "", "\u4e2d\u6587 e\u0301 don't a.b 3,5", "\ud83d");

  private static final String TSV =
      """
      source\ttarget\tcase\trule\tnote
      front desk|reception\tRezeption\tno\tany\tx
      IT\tEDV
      Wi-Fi\t-
      \u4e2d\u6587\tChinesisch|chinesisch
      """;

  private static final String TBX =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
      <martif><text><body><termEntry id="1"><langSet xml:lang="en"><tig><term>desk</term></tig>
      </langSet><langSet xml:lang="de"><ntig><termGrp><term>Tisch &amp; <hi>Co</hi></term></termGrp>
      <termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></ntig></langSet>
      </termEntry><conceptEntry><langSec xml:lang="en-GB"><termSec><term>lift</term></termSec>
      </langSec><langSec xml:lang="de"><termSec><term>Aufzug</term></termSec></langSec>
      </conceptEntry></body></text></martif>
      """;

  private final Path folder;

  private GlossaryTargets(Path folder) {
    this.folder = folder;
  }

  /** All targets, whose files are in a folder. */
  static List<FuzzTarget> in(Path folder) throws IOException {
    GlossaryTargets glossaries = new GlossaryTargets(folder);
    List<FuzzTarget> targets = new ArrayList<>();
    targets.add(glossaries.index());
    targets.add(glossaries.text(GlossaryFormat.TSV, TSV));
    targets.add(glossaries.text(GlossaryFormat.CSV, "\"\"\"a\"\", b\",c\r\nd,\"e\nf\"\r\n"));
    targets.add(glossaries.text(GlossaryFormat.TBX, TBX));
    List<byte[]> inline = List.of(utf8("a b=c|d\nWi-Fi=-\n"), utf8("{\"a\": [\"b\", \"c\"]}"));
    targets.add(
        new FuzzTarget(
            "glossary-inline",
            30,
            random -> Mutations.of(inline, random),
            input ->
                search(
                    Glossary.of(
                        "en", "tr", InlineTerms.parse(new String(input, StandardCharsets.UTF_8)))),
            DOCUMENTED));
    return targets;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private FuzzTarget index() throws IOException {
    Path index = folder.resolve("g.ltx");
    read(Files.writeString(folder.resolve("g.tsv"), TSV), GlossaryFormat.TSV)
        .builder()
        .write(index, "");
    List<IndexBytes> seeds = List.of(IndexBytes.of(index));
    return new FuzzTarget(
        "ltx",
        60,
        random -> IndexBytes.changedSections(seeds, random),
        input -> {
          Path file = FuzzMain.write(folder.resolve("fuzz.ltx"), input);
          try (Glossary glossary =
              Glossary.opener().open(new ResidentIndexes(), IndexRefs.of(file), Device.CPU)) {
            search(glossary);
          }
          try (IndexFile opened = IndexFile.open(file)) {
            GlossaryIndex.KIND.check().accept(opened);
          }
        },
        DOCUMENTED);
  }

  private FuzzTarget text(GlossaryFormat format, String seed) {
    return new FuzzTarget(
        "glossary-" + format,
        40,
        random -> Mutations.of(List.of(utf8(seed)), random),
        input ->
            search(
                Glossary.of(
                    read(FuzzMain.write(folder.resolve("fuzz.terms"), input), format)
                        .builder()
                        .inMemory())),
        DOCUMENTED);
  }

  private static GlossaryText.Read read(Path file, GlossaryFormat format) {
    return new GlossaryText(file, format, "en", "de").read(BuildProgress.NONE);
  }

  private static void search(Glossary glossary) {
    for (String text : TEXTS) {
      List<TermMatch> matches = glossary.find(text);
      glossary.unmet(matches, text);
      matches.forEach(glossary::form);
    }
    int terms = Math.min(8, glossary.index().size());
    for (int i = 0; i < terms; i++) {
      String source = glossary.index().term(i).sources().get(0);
      glossary.unmet(glossary.find(source + " " + source), source);
    }
  }
}
