package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every scorer must do, on whatever device, in both layouts. */
abstract class ScoreWordsContractTest {
  @TempDir Path folder;

  /** Makes the scorer that is tested. */
  abstract ScoreWords open(LanguageModel model);

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
  void scores_as_backing_off_is_defined(int order, LmLayout layout, int keys) throws IOException {
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
  void goes_on_where_a_state_ends(int order, LmLayout layout, int keys) throws IOException {
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
  void answers_queries_as_it_scores_sentences(int order, LmLayout layout, int keys)
      throws IOException {
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
  void a_bad_record_does_not_disturb_its_neighbours(LmLayout layout) {
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
  void refuses_wrong_queries_by_what_is_wrong(LmLayout layout) {
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
  void scores_nothing_and_no_words(LmLayout layout) {
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
  void a_batch_of_any_shape_gives_what_each_record_gives_alone(LmLayout layout) {
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

  @Test
  void refuses_to_work_when_closed() {
    ScoreWords scorer = harbour(LmLayout.HASH);
    scorer.close();
    scorer.close();
    assertThatThrownBy(() -> scorer.apply(List.of())).isInstanceOf(OperatorException.class);
    assertThatThrownBy(() -> scorer.query(new LmQueries(1, new int[0])))
        .isInstanceOf(OperatorException.class);
  }
}
