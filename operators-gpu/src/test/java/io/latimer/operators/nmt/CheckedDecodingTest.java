package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.numbers.NumberLanguage;
import io.latimer.operators.text.numbers.NumberSpan;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.text.terms.TermMatch;
import io.latimer.operators.text.terms.Terminology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a translation has, whatever the model writes. */
final class CheckedDecodingTest {
  private static final int LINES = 2_000;

  private static final List<String> NUMBERS =
      List.of(
          "-12.5",
          "1,234.56",
          "7",
          "0815",
          "3-2",
          "21:19",
          "10-15",
          "1990–1995",
          "14:05",
          "3:30 p.m.",
          "12/31/2025",
          "2026-11-28",
          "March 3, 2024",
          "$5",
          "€149.99",
          "EUR 20",
          "15%",
          "0.5 kg",
          "250 ml",
          "5 mg",
          "30°C",
          "120 km/h",
          "2.5 million",
          "1/2",
          "B27",
          "4th");

  private static final Comparator<String> LONGEST_FIRST =
      Comparator.comparingInt(String::length).reversed();

  private static final List<String> WORDS =
      List.of("we", "paid", "about", "for", "it", "in", "the", "house", "and", "then", "left");

  /** Writes random words, which have no digits, with random attention. */
  private static final class RandomDecode implements BatchOperator<SourceSentence, Decoded> {
    private final Random random = new Random(7);
    private final int[] words;

    RandomDecode(TranslationModel model) {
      this.words =
          IntStream.range(2, model.target().size())
              .filter(model.target()::has)
              .filter(id -> model.target().token(id).matches("\u2581?[A-ZÄÖÜ]?[a-zäöüß]+"))
              .toArray();
    }

    @Override
    public List<Result<Decoded>> apply(List<SourceSentence> batch) {
      return batch.stream().map(sentence -> Result.of(decoded(sentence))).toList();
    }

    private Decoded decoded(SourceSentence sentence) {
      int[] ids = random.ints(random.nextInt(9), 0, words.length).map(i -> words[i]).toArray();
      float[][] attention = new float[ids.length][sentence.length()];
      for (float[] row : attention) {
        row[random.nextInt(row.length)] = 1;
      }
      return new Decoded(List.of(new Hypothesis(ids, null, -1, -1, attention)));
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  /** Keeps what it hands on to a decoder. */
  private static final class Recording implements BatchOperator<SourceSentence, Decoded> {
    private final BatchOperator<SourceSentence, Decoded> decode;
    private final List<String> seen = new ArrayList<>();

    Recording(BatchOperator<SourceSentence, Decoded> decode) {
      this.decode = decode;
    }

    @Override
    public List<Result<Decoded>> apply(List<SourceSentence> batch) {
      batch.forEach(sentence -> seen.add(String.join("", sentence.tokens())));
      return decode.apply(batch);
    }

    @Override
    public void close() {
      decode.close();
    }
  }

  private static Translate translate(
      TranslationModel model, Safeguards safeguards, Terminology terminology) {
    return translate(model.pipeline(), new RandomDecode(model), safeguards, terminology);
  }

  private static Translate translate(
      TextPipeline pipeline,
      BatchOperator<SourceSentence, Decoded> decode,
      Safeguards safeguards,
      Terminology terminology) {
    return new Translate(
        pipeline,
        decode,
        TranslateOptions.DEFAULTS.parts(),
        Optional.empty(),
        Guidance.NONE,
        new Translate.Model("random", "", "en", "de"),
        TranslationMemory.NONE,
        safeguards,
        terminology,
        Lease.unshared(() -> {}));
  }

  private static String line(Random random) {
    StringBuilder line = new StringBuilder("Tom");
    for (int n = 2 + random.nextInt(10); n > 0; n--) {
      line.append(' ').append(WORDS.get(random.nextInt(WORDS.size())));
      if (random.nextInt(3) == 0) {
        line.append(' ').append(NUMBERS.get(random.nextInt(NUMBERS.size())));
      }
    }
    return line.append('.').toString();
  }

  @Test
  void everyNumberIsThereWithItsValue() {
    Random random = new Random(38);
    NumberLanguage english = NumberLanguage.of("en");
    NumberLanguage german = NumberLanguage.of("de");
    List<String> lines = IntStream.range(0, LINES).mapToObj(i -> line(random)).toList();
    int numbers = 0;
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Translate translate = translate(model, Safeguards.DEFAULTS, Terminology.NONE)) {
      List<Result<Translated>> translated = translate.apply(lines);
      for (int i = 0; i < LINES; i++) {
        Translated found = translated.get(i).orElseThrow();
        List<NumberSpan> expected = english.find(lines.get(i));
        String rest = found.text();
        for (String number : expected.stream().map(german::write).sorted(LONGEST_FIRST).toList()) {
          assertThat(rest).as("%s -> %s", lines.get(i), found.text()).contains(number);
          rest = rest.replaceFirst(Pattern.quote(number), "");
        }
        assertThat(rest).as("%s -> %s", lines.get(i), found.text()).doesNotContainPattern("[0-9]");
        assertThat(found.flags().contains(TranslationFlag.ASSEMBLED))
            .as("%s -> %s", lines.get(i), found.text())
            .isEqualTo(!expected.isEmpty());
        numbers += expected.size();
      }
    }
    assertThat(numbers).isGreaterThan(2 * LINES);
  }

