package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.lm.arpa.ArpaFile;
import io.latimer.operators.lm.arpa.RandomArpa;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LanguageModelTest;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.util.ListView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every scorer must do, on whatever device, in both layouts. */
abstract class ScoreWordsContractTest extends BatchOperatorContract<LmSentence, WordScores> {
  @TempDir Path folder;

  /** Makes the scorer that is tested. */
  abstract ScoreWords open(LanguageModel model);

  /** Makes it with memory for a few words. */
  abstract ScoreWords openWithLittleMemory(LanguageModel model);

  @Override
  protected final BatchOperator<LmSentence, WordScores> openOperator() {
    return harbour(LmLayout.HASH);
  }

  @Override
  protected final BatchOperator<LmSentence, WordScores> openOperatorWithLittleMemory() {
    return openWithLittleMemory(
        ArpaFile.open(LanguageModelTest.harbour(), folder, LmLayout.HASH, 3));
  }

  @Override
  protected final LmSentence record(int number) {
    return LmSentence.of(new Random(number).ints(number, 0, 12).toArray());
  }

  @Override
  protected final List<LmSentence> badRecords() {
    return List.of(
        LmSentence.of(3, 12),
        LmSentence.of(-1),
        LmSentence.after(new LmState(new int[4], new float[4]), 3),
        LmSentence.after(new LmState(new int[1], new float[] {Float.NaN}), 3));
  }

  @Override
  protected final void assertSameOutput(WordScores expected, WordScores found, String where) {
    assertThat(found.log10()).as(where).isEqualTo(expected.log10());
    assertThat(found.lengths()).as(where).isEqualTo(expected.lengths());
    assertThat(found.total()).as(where).isEqualTo(expected.total());
    assertThat(found.unknown()).as(where).isEqualTo(expected.unknown());
    assertThat(found.out()).as(where).isEqualTo(expected.out());
  }

  private ScoreWords harbour(LmLayout layout) {
    return open(ArpaFile.open(LanguageModelTest.harbour(), folder, layout, 3));
  }

  static Stream<Arguments> models() {
    return IntStream.rangeClosed(1, 8)
        .boxed()
        .flatMap(
            order ->
                Stream.of(
                    Arguments.of(order, LmLayout.HASH, 31),
                    Arguments.of(order, LmLayout.BTREE, new int[] {3, 5, 31, 63}[order % 4])));
  }

  private static List<String> text(ArpaFile arpa, Random random, int length) {
    List<String> words = new ArrayList<>();
    List<String> ngrams = arpa.ngrams();
    while (words.size() < length) {
      int kind = random.nextInt(10);
      if (kind == 0) {
        words.add("zzz" + random.nextInt(3));
      } else if (kind < 4) {
        words.add(arpa.words().get(random.nextInt(arpa.words().size())));
      } else {
        words.addAll(List.of(ngrams.get(random.nextInt(ngrams.size())).split(" ", -1)));
      }
    }
    return words.subList(0, length);
  }

  private static int[] ids(LanguageModel model, List<String> words) {
    return words.stream().mapToInt(model.vocabulary()::id).toArray();
  }

  /** Words, back-offs and scores are compared by their bits. */
  private static void assertScores(
      ArpaFile arpa,
      LanguageModel model,
      List<String> history,
      List<String> words,
      WordScores found) {
    List<String> before = new ArrayList<>(history);
    float total = 0;
    int unknown = 0;
    assertThat(found.log10()).hasSize(words.size());
    assertThat(found.lengths()).hasSize(words.size());
    for (int i = 0; i < words.size(); i++) {
      ArpaFile.Scored expected = arpa.score(before, words.get(i));
      List<String> shown = before.subList(Math.max(0, before.size() - 8), before.size());
      String where = "word " + (i + 1) + ", " + words.get(i) + " after " + shown;
      assertThat(Float.floatToRawIntBits(found.log10()[i]))
          .as(where)
          .isEqualTo(Float.floatToRawIntBits(expected.log10()));
      assertThat((int) found.lengths()[i]).as(where).isEqualTo(expected.length());
      total += expected.log10();
      unknown += model.vocabulary().id(words.get(i)) == 0 ? 1 : 0;
      before.add(words.get(i));
      if (i == words.size() - 1) {
        assertState(model, expected, found.out(), where);
      }
    }
    assertThat(found.total()).isEqualTo(total);
    assertThat(found.unknown()).isEqualTo(unknown);
  }

