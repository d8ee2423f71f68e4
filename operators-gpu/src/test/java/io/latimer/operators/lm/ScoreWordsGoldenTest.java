package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.lm.arpa.ArpaFile;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.testing.SharedData;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Scores as KenLM gives them, to the last bit, in both layouts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ScoreWordsGoldenTest {
  @TempDir Path folder;

  private final Map<String, LanguageModel> models = new HashMap<>();

  /** Makes the scorer that is tested. */
  abstract ScoreWords open(LanguageModel model);

  private LanguageModel model(String arpa, LmLayout layout) {
    Path file = SharedData.require("data/lm/" + arpa);
    return models.computeIfAbsent(
        arpa + layout, key -> ArpaFile.open(file, folder, layout, LmImportRequest.DEFAULT_KEYS));
  }

  /** Model, text, what KenLM says of it, and whether sentences begin and end. */
  static Stream<Arguments> files() {
    List<String[]> files = new ArrayList<>();
    files.add(
        new String[] {"en5.arpa.gz", "golden/golden.txt", "golden/golden.en5.kenlm.txt.gz", "s"});
    files.add(new String[] {"en5.arpa.gz", "golden/edge.txt", "golden/edge.en5.kenlm.txt.gz", "s"});
    files.add(
        new String[] {
          "en5.arpa.gz", "golden/golden.txt", "golden/golden.en5.nobos.kenlm.txt.gz", ""
        });
    files.add(
        new String[] {"en5.arpa.gz", "golden/edge.txt", "golden/edge.en5.nobos.kenlm.txt.gz", ""});
    for (String small : new String[] {"o2", "o4", "o6", "o4.gaps", "o4.prune0023"}) {
      String name = "small/small." + small;
      files.add(
          new String[] {name + ".arpa.gz", "small/small_test.txt", name + ".kenlm.txt.gz", "s"});
    }
    for (String tiny :
        new String[] {
          "tiny", "tiny_crlf", "tiny_comment_head", "tiny_exp", "ok_highest_zero_backoff"
        }) {
      files.add(
          new String[] {"tiny/" + tiny + ".arpa", "tiny/queries.txt", "tiny/tiny.kenlm.txt", "s"});
    }
    files.add(new String[] {"tiny/tiny.arpa", "tiny/queries.txt", "tiny/tiny.nobos.kenlm.txt", ""});
    files.add(
        new String[] {
          "tiny/tiny_nounk.arpa", "tiny/queries.txt", "tiny/tiny_nounk.kenlm.txt", "s"
        });
    return files.stream()
        .flatMap(
            file ->
                Stream.of(LmLayout.values())
                    .map(
                        layout ->
                            Arguments.of(file[0], file[1], file[2], !file[3].isEmpty(), layout)));
  }

  private static List<LmSentence> sentences(LanguageModel model, Path text, boolean whole) {
    List<LmSentence> sentences = new ArrayList<>();
    for (byte[] line : KenlmOutput.lines(text)) {
      int[] ids = LmText.ids(model.vocabulary(), line, 0, line.length);
      sentences.add(new LmSentence(ids, whole, whole, LmState.NONE));
    }
    return sentences;
  }

  @ParameterizedTest(name = "{0} {2} {4}")
  @MethodSource("files")
  void scoresAsKenlm(String arpa, String text, String golden, boolean whole, LmLayout layout) {
    LanguageModel model = model(arpa, layout);
    Path file = SharedData.require("data/lm/" + text);
    List<LmSentence> sentences = sentences(model, file, whole);
    KenlmOutput expected = KenlmOutput.read(SharedData.require("data/lm/" + golden));
    Perplexity perplexity = new Perplexity();
    try (ScoreWords scorer = open(model)) {
      List<Result<WordScores>> results = scorer.apply(sentences);
      assertThat(results).hasSameSizeAs(expected.lines());
      for (int i = 0; i < results.size(); i++) {
        WordScores scores = results.get(i).orElseThrow();
        perplexity.add(sentences.get(i), scores);
        assertLine(expected.lines().get(i), sentences.get(i), scores, model, "line " + (i + 1));
      }
      ScoreOptions options = whole ? ScoreOptions.SENTENCES : ScoreOptions.FRAGMENTS;
      assertRawText(expected, scorer.score(LmTexts.of(KenlmOutput.lines(file)), options));
    }
    assertThat(perplexity.including() / expected.summary(0)).isCloseTo(1, within(1e-9));
    assertThat(perplexity.excluding() / expected.summary(1)).isCloseTo(1, within(1e-9));
    assertThat((double) perplexity.unknown()).isEqualTo(expected.summary(2));
    assertThat((double) perplexity.tokens()).isEqualTo(expected.summary(3));
  }

  /** The same scores of the same text, whose words the scorer itself has looked up. */
  private static void assertRawText(KenlmOutput expected, ScoredTexts found) {
    assertThat(found.size()).isEqualTo(expected.lines().size());
    for (int i = 0; i < found.size(); i++) {
      KenlmOutput.Line line = expected.lines().get(i);
      Scored text = found.get(i);
      String where = "raw line " + (i + 1);
      assertThat(text.total()).as(where).isEqualTo(line.total());
      assertThat(text.unknown()).as(where).isEqualTo(line.unknown());
      for (int word = 0; word < line.words().size(); word++) {
        KenlmOutput.Word wanted = line.words().get(word);
        assertThat(text.id(word)).as("%s: %s", where, wanted).isEqualTo(wanted.id());
        assertThat(text.length(word)).as("%s: %s", where, wanted).isEqualTo(wanted.length());
        assertThat(Float.floatToRawIntBits(text.log10(word)))
            .as("%s: %s", where, wanted)
            .isEqualTo(Float.floatToRawIntBits(wanted.log10()));
      }
    }
    Perplexity perplexity = found.perplexity();
    assertThat(perplexity.including() / expected.summary(0)).isCloseTo(1, within(1e-9));
    assertThat(perplexity.excluding() / expected.summary(1)).isCloseTo(1, within(1e-9));
    assertThat((double) perplexity.unknown()).isEqualTo(expected.summary(2));
    assertThat((double) perplexity.tokens()).isEqualTo(expected.summary(3));
  }

  private static void assertLine(
      KenlmOutput.Line expected,
      LmSentence sentence,
      WordScores scores,
      LanguageModel model,
      String where) {
    assertThat(scores.total()).as(where).isEqualTo(expected.total());
    assertThat(scores.unknown()).as(where).isEqualTo(expected.unknown());
    for (int i = 0; i < expected.words().size(); i++) {
      KenlmOutput.Word word = expected.words().get(i);
      int id = i < sentence.ids().length ? sentence.ids()[i] : model.endSentence();
      assertThat(id).as(where).isEqualTo(word.id());
      assertThat((int) scores.lengths()[i]).as(where + ": " + word).isEqualTo(word.length());
      assertThat(Float.floatToRawIntBits(scores.log10()[i]))
          .as("%s: %s", where, word)
          .isEqualTo(Float.floatToRawIntBits(word.log10()));
    }
    if (!expected.words().isEmpty()) {
      assertThat(scores.log10()).as(where).hasSameSizeAs(expected.words().toArray());
    }
  }

  static Stream<Arguments> states() {
    return Stream.of(LmLayout.values())
        .flatMap(
            layout ->
                Stream.of(
                    Arguments.of(
                        "en5.arpa.gz", "golden/state.txt", "golden/state.en5.tsv.gz", layout),
                    Arguments.of(
                        "tiny/tiny.arpa", "tiny/queries.txt", "tiny/tiny.state.tsv", layout)));
  }

  /** Word by word, each with the state that the one before has left. */
  @ParameterizedTest(name = "{0} {2} {3}")
  @MethodSource("states")
  void leavesTheStatesThatKenlmLeaves(String arpa, String text, String golden, LmLayout layout) {
    LanguageModel model = model(arpa, layout);
    List<LmSentence> sentences = sentences(model, SharedData.require("data/lm/" + text), true);
    LmState state = LmState.NONE;
    float total = 0;
    try (ScoreWords scorer = open(model)) {
      for (byte[] bytes : KenlmOutput.lines(SharedData.require("data/lm/" + golden))) {
        String line = new String(bytes, StandardCharsets.UTF_8);
        String[] fields = line.split("\t", -1);
        int sentence = Integer.parseInt(fields[0]) - 1;
        if (fields[1].equals("total")) {
          assertThat(Float.floatToRawIntBits(total))
              .as(line)
              .isEqualTo(Integer.parseUnsignedInt(fields[2], 16));
          continue;
        }
        int word = Integer.parseInt(fields[1]);
        if (word == 0) {
          state = model.beginState();
          total = 0;
        }
        int[] ids = sentences.get(sentence).ids();
        int id = word < ids.length ? ids[word] : model.endSentence();
        assertThat(id).as(line).isEqualTo(Integer.parseInt(fields[3]));
        WordScores scores = scorer.apply(List.of(LmSentence.after(state, id))).get(0).orElseThrow();
        assertThat((int) scores.lengths()[0]).as(line).isEqualTo(Integer.parseInt(fields[4]));
        assertThat(Float.floatToRawIntBits(scores.log10()[0]))
            .as(line)
            .isEqualTo(Integer.parseUnsignedInt(fields[5], 16));
        assertThat(stateFields(scores.out()))
            .as(line)
            .isEqualTo(List.of(Arrays.copyOfRange(fields, 6, fields.length)));
        state = scores.out();
        total += scores.log10()[0];
      }
    }
  }

  private static List<String> stateFields(LmState state) {
    List<String> fields = new ArrayList<>();
    fields.add(Integer.toString(state.length()));
    for (int i = 0; i < state.length(); i++) {
      fields.add(
          String.format("%d:%08x", state.words()[i], Float.floatToRawIntBits(state.backoffs()[i])));
    }
    return fields;
  }

  /** The whole held-out text, and each of its parts. */
  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void givesKenlmsPerplexitiesOfTheHeldOutText(LmLayout layout) {
    LanguageModel model = model("en5.arpa.gz", layout);
    List<LmSentence> sentences =
        sentences(model, SharedData.require("data/lm/en.heldout.txt.gz"), true);
    assertThat(sentences).hasSize(67_768);
    try (ScoreWords scorer = open(model)) {
      List<Result<WordScores>> results = scorer.apply(sentences);
      int[] ends = {58_528, 64_658, 65_737, 67_768};
      double[] including = {
        166.48636685875266, 35.604415830682825, 492.0036134375738, 190.06750652135366
      };
      double[] excluding = {
        148.68081705968288, 35.226015384219906, 363.9198717266655, 183.34058466852156
      };
      long[] unknown = {13_717, 45, 733, 164};
      long[] tokens = {1_410_812, 54_734, 24_463, 50_113};
      Perplexity whole = new Perplexity();
      int at = 0;
      for (int part = 0; part < ends.length; part++) {
        Perplexity perplexity = new Perplexity();
        for (; at < ends[part]; at++) {
          perplexity.add(sentences.get(at), results.get(at).orElseThrow());
          whole.add(sentences.get(at), results.get(at).orElseThrow());
        }
        assertPerplexity(perplexity, including[part], excluding[part], unknown[part], tokens[part]);
      }
      assertPerplexity(whole, 161.03446171721993, 144.16550093710893, 14_659, 1_540_122);
      List<byte[]> lines = KenlmOutput.lines(SharedData.require("data/lm/en.heldout.txt.gz"));
      Perplexity raw = scorer.score(LmTexts.of(lines), ScoreOptions.SENTENCES).perplexity();
      assertPerplexity(raw, 161.03446171721993, 144.16550093710893, 14_659, 1_540_122);
    }
  }

  private static void assertPerplexity(
      Perplexity found, double including, double excluding, long unknown, long tokens) {
    assertThat(found.including() / including).isCloseTo(1, within(1e-9));
    assertThat(found.excluding() / excluding).isCloseTo(1, within(1e-9));
    assertThat(found.unknown()).isEqualTo(unknown);
    assertThat(found.tokens()).isEqualTo(tokens);
  }
}