  @Test
  void longNumbersAreHiddenFromTheStart() {
    List<String> lines =
        List.of(
            "The price rose by 12.5 percent last year.",
            "About 1,500 people live in the town.",
            "My phone number is 5551234.",
            "There are 12 eggs and 250 books from 1998.",
            "We paid $49.99 for {name} and <b>bread</b>.");
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        LoadedTranslator model = LoadedTranslator.load(file, Device.CPU, NmtPrecision.FLOAT32)) {
      Recording decode =
          new Recording(
              model.sentenceDecoder(TranslateOptions.DEFAULTS.decoding(model.pipeline(), false)));
      try (Translate translate =
          translate(model.pipeline(), decode, Safeguards.DEFAULTS, Terminology.NONE)) {
        List<Result<Translated>> found = translate.apply(lines);
        List<String> numbers = List.of("12,5 Prozent", "1.500 Menschen", "5551234", "250", "49,99");
        for (int i = 0; i < lines.size(); i++) {
          assertThat(found.get(i).orElseThrow().text()).contains(numbers.get(i));
        }
      }
      assertThat(decode.seen).hasSameSizeAs(lines);
      assertThat(decode.seen)
          .allSatisfy(
              seen -> {
                if (seen.contains("egg")) {
                  assertThat(seen).contains("12", "250", "1998");
                } else {
                  assertThat(seen).doesNotContainPattern("[0-9]");
                }
              });
    }
  }

