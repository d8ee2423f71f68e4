package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.memory.LearnedMemory;
import io.latimer.operators.memory.TaughtSentences;
import io.latimer.operators.nmt.Translated.AlignmentPoint;
import io.latimer.operators.nmt.Translated.Alternative;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.convert.TinyModel;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.testing.CpuThreads;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSpan;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.text.terms.Terminology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens around the network, with a network that writes each source word again and offers to
 * leave the last word out as its second choice. It refuses a sentence that holds "bad".
 */
class TranslateTest extends BatchOperatorContract<String, Translated> {
  private static final byte[] NOTHING = new byte[0];
  private static final Vocabulary WORDS =
      Vocabulary.of(List.of("</s>", "<unk>", "one", "two", "three.", "four.", "bad", "."));

  private final List<List<int[]>> decoded = new ArrayList<>();
  private int closed;
  private TranslationMemory memory = TranslationMemory.NONE;

  private final class Copying implements Decode {
    private final DecodeOptions options;

    Copying(DecodeOptions options) {
      this.options = options;
    }

    @Override
    public List<Result<Decoded>> apply(List<DecodeInput> batch) {
      decoded.add(batch.stream().map(DecodeInput::ids).toList());
      List<Result<Decoded>> results = new ArrayList<>();
      for (DecodeInput input : batch) {
        int[] ids = input.ids();
        List<Hypothesis> nBest = new ArrayList<>();
        nBest.add(copy(ids, ids.length - 1));
        if (options.nBest() > 1) {
          nBest.add(copy(ids, ids.length - 2));
        }
        boolean bad = contains(ids, WORDS.id("bad"));
        results.add(
            bad ? Result.failure(new RecordException("too bad")) : Result.of(new Decoded(nBest)));
      }
      return results;
    }

    private Hypothesis copy(int[] ids, int words) {
      int[] output = new int[words + 1];
      System.arraycopy(ids, 0, output, 0, words);
      float[][] attention = new float[words + 1][ids.length];
      for (int i = 0; i <= words; i++) {
        attention[i][i] = 0.75f;
      }
      // a word costs 1, and leaving one out another 3
      double score = options.scores() ? -words - 3.0 * (ids.length - 1 - words) : Double.NaN;
      return new Hypothesis(
          output,
          options.scores() ? new float[words + 1] : null,
          score,
          score / (words + 1),
          options.alignment() ? attention : null);
    }

    @Override
    public void close() {
      closed++;
    }
  }

  @Override
  protected BatchOperator<String, Translated> openOperator() {
    return translate(options(2, true, true), pipeline(true));
  }

  @Override
  protected BatchOperator<String, Translated> openOperatorWithLittleMemory() {
    return openOperator();
  }

  @Override
  protected String record(int number) {
    return "one two three. 😀 Four.\n".repeat(number % 4) + "two ".repeat(number % 15);
  }

  @Override
  protected List<String> badRecords() {
    return List.of("x\ud800", "one. So bad", "bad");
  }

  @Override
  protected void assertSameOutput(Translated expected, Translated found, String where) {
    assertThat(found)
        .as(where)
        .usingRecursiveComparison()
        .ignoringFields("timings")
        .isEqualTo(expected);
  }

  private static boolean contains(int[] ids, int id) {
    for (int i : ids) {
      if (i == id) {
        return true;
      }
    }
    return false;
  }

  private static TextPipeline pipeline(boolean protect) {
    TextSettings raw = TextSettings.raw("en", "de");
    return TextPipeline.of(
        new TextSettings(
            "en",
            "de",
            raw.normalization(),
            false,
            true,
            raw.casing(),
            raw.recasing(),
            raw.tokenizer(),
            false,
            Segmentation.NONE,
            protect,
            16,
            SentenceFormat.PLAIN),
        WORDS,
        WORDS,
        NOTHING,
        NOTHING);
  }