  private static void assertState(
      LanguageModel model, ArpaFile.Scored expected, LmState found, String where) {
    if (expected.state().equals(List.of("<unk>")) && expected.backoffs().get(0) == 0) {
      return; // KenLM's state may hold <unk> for nothing where the ARPA file has none
    }
    assertThat(found.words()).as(where).containsExactly(ids(model, expected.state()));
    float[] backoffs = new float[expected.backoffs().size()];
    for (int i = 0; i < backoffs.length; i++) {
      backoffs[i] = expected.backoffs().get(i);
    }
    assertThat(found.backoffs()).as(where).isEqualTo(backoffs);
  }

  @ParameterizedTest
  @MethodSource("models")
  void scoresAsBackingOffIsDefined(int order, LmLayout layout, int keys) throws IOException {
    for (int round = 0; round < 3; round++) {
      int vocabulary = new int[] {3, 12, 150}[round];
      Path file = folder.resolve("random" + round + ".arpa");
      ArpaFile arpa =
          ArpaFile.read(
              RandomArpa.write(file, order, vocabulary, 40 * vocabulary, order * 7 + round));
      LanguageModel model = ArpaFile.open(file, folder, layout, keys);
      Random random = new Random(round);
      List<List<String>> texts = new ArrayList<>();
      List<LmSentence> batch = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        List<String> words = text(arpa, random, i == 7 ? 3000 : random.nextInt(12));
        texts.add(words);
        boolean begin = random.nextBoolean();
        batch.add(new LmSentence(ids(model, words), begin, random.nextBoolean(), LmState.NONE));
      }
      try (ScoreWords scorer = open(model)) {
        List<Result<WordScores>> results = scorer.apply(batch);
        assertThat(results).hasSize(batch.size());
        for (int i = 0; i < batch.size(); i++) {
          List<String> words = new ArrayList<>(texts.get(i));
          if (batch.get(i).end()) {
            words.add("</s>");
          }
          List<String> before = batch.get(i).begin() && order > 1 ? List.of("<s>") : List.of();
          assertScores(arpa, model, before, words, results.get(i).orElseThrow());
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void goesOnWhereAStateEnds(int order, LmLayout layout, int keys) throws IOException {
    Path file = RandomArpa.write(folder.resolve("state.arpa"), order, 8, 300, order);
    ArpaFile arpa = ArpaFile.read(file);
    LanguageModel model = ArpaFile.open(file, folder, layout, keys);
    Random random = new Random(order);
    try (ScoreWords scorer = open(model)) {
      for (int i = 0; i < 40; i++) {
        int[] words = ids(model, text(arpa, random, 1 + random.nextInt(20)));
        WordScores whole =
            scorer
                .apply(List.of(new LmSentence(words, true, false, LmState.NONE)))
                .get(0)
                .orElseThrow();
        LmState state = model.beginState();
        float[] pieces = new float[words.length];
        for (int at = 0, next; at < words.length; at = next) {
          next = Math.min(words.length, at + 1 + random.nextInt(3));
          int[] piece = Arrays.copyOfRange(words, at, next);
          WordScores scores =
              scorer.apply(List.of(LmSentence.after(state, piece))).get(0).orElseThrow();
          System.arraycopy(scores.log10(), 0, pieces, at, piece.length);
          assertThat(scores.lengths()).isEqualTo(Arrays.copyOfRange(whole.lengths(), at, next));
          state = scores.out();
        }
        assertThat(pieces).isEqualTo(whole.log10());
        assertThat(state).isEqualTo(whole.out());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void answersQueriesAsItScoresSentences(int order, LmLayout layout, int keys) throws IOException {
    Path file = RandomArpa.write(folder.resolve("query.arpa"), order, 9, 300, order + 50);
    ArpaFile arpa = ArpaFile.read(file);
    LanguageModel model = ArpaFile.open(file, folder, layout, keys);
    Random random = new Random(order);
    try (ScoreWords scorer = open(model)) {
      for (int width = 1; width <= order; width++) {
        List<List<String>> texts = new ArrayList<>();
        int[] ids = new int[width * 2500];
        Arrays.fill(ids, LmQueries.NONE);
        for (int query = 0; query < 2500; query++) {
          List<String> words = text(arpa, random, 1 + random.nextInt(width));
          texts.add(words);
          int[] query1 = ids(model, words);
          System.arraycopy(query1, 0, ids, (query + 1) * width - query1.length, query1.length);
        }
        LmAnswers answers = scorer.query(new LmQueries(width, ids));
        for (int query = 0; query < 2500; query++) {
          List<String> words = texts.get(query);
          ArpaFile.Scored expected =
              arpa.score(words.subList(0, words.size() - 1), words.get(words.size() - 1));
          assertThat(Float.floatToRawIntBits(answers.log10()[query]))
              .as("%s", words)
              .isEqualTo(Float.floatToRawIntBits(expected.log10()));
          assertThat((int) answers.lengths()[query]).as("%s", words).isEqualTo(expected.length());
        }
      }
      LmAnswers none = scorer.query(new LmQueries(1, new int[0]));
      assertThat(none.log10()).isEmpty();
      assertThat(none.lengths()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void aBadRecordDoesNotDisturbItsNeighbours(LmLayout layout) {
    try (ScoreWords scorer = harbour(layout)) {
      LmSentence good = LmSentence.of(3, 4, 5);
      WordScores alone = scorer.apply(List.of(good)).get(0).orElseThrow();
      List<Result<WordScores>> results =
          scorer.apply(
              List.of(
                  good,
                  LmSentence.of(3, 12),
                  good,
                  LmSentence.of(-1),
                  LmSentence.after(new LmState(new int[4], new float[4]), 3),
                  LmSentence.after(new LmState(new int[] {99}, new float[1]), 3),
                  LmSentence.after(new LmState(new int[1], new float[] {Float.NaN}), 3),
                  good));
      assertThat(messages(results))
          .containsExactly(
              null,
              "word 2 is 12, but the model's ids are 0 to 11",
              null,
              "word 1 is -1, but the model's ids are 0 to 11",
              "the state has 4 words, the model is of order 4",
              "word 1 of the state is 99, but the model's ids are 0 to 11",
              "back-off 1 of the state is NaN",
              null);
      for (int i : new int[] {0, 2, 7}) {
        WordScores scores = results.get(i).orElseThrow();
        assertThat(scores.log10()).isEqualTo(alone.log10());
        assertThat(scores.out()).isEqualTo(alone.out());
      }
    }
  }

  private static List<String> messages(List<Result<WordScores>> results) {
    List<String> messages = new ArrayList<>();
    for (Result<WordScores> result : results) {
      messages.add(
          result instanceof Result.Failure<WordScores> failure
              ? failure.error().getMessage()
              : null);
    }
    return messages;
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void refusesWrongQueriesByWhatIsWrong(LmLayout layout) {
    try (ScoreWords scorer = harbour(layout)) {
      assertThatThrownBy(() -> scorer.query(new LmQueries(2, new int[] {3, 4, 3, 12})))
          .isInstanceOf(RecordException.class)
          .hasMessage("query 2: id 2 is 12, but the model's ids are 0 to 11");
      assertThatThrownBy(() -> scorer.query(new LmQueries(3, new int[] {3, -1, 4})))
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("query 1: id 2 is -1");
      assertThatThrownBy(() -> scorer.query(new LmQueries(2, new int[] {3, -1})))
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("query 1: id 2 is -1");
      assertThatThrownBy(() -> scorer.query(new LmQueries(5, new int[5])))
          .isInstanceOf(RecordException.class)
          .hasMessage("the queries have 5 ids each, the model is of order 4");
    }
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void scoresNothingAndNoWords(LmLayout layout) {
    try (ScoreWords scorer = harbour(layout)) {
      assertThat(scorer.apply(List.of())).isEmpty();
      LmState state = scorer.apply(List.of(LmSentence.of(3, 4))).get(0).orElseThrow().out();
      List<Result<WordScores>> results =
          scorer.apply(
              List.of(
                  LmSentence.of(),
                  new LmSentence(new int[0], true, false, LmState.NONE),
                  LmSentence.after(state),
                  new LmSentence(new int[0], false, false, LmState.NONE)));
      assertThat(results.get(0).orElseThrow().log10()).hasSize(1);
      for (int i = 1; i < 4; i++) {
        WordScores nothing = results.get(i).orElseThrow();
        assertThat(nothing.log10()).isEmpty();
        assertThat(Float.floatToRawIntBits(nothing.total())).isZero();
        assertThat(nothing.out())
            .isEqualTo(
                List.of(LmState.NONE, scorer.model().beginState(), state, LmState.NONE).get(i));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void aBatchOfAnyShapeGivesWhatEachRecordGivesAlone(LmLayout layout) {
    Random random = new Random(8);
    try (ScoreWords scorer = harbour(layout)) {
      List<LmSentence> batch = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        int length = i % 500 == 499 ? 2500 : random.nextInt(9);
        batch.add(LmSentence.of(random.ints(length, 0, 12).toArray()));
      }
      List<Result<WordScores>> results = scorer.apply(batch);
      for (int i = 0; i < batch.size(); i += 37) {
        WordScores alone = scorer.apply(List.of(batch.get(i))).get(0).orElseThrow();
        WordScores found = results.get(i).orElseThrow();
        assertThat(found.log10()).isEqualTo(alone.log10());
        assertThat(found.lengths()).isEqualTo(alone.lengths());
        assertThat(found.out()).isEqualTo(alone.out());
        assertThat(found.total()).isEqualTo(alone.total());
      }
    }
  }

  /** Texts in all encodings of hostility; a line each, so without line feeds. */
  private static List<byte[]> hostileTexts(ArpaFile arpa, Random random) {
    List<byte[]> texts = new ArrayList<>();
    String parting = "\0\t\u000b\f\r ";
    for (int i = 0; i < 400; i++) {
      int length = i % 150 == 40 ? 3000 : random.nextInt(12);
      StringBuilder text = new StringBuilder(i % 5 == 0 ? " \t " : "");
      for (String word : text(arpa, random, length)) {
        text.append(random.nextInt(30) == 0 ? word + "\u00e9" : word);
        for (int gap = random.nextInt(9) == 0 ? random.nextInt(40) : 0; gap >= 0; gap--) {
          text.append(parting.charAt(random.nextInt(parting.length())));
        }
      }
      texts.add(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    for (int length = 0; length < 300; length += 1 + length / 20) {
      byte[] spaces = new byte[length];
      Arrays.fill(spaces, (byte) ' ');
      byte[] word = new byte[length];
      Arrays.fill(word, (byte) 0xff);
      byte[] any = new byte[length];
      random.nextBytes(any);
      for (int i = 0; i < length; i++) {
        any[i] = any[i] == '\n' ? 0 : any[i];
      }
      texts.addAll(List.of(spaces, new byte[0], word, any));
    }
    texts.add(arpa.words().get(arpa.words().size() - 1).getBytes(StandardCharsets.UTF_8));
    return texts;
  }

  private static byte[] joined(List<byte[]> lines) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] line : lines) {
      out.writeBytes(line);
      out.write('\n');
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @MethodSource("models")
  void scoresRawTextAsItScoresTheIdsOfItsWords(int order, LmLayout layout, int keys)
      throws IOException {
    Path file = RandomArpa.write(folder.resolve("text.arpa"), order, 60, 900, order + 90);
    ArpaFile arpa = ArpaFile.read(file);
    LanguageModel model = ArpaFile.open(file, folder, layout, keys);
    List<byte[]> texts = hostileTexts(arpa, new Random(order));
    byte[] lines = joined(texts);
    byte[] within = new byte[lines.length + 7];
    Arrays.fill(within, (byte) 'x');
    System.arraycopy(lines, 0, within, 3, lines.length);
    try (ScoreWords scorer = open(model)) {
      for (int flags = 0; flags < 4; flags++) {
        ScoreOptions options = new ScoreOptions((flags & 1) != 0, (flags & 2) != 0, true);
        List<LmSentence> sentences = new ArrayList<>();
        for (byte[] text : texts) {
          int[] ids = LmText.ids(model.vocabulary(), text, 0, text.length);
          sentences.add(new LmSentence(ids, options.begin(), options.end(), LmState.NONE));
        }
        List<Result<WordScores>> expected = scorer.apply(sentences);
        ScoredTexts found = scorer.score(LmTexts.of(texts), options);
        assertTexts(sentences, expected, found);
        assertSameTotals(found, scorer.score(LmTexts.of(texts), options.totalsOnly()));
        assertTexts(sentences, expected, scorer.score(LmTexts.lines(lines), options));
        int end = 3 + lines.length;
        assertTexts(sentences, expected, scorer.score(LmTexts.lines(within, 3, end), options));
        assertTexts(sentences, expected, scorer.score(LmTexts.lines(within, 3, end - 1), options));
      }
    }
  }

  private static void assertTexts(
      List<LmSentence> sentences, List<Result<WordScores>> expected, ScoredTexts found) {
    assertThat(found.size()).isEqualTo(sentences.size());
    Perplexity perplexity = new Perplexity();
    for (int i = 0; i < sentences.size(); i++) {
      LmSentence sentence = sentences.get(i);
      WordScores scores = expected.get(i).orElseThrow();
      Scored text = found.get(i);
      String where = "text " + i;
      assertThat(text.words()).as(where).isEqualTo(sentence.ids().length);
      assertThat(text.tokens()).as(where).isEqualTo(sentence.tokens());
      assertThat(Arrays.copyOf(text.ids(), text.words())).as(where).isEqualTo(sentence.ids());
      assertThat(text.log10()).as(where).isEqualTo(scores.log10());
      assertThat(text.lengths()).as(where).isEqualTo(scores.lengths());
      assertThat(Float.floatToRawIntBits(text.total()))
          .as(where)
          .isEqualTo(Float.floatToRawIntBits(scores.total()));
      assertThat(text.unknown()).as(where).isEqualTo(scores.unknown());
      perplexity.add(sentence, scores);
    }
    assertThat(found.perplexity().tokens()).isEqualTo(perplexity.tokens());
    assertThat(found.perplexity().unknown()).isEqualTo(perplexity.unknown());
    assertThat(found.perplexity().sentences()).isEqualTo(perplexity.sentences());
    assertThat(found.perplexity().including()).isEqualTo(perplexity.including());
    assertThat(found.perplexity().excluding())
        .isCloseTo(perplexity.excluding(), withinPercentage(1e-10));
  }

  private static void assertSameTotals(ScoredTexts expected, ScoredTexts found) {
    assertThat(found.size()).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      Scored whole = expected.get(i);
      Scored totals = found.get(i);
      String where = "text " + i;
      assertThat(totals.tokens()).as(where).isEqualTo(whole.tokens());
      assertThat(Float.floatToRawIntBits(totals.total()))
          .as(where)
          .isEqualTo(Float.floatToRawIntBits(whole.total()));
      assertThat(totals.unknown()).as(where).isEqualTo(whole.unknown());
      assertThat(totals.perplexity()).as(where).isEqualTo(Double.valueOf(whole.perplexity()));
      assertThat(totals.perplexityOfKnown())
          .as(where)
          .isEqualTo(Double.valueOf(whole.perplexityOfKnown()));
    }
    for (ThrowingCallable word :
        List.<ThrowingCallable>of(
            () -> found.get(0).id(0),
            () -> found.get(0).log10(0),
            () -> found.get(0).length(0),
            () -> found.get(0).ids(),
            () -> found.get(0).log10(),
            () -> found.get(0).lengths())) {
      assertThatThrownBy(word)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("not kept");
    }
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void scoresNoTextsAndEmptyOnes(LmLayout layout) {
    try (ScoreWords scorer = harbour(layout)) {
      for (LmTexts none :
          List.of(
              LmTexts.of(List.of()),
              LmTexts.ofStrings(List.of()),
              LmTexts.lines(new byte[0]),
              LmTexts.lines(new byte[] {'a', 'b'}, 1, 1))) {
        assertThat(scorer.score(none, ScoreOptions.SENTENCES).size()).isZero();
        assertThat(scorer.score(none, ScoreOptions.SENTENCES).perplexity().including()).isNaN();
      }
      ScoredTexts empty =
          scorer.score(LmTexts.ofStrings(List.of("", " ", "\n")), ScoreOptions.FRAGMENTS);
      assertThat(all(empty)).hasSize(3).allSatisfy(text -> assertThat(text.tokens()).isZero());
      byte[] lines = "\n\nthe".getBytes(StandardCharsets.UTF_8);
      assertThat(all(scorer.score(LmTexts.lines(lines), ScoreOptions.SENTENCES)))
          .extracting(Scored::words)
          .containsExactly(0, 0, 1);
    }
  }

  /** Enough for every thread, and for several workspaces. */
  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void aTextOfManyLinesGivesWhatEachLineGivesAlone(LmLayout layout) {
    Random random = new Random(9);
    String[] words = {"the", "ship", "quiet", "zzz", "harbour", "grey", "na\u00efve"};
    List<byte[]> texts = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int left = random.nextInt(20); left > 0; left--) {
        text.append(words[random.nextInt(words.length)]).append(' ');
      }
      texts.add(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    try (ScoreWords scorer = harbour(layout)) {
      ScoredTexts found = scorer.score(LmTexts.lines(joined(texts)), ScoreOptions.SENTENCES);
      assertThat(found.size()).isEqualTo(texts.size());
      for (int i = 0; i < texts.size(); i += 97) {
        Scored alone =
            scorer.score(LmTexts.of(texts.subList(i, i + 1)), ScoreOptions.SENTENCES).get(0);
        assertThat(found.get(i).ids()).isEqualTo(alone.ids());
        assertThat(found.get(i).log10()).isEqualTo(alone.log10());
        assertThat(found.get(i).total()).isEqualTo(alone.total());
      }
      assertSameTotals(
          found, scorer.score(LmTexts.lines(joined(texts)), ScoreOptions.SENTENCES.totalsOnly()));
    }
  }

  @Test
  void aClosedScorerTakesNoTextsAndNoQueries() {
    ScoreWords scorer = harbour(LmLayout.HASH);
    scorer.close();
    assertThatThrownBy(() -> scorer.query(new LmQueries(1, new int[0])))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> scorer.score(LmTexts.of(List.of()), ScoreOptions.SENTENCES))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("closed");
  }

  private static List<Scored> all(ScoredTexts texts) {
    return new ListView<>(texts.size(), texts::get);
  }
}