  @Test
  void aModelThatLosesAHiddenNumberSeesItBeforeItIsPutInByAlignment() {
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file)) {
      Recording decode = new Recording(new RandomDecode(model));
      try (Translate translate =
          translate(model.pipeline(), decode, Safeguards.DEFAULTS, Terminology.NONE)) {
        Translated found = translate.apply(List.of("It weighs 12.5 tons.")).get(0).orElseThrow();
        assertThat(found.text()).contains("12,5").doesNotContainPattern("[0-9].*,.*,");
        assertThat(found.flags()).contains(TranslationFlag.ASSEMBLED);
      }
      assertThat(decode.seen).hasSize(2);
      assertThat(decode.seen.get(0)).doesNotContain("12.5");
      assertThat(decode.seen.get(1)).contains("12.5");
    }
  }

  @Test
  void uncheckedTranslationsAreTheModels() {
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Translate translate = translate(model, Safeguards.NONE, Terminology.NONE)) {
      Translated found = translate.apply(List.of("We paid $1,234.56 for it.")).get(0).orElseThrow();
      assertThat(found.text()).doesNotContainPattern("[0-9]");
      assertThat(found.flags()).isEmpty();
    }
  }

  @Test
  void whatStaysIsNotCutIntoSentences() {
    List<String> lines =
        List.of(
            "Ask <span translate=\"no\">Yahoo! Inc.</span> today. It helps.",
            "Use `Stop. Go` now. Then wait.");
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Translate translate = translate(model, Safeguards.DEFAULTS, Terminology.NONE)) {
      List<Result<Translated>> found = translate.apply(lines);
      assertThat(found.get(0).orElseThrow().text())
          .contains("<span translate=\"no\">Yahoo! Inc.</span>");
      assertThat(found.get(1).orElseThrow().text()).contains("`Stop. Go`");
    }
  }

  @Test
  void tagsAndWordsWithoutNumberAreThere() {
    String many = "Hello " + "<i/>".repeat(2_000) + " world and <b>all</b> of it.";
    String wide = "Hello <b>world</b> and http://x/" + "-".repeat(50_000);
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Translate translate = translate(model, Safeguards.DEFAULTS, Terminology.NONE)) {
      List<Result<Translated>> found = translate.apply(List.of(many, wide));
      assertThat(found.get(0).orElseThrow().text().split("<i/>", -1)).hasSize(2_001);
      assertThat(found.get(1).orElseThrow().text())
          .contains("<b>")
          .contains("</b>")
          .contains("http://x/" + "-".repeat(50_000));
    }
  }

  @Test
  void termsAndPatternsAreThere() {
    List<Term> terms =
        List.of(
            Term.of(List.of("front desk"), List.of("Rezeption")),
            Term.of(List.of("key card", "key cards"), List.of("Schlüsselkarte", "Schlüsselkarten")),
            Term.keep(List.of("Grand Hotel")));
    Safeguards safeguards = Safeguards.of(KeepPatterns.of(List.of("INV-[0-9]+")), true);
    List<String> lines =
        List.of(
            "Ask at the front desk of the Grand Hotel.",
            "Front desk, please.",
            "The key cards for INV-2024 are with 3 guests.",
            "<b>Front desk</b> or key card?");
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Terminology terminology = Glossary.of("en", "de", terms);
        Translate translate = translate(model, safeguards, terminology)) {
      List<String> texts = new ArrayList<>();
      translate.apply(lines).forEach(result -> texts.add(result.orElseThrow().text()));
      assertThat(texts.get(0)).contains("Rezeption").contains("Grand Hotel");
      assertThat(texts.get(1)).contains("Rezeption");
      assertThat(texts.get(2)).contains("Schlüsselkarte").contains("INV-2024").contains("3");
      assertThat(texts.get(3)).contains("<b>").contains("</b>").contains("Schlüsselkarte");
    }
  }

  @Test
  void digitsOfWhatStaysAreNoNumbers() {
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Translate translate = translate(model, Safeguards.DEFAULTS, Terminology.NONE)) {
      String line = "Call +1 (555) 010-9999 about v2.3.1 and v2.3.1, then left.";
      Translated found = translate.apply(List.of(line)).get(0).orElseThrow();
      assertThat(found.text()).contains("+1 (555) 010-9999").contains("v2.3.1");
      assertThat(found.flags()).doesNotContain(TranslationFlag.NUMBERS);
    }
  }

  @Test
  void aTermBesideAHyphenIsAWordOfItsOwn() {
    List<Term> terms =
        List.of(
            Term.of(List.of("front desk"), List.of("Rezeption")),
            Term.of(List.of("key"), List.of("Schlüssel")));
    String line = "We left the front desk-house in the key-about, then (key) paid.";
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file);
        Terminology terminology = Glossary.of("en", "de", terms);
        Translate translate = translate(model, Safeguards.DEFAULTS, terminology)) {
      List<TermMatch> found = terminology.find(line);
      assertThat(found).hasSize(3);
      for (Result<Translated> result : translate.apply(Collections.nCopies(200, line))) {
        String text = result.orElseThrow().text();
        assertThat(terminology.unmet(found, text)).as(text).isEmpty();
      }
    }
  }
}