  private Translate translate(TranslateOptions options, TextPipeline pipeline) {
    return new Translate(
        pipeline,
        new DecodeSentences(new Copying(options.decoding(pipeline, false)), false),
        options.parts(),
        options.splitSentences(),
        options.guidance(),
        new Translate.Model("id", "1", "en", "de"),
        memory,
        options.safeguards(),
        Terminology.NONE,
        Lease.unshared(() -> closed++));
  }

  private static TranslateOptions options(int nBest, boolean alignment, boolean split) {
    return TranslateOptions.of(DecodeOptions.beam(5).withNBest(nBest).withAlignment(alignment))
        .withSplitSentences(Optional.of(split));
  }

  private static TranslateOptions withoutScores(int nBest) {
    return TranslateOptions.of(DecodeOptions.beam(5).withNBest(nBest).withScores(false))
        .withSplitSentences(Optional.of(true));
  }

  @Test
  void recordsAreTakenApartDecodedTogetherAndPutTogether() {
    try (Translate translate = translate(TranslateOptions.DEFAULTS, pipeline(true))) {
      List<Result<Translated>> results =
          translate.apply(
              List.of("one two three. One?", "", "two\n\none", " \u0000 ", "😀", "😀 one 👍 two"));
      assertThat(results)
          .extracting(result -> result.orElseThrow().text())
          .containsExactly("one two three. One?", "", "two\n\none", "", "😀", "😀 one 👍 two");
      assertThat(decoded).hasSize(1);
      assertThat(decoded.get(0)).extracting(ids -> ids.length).containsExactly(4, 2, 2, 2, 3);
      Translated first = results.get(0).orElseThrow();
      assertThat(first.sourceTokens()).isEqualTo(6);
      assertThat(first.targetTokens()).isEqualTo(6);
      assertThat(first.score()).isEqualTo(-4);
      assertThat(first.normalizedScore()).isCloseTo((-3 / 4.0 - 1 / 2.0) / 2, within(1e-12));
      assertThat(first.nBest()).isEmpty();
      assertThat(first.alignment()).isEmpty();
      assertThat(first.timings().decode()).isPositive();
      Translated blank = results.get(1).orElseThrow();
      assertThat(blank.score()).isZero();
      assertThat(blank.sourceTokens()).isZero();
    }
  }

  @Test
  void aBadRecordIsAFailureAndNothingElse() {
    try (Translate translate = translate(TranslateOptions.DEFAULTS, pipeline(true))) {
      List<Result<Translated>> results =
          translate.apply(List.of("one", "two three. So bad", "x\ud800", "two"));
      assertThat(results.get(0).orElseThrow().text()).isEqualTo("one");
      assertThatThrownBy(() -> results.get(1).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessage("sentence 2 of 2: too bad");
      assertThatThrownBy(() -> results.get(2).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("surrogate");
      assertThat(results.get(3).orElseThrow().text()).isEqualTo("two");
    }
  }

  @Test
  void nBestListsOfSentencesAreCombined() {
    try (Translate translate = translate(options(3, false, true), pipeline(false))) {
      Translated translated =
          translate.apply(List.of("one two three. Two four.")).get(0).orElseThrow();
      // losses of normalized score: 3 words to 2: 5/3 - 3/4; 2 words to 1: 4/2 - 2/3
      assertThat(translated.nBest())
          .extracting(Alternative::text)
          .containsExactly("one two three. Two four.", "one two Two four.", "one two three. Two");
      assertThat(translated.nBest().get(0).text()).isEqualTo(translated.text());
      assertThat(translated.nBest())
          .isSortedAccordingTo((a, b) -> Double.compare(b.normalizedScore(), a.normalizedScore()));
      assertThat(translated.score()).isEqualTo(-5);
      assertThat(translated.nBest().get(1).score()).isEqualTo(-7);
      Translated one = translate.apply(List.of("one two")).get(0).orElseThrow();
      assertThat(one.nBest())
          .containsExactly(
              new Alternative("one two", -2, -2 / 3.0, List.of()),
              new Alternative("one", -4, -2, List.of()));
    }
  }

  @Test
  void withoutScoresAListIsTheSameAndOnlyTheRecordHasNone() {
    String record = "one two three. Two four.\n😀\none";
    TranslateOptions with = options(3, false, true);
    Translated scored;
    try (Translate translate = translate(with, pipeline(true))) {
      scored = translate.apply(List.of(record)).get(0).orElseThrow();
    }
    assertThat(scored.nBest())
        .hasSize(3)
        .allSatisfy(entry -> assertThat(entry.score()).isNegative().isFinite());
    try (Translate translate = translate(withoutScores(3), pipeline(true))) {
      Translated bare = translate.apply(List.of(record)).get(0).orElseThrow();
      assertThat(bare.nBest()).isEqualTo(scored.nBest());
      assertThat(bare.text()).isEqualTo(scored.text());
      assertThat(bare.score()).isNaN();
      assertThat(bare.normalizedScore()).isNaN();
      Translated blank = translate.apply(List.of(" ")).get(0).orElseThrow();
      assertThat(blank.nBest()).containsExactly(new Alternative("", 0, 0, List.of()));
      assertThat(blank.score()).isNaN();
    }
    try (Translate translate = translate(withoutScores(1), pipeline(true))) {
      Translated bare = translate.apply(List.of(record)).get(0).orElseThrow();
      assertThat(bare.nBest()).isEmpty();
      assertThat(bare.text()).isEqualTo(scored.text());
      assertThat(bare.score()).isNaN();
      assertThat(bare.normalizedScore()).isNaN();
    }
  }

  @Test
  void scoresAreAskedForWhereTheyAreWantedOrSortAList() {
    assertThat(options(1, false, true).decoding(pipeline(true), false).scores()).isTrue();
    assertThat(withoutScores(2).decoding(pipeline(true), false).scores()).isTrue();
    assertThat(withoutScores(1).decoding(pipeline(true), false).scores()).isFalse();
    assertThat(withoutScores(1).decoding(pipeline(false), true).alignment()).isFalse();
    assertThat(options(1, false, true).decoding(pipeline(false), true).alignment()).isTrue();
  }

  private static AlignmentPoint point(int token, TextSpan source, TextSpan target, int... words) {
    return new AlignmentPoint(token, token, 0.75f, source, target, words[0], words[1]);
  }

  @Test
  void alignmentNamesTokensAndWhereTheyStandThroughTheSentences() {
    try (Translate translate = translate(options(1, true, true), pipeline(true))) {
      Translated translated =
          translate.apply(List.of(" 😀 one two three.\n😀\n  two 😀 one")).get(0).orElseThrow();
      assertThat(translated.text()).isEqualTo("😀 one two three.\n😀\n  two 😀 one");
      assertThat(translated.alignment())
          .containsExactly(
              point(0, new TextSpan(3, 6), new TextSpan(2, 5), 1, 1),
              point(1, new TextSpan(7, 10), new TextSpan(6, 9), 2, 2),
              point(2, new TextSpan(11, 17), new TextSpan(10, 16), 3, 3),
              point(3, new TextSpan(22, 25), new TextSpan(21, 24), 5, 5),
              point(4, new TextSpan(28, 31), new TextSpan(27, 30), 7, 7));
    }
  }

  @Test
  void alignmentCountsMarkupOfBothTexts() {
    String record = "<p>one <b>two</b> t&#104;ree</p> <i>one. two</i>";
    try (Translate translate = translate(options(1, true, true), pipeline(true))) {
      Translated translated = translate.apply(List.of(record)).get(0).orElseThrow();
      assertThat(translated.text()).isEqualTo("<p>one <b>two</b> three</p> <i>one. two</i>");
      assertThat(translated.alignment())
          .extracting(p -> p.sourceSpan().of(record) + "=" + p.targetSpan().of(translated.text()))
          .containsExactly("one=one", "two=two", "t&#104;ree=three", "one.=one.", "two=two");
    }
  }

  @Test
  void whatIsInsideAPairStaysInside() {
    for (String record :
        List.of(
            "<b><br/>one</b> two",
            "<p><b><br/><i></i>one</b> two. <i>one<hr/></i></p> <br/> <i>one. two</i>",
            "one. <b>two<br/></b><br/> <i><br/>one</i> two")) {
      try (Translate translate = translate(options(1, false, false), pipeline(true))) {
        assertThat(translate.apply(List.of(record)).get(0).orElseThrow().text()).isEqualTo(record);
      }
    }
  }

  @Test
  void aWordsAlignmentCanBeTheAttentionOfTheNextStep() {
    TextPipeline pipeline = pipeline(true);
    SourceSentence sentence = pipeline.prepare("one two").get(0);
    float[][] attention = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    Decode decode = new FixedDecode(new Hypothesis(new int[] {2, 3, 0}, null, -1, -1, attention));
    Decoded decoded =
        new DecodeSentences(decode, true).apply(List.of(sentence)).get(0).orElseThrow();
    assertThat(decoded.best().attention())
        .isDeepEqualTo(new float[][] {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}});
  }

  /** Gives each sentence the same hypothesis. */
  private record FixedDecode(Hypothesis hypothesis) implements Decode {
    @Override
    public List<Result<Decoded>> apply(List<DecodeInput> batch) {
      return batch.stream().map(input -> Result.of(new Decoded(List.of(hypothesis)))).toList();
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  @Test
  void rememberedSentencesAreNotDecoded() {
    memory =
        new TranslationMemory() {
          @Override
          public Optional<Remembered> find(String sentence) {
            return sentence.startsWith("two")
                ? Optional.of(Remembered.of("Zwei!"))
                : Optional.empty();
          }

          @Override
          public String id() {
            return "m";
          }

          @Override
          public String version() {
            return "";
          }

          @Override
          public void close() {
            closed++;
          }
        };
    Translate translate = translate(options(3, true, true), pipeline(true));
    Translated mixed =
        translate.apply(List.of("one two three.\n😀 two 👍\ntwo")).get(0).orElseThrow();
    assertThat(mixed.text()).isEqualTo("one two three.\n😀 Zwei! 👍\nZwei!");
    assertThat(decoded.get(0)).hasSize(1);
    assertThat(mixed.remembered()).isEqualTo(2);
    assertThat(mixed.score()).isEqualTo(-3);
    assertThat(mixed.nBest()).hasSize(2);
    assertThat(mixed.nBest().get(1).text()).isEqualTo("one two\n😀 Zwei! 👍\nZwei!");
    assertThat(mixed.alignment()).hasSize(3);
    assertThat(mixed.alignment().get(2).targetWord()).isEqualTo(2);
    Translated all = translate.apply(List.of("two")).get(0).orElseThrow();
    assertThat(all.score()).isZero();
    assertThat(all.sourceTokens()).isZero();
    assertThat(translate.memory().id()).isEqualTo("m");
    translate.close();
    assertThat(closed).isEqualTo(3);
  }

  @Test
  void taughtTextsAreNotDecodedAndNameTheirCorrections() {
    List<TaughtPair> pairs =
        List.of(
            new TaughtPair("c1", 5, "one two. Two three", "Eins  zwei, drei"),
            new TaughtPair("c2", 6, "😀 two", "zwei 😀"),
            new TaughtPair("c3", 7, "three", "DREI"),
            new TaughtPair("c4", 8, "One <b>two</b>", "EINS <i>zwei</i>"));
    memory =
        new LearnedMemory(
            Lease.unshared(new TaughtSentences(pairs, "en", "de")), 50, TranslationMemory.NONE);
    try (Translate translate = translate(options(1, true, true), pipeline(true))) {
      Translated whole = translate.apply(List.of(" One two.\nTwo three ")).get(0).orElseThrow();
      assertThat(whole.text()).isEqualTo("Eins  zwei, drei");
      assertThat(whole.remembered()).isEqualTo(2);
      assertThat(whole.taught()).containsExactly(new Remembered("Eins  zwei, drei", "c1", 5));
      assertThat(whole.alignment()).isEmpty();
      Translated parts =
          translate.apply(List.of("😀 two\none\n👍 Three\n👍 two")).get(0).orElseThrow();
      assertThat(parts.text()).isEqualTo("zwei 😀\none\n👍 DREI\n👍 two");
      assertThat(parts.remembered()).isEqualTo(2);
      assertThat(parts.taught()).extracting(Remembered::correction).containsExactly("c2", "c3");
      Translated near = translate.apply(List.of("One\none two two three")).get(0).orElseThrow();
      assertThat(near.taught()).isEmpty();
      assertThat(near.similar()).hasSize(1);
      assertThat(near.similar().get(0).sentence()).isEqualTo(1);
      assertThat(near.similar().get(0).known().similarity()).isEqualTo(80);
      Translated last = translate.apply(List.of("<p>two. One <b>two</b></p>")).get(0).orElseThrow();
      assertThat(last.text()).isEqualTo("<p>two. EINS <i>zwei</i></p>");
      TextInput begun = new TextInput("three", new Guidance("", "", "one"));
      assertThat(translate.translate(List.of(begun)).get(0).orElseThrow().remembered()).isZero();
    }
  }

  @Test
  void optionsOverruleTheModelsSplitting() {
    try (Translate translate = translate(options(1, false, false), pipeline(true))) {
      translate.apply(List.of("one two three. Two"));
      assertThat(decoded.get(0)).hasSize(1);
    }
  }

  @Test
  void attentionIsAskedForOnlyWhereItIsNeeded() {
    TranslateOptions options = TranslateOptions.DEFAULTS;
    assertThat(options.decoding(pipeline(true), false).alignment()).isTrue();
    assertThat(options.decoding(pipeline(false), false).alignment()).isFalse();
    assertThat(options(1, true, true).decoding(pipeline(false), false).alignment()).isTrue();
  }

  @Test
  void aLargeBatchIsDecodedAtOnceAndKeepsItsOrder() {
    try (Translate translate = translate(TranslateOptions.DEFAULTS, pipeline(true))) {
      List<String> batch = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        batch.add("one two three. Two".substring(0, 3 + 4 * (i % 2)) + " two".repeat(i % 9));
      }
      List<Result<Translated>> results = translate.apply(batch);
      assertThat(results).hasSize(5_000);
      for (int i = 0; i < batch.size(); i++) {
        assertThat(results.get(i).orElseThrow().text()).isEqualTo(batch.get(i));
      }
      assertThat(decoded).hasSize(1);
    }
  }

  @Test
  void theDecoderAndTheModelAreClosedOnce() {
    Translate translate = translate(TranslateOptions.DEFAULTS, pipeline(true));
    assertThat(translate.model()).isEqualTo(new Translate.Model("id", "1", "en", "de"));
    translate.close();
    translate.close();
    assertThat(closed).isEqualTo(2);
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> options(6, false, false))
        .isInstanceOf(OperatorException.class)
        .hasMessage("the n-best must be from 1 to the beam size, 5, found 6");
    assertThatThrownBy(() -> DecodeOptions.beam(65))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("beam size");
  }

  /** There is one team around the decoder, and the decoder's own. */
  @Test
  void itsThreadsAreThoseOfTheProperty(@TempDir Path folder) {
    Path model = ModelImporter.importModel(new TinyModel(folder).request()).file();
    CpuThreads.assertTeams(
        2, () -> Translate.opener(TranslateOptions.DEFAULTS).open(model, Device.CPU));
  }
}
