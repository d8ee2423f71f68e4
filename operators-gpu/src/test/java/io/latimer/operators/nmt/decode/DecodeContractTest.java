package io.latimer.operators.nmt.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.cpu.DecodeGoldenTest;
import io.latimer.operators.nmt.cpu.OracleDecoder;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.testing.SharedData;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link Decode} keeps to, on whatever device. */
public abstract class DecodeContractTest extends BatchOperatorContract<DecodeInput, Decoded> {
  /** How far a score may lie from the oracle's, which computes in 64 bits. */
  private static final double SCORE = 2e-4;

  /** How far a score may lie from that of the same sentence in another batch. */
  private static final double BATCH = 1e-5;

  /** Choices closer than this hang on rounding. */
  private static final double NEAR_TIE = 1e-4;

  /** Opens a decoder that has memory for any batch of these tests. */
  protected abstract Decode open(Network model, DecodeOptions options);

  /** Opens a decoder whose memory holds one small sentence at a time. */
  protected abstract Decode openWithLittleMemory(Network model, DecodeOptions options);

  private static final DecodeOptions OPTIONS = DecodeOptions.beam(4).withNBest(2);

  @Override
  protected final BatchOperator<DecodeInput, Decoded> openOperator() {
    return open(someModel(ONE), OPTIONS);
  }

  @Override
  protected final BatchOperator<DecodeInput, Decoded> openOperatorWithLittleMemory() {
    return openWithLittleMemory(someModel(ONE), OPTIONS);
  }

  @Override
  protected final DecodeInput record(int number) {
    int[] ids = RandomModels.sentence(ONE, new Random(number), 12);
    int[] prefix = number % 3 == 0 ? new int[] {2 + number % 5} : new int[0];
    return new DecodeInput(ids.length == 1 ? new int[] {2, 0} : ids, prefix);
  }

  @Override
  protected final List<DecodeInput> badRecords() {
    return List.of(
        DecodeInput.of(),
        DecodeInput.of(3, 20, 0),
        DecodeInput.of(-1, 0),
        new DecodeInput(new int[] {3, 0}, new int[] {24}),
        new DecodeInput(new int[] {3, 0}, new int[] {2, 2, 2, 2, 2, 2}));
  }

  @Override
  protected final void assertSameOutput(Decoded expected, Decoded found, String where) {
    assertSameResults(List.of(Result.of(expected)), List.of(Result.of(found)));
  }

  /** One network of each kind, each of 20 source words. */
  protected static Stream<NetworkSettings> eachNetwork() {
    return Stream.of(
        plain(LayerNormalization.NONE, CellKind.GRU),
        transformer(Autoregression.SELF_ATTENTION, NormPlacement.POST));
  }

  /** One network of each kind of what a search keeps of the words said, each of 20 source words. */
  public static Stream<NetworkSettings> eachMemory() {
    return Stream.concat(
        Stream.of(CellKind.GRU, CellKind.MLSTM).map(kind -> plain(LayerNormalization.NONE, kind)),
        Stream.of(Autoregression.values()).map(kind -> transformer(kind, NormPlacement.POST)));
  }

  protected static Network someModel(NetworkSettings settings) {
    return RandomModels.model(settings, new Random(5));
  }

  private static TransformerSettings transformer(Autoregression kind, NormPlacement norm) {
    boolean averages = kind == Autoregression.AVERAGE_ATTENTION;
    return new TransformerSettings(
        20,
        24,
        12,
        3,
        2,
        3,
        16,
        20,
        Activation.SWISH,
        kind,
        averages ? 14 : 0,
        averages ? Activation.RELU : Activation.SWISH,
        norm,
        norm == NormPlacement.PRE,
        2,
        false,
        false,
        TransformerVariant.MARIAN);
  }

  private static final NetworkSettings ONE = plain(LayerNormalization.NONE, CellKind.GRU);

  private static RnnSettings plain(LayerNormalization norm, CellKind kind) {
    return RnnSettings.plain(20, 24, 6, 8, 10, kind, norm);
  }

  static Stream<NetworkSettings> everyKind() {
    List<NetworkSettings> all = new ArrayList<>();
    for (CellKind kind : CellKind.values()) {
      all.add(plain(LayerNormalization.NONE, kind));
      all.add(plain(LayerNormalization.JOINT, kind));
    }
    all.add(plain(LayerNormalization.SEPARATE, CellKind.GRU));
    for (LayerNormalization norm : LayerNormalization.values()) {
      CellKind gru = CellKind.GRU;
      all.add(new RnnSettings(20, 20, 6, 8, 10, gru, gru, 3, gru, gru, 4, norm, false, true, true));
    }
    CellKind mlstm = CellKind.MLSTM;
    all.add(
        new RnnSettings(
            9,
            300,
            5,
            7,
            14,
            mlstm,
            CellKind.GRU,
            0,
            CellKind.LSTM,
            mlstm,
            0,
            LayerNormalization.NONE,
            true,
            false,
            true));
    for (Autoregression kind : Autoregression.values()) {
      for (NormPlacement norm : NormPlacement.values()) {
        all.add(transformer(kind, norm));
      }
    }
    all.add(
        new TransformerSettings(
            30,
            30,
            10,
            1,
            3,
            1,
            7,
            9,
            Activation.GELU,
            Autoregression.SELF_ATTENTION,
            0,
            Activation.GELU,
            NormPlacement.POST,
            true,
            1,
            true,
            true,
            TransformerVariant.MARIAN));
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void givesWhatTheEquationsGive(NetworkSettings settings) {
    // decoders have no part in alignsNext
    String decoded = settings.toString().replaceFirst(", alignsNext=(true|false)", "");
    Random random = new Random(decoded.hashCode());
    againstOracle(settings, random, 6);
  }

  @Test
  void givesWhatTheEquationsGiveForRandomSettings() {
    Random random = new Random(20261121);
    int compared = 0;
    for (int i = 0; i < 40; i++) {
      compared += againstOracle(RandomModels.settings(random), random, 4);
    }
    assertThat(compared).as("sentences that no near tie excused").isGreaterThan(100);
  }

  @Test
  void aShortlistGivesWhatTheEquationsGiveWithoutAllOtherWords() {
    Random random = new Random(20261122);
    int compared = 0;
    for (int i = 0; i < 24; i++) {
      NetworkSettings settings = RandomModels.settings(random);
      Network model = RandomModels.model(settings, random);
      compared +=
          againstOracle(model.withShortlist(RandomModels.shortlist(settings, random)), random, 6);
    }
    assertThat(compared).as("sentences that no near tie excused").isGreaterThan(80);
  }

  private int againstOracle(NetworkSettings settings, Random random, int sentences) {
    return againstOracle(RandomModels.model(settings, random), random, sentences);
  }

  @Test
  void loopsEndAsTheRulesSay() {
    Random random = new Random(20261129);
    int compared = 0;
    int changed = 0;
    for (int i = 0; i < 40; i++) {
      Network model = RandomModels.model(RandomModels.settings(random), random);
      DecodeOptions options =
          DecodeOptions.beam(1 + random.nextInt(4))
              .withMaxLengthFactor(8)
              .with(DecodeOptions.Switch.END_LOOPS, true);
      List<DecodeInput> batch = inputs(model.settings(), options, random, 5);
      compared += againstOracle(model, options, batch);
      List<Result<Decoded>> ended;
      List<Result<Decoded>> whole;
      try (Decode decode = open(model, options)) {
        ended = decode.apply(batch);
      }
      try (Decode decode = open(model, options.with(DecodeOptions.Switch.END_LOOPS, false))) {
        whole = decode.apply(batch);
      }
      for (int k = 0; k < batch.size(); k++) {
        int[] ids = whole.get(k).orElseThrow().best().ids();
        boolean same = Arrays.equals(ended.get(k).orElseThrow().best().ids(), ids);
        assertThat(same || RepeatedIds.anywhere(ids)).as("no loop, but changed").isTrue();
        changed += same ? 0 : 1;
      }
    }
    assertThat(compared).as("sentences that no near tie excused").isGreaterThan(80);
    assertThat(changed).as("translations that had a loop").isGreaterThan(10);
  }

  @Test
  void givenTranslationsGetTheirScores() {
    Random random = new Random(20261130);
    int compared = 0;
    for (int i = 0; i < 30; i++) {
      NetworkSettings settings = RandomModels.settings(random);
      Network model = RandomModels.model(settings, random);
      DecodeOptions options = DecodeOptions.given().withAlignment(random.nextBoolean());
      List<DecodeInput> batch = new ArrayList<>();
      for (int k = 0; k < 6; k++) {
        int[] given = new int[1 + random.nextInt(30)];
        Arrays.setAll(given, at -> random.nextInt(settings.targetVocabulary()));
        given[given.length - 1] = random.nextInt(4) == 0 ? given[given.length - 1] : Decode.END;
        int[] ids = RandomModels.sentence(settings, random, 9);
        int most = Math.min(options.limit(ids.length), settings.longest());
        batch.add(new DecodeInput(ids, Arrays.copyOf(given, Math.min(given.length, most))));
      }
      compared += againstOracle(model, options, batch);
    }
    assertThat(compared).isGreaterThan(150);
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void itsOwnTranslationHasTheScoresOfTheSearch(NetworkSettings settings) {
    Network model = someModel(settings);
    List<int[]> batch = sentences(model, new Random(11), 40);
    try (Decode search = open(model, DecodeOptions.beam(4));
        Decode scoring = open(model, DecodeOptions.given())) {
      List<Result<Decoded>> said = search.decode(batch);
      List<DecodeInput> given = new ArrayList<>();
      for (int i = 0; i < batch.size(); i++) {
        given.add(new DecodeInput(batch.get(i), said.get(i).orElseThrow().best().ids()));
      }
      List<Result<Decoded>> scored = scoring.apply(given);
      for (int i = 0; i < batch.size(); i++) {
        Hypothesis expected = said.get(i).orElseThrow().best();
        Hypothesis found = scored.get(i).orElseThrow().best();
        assertThat(found.ids()).isEqualTo(expected.ids());
        if (batch.get(i).length > 1) { // the empty sentence is not searched
          assertThat(found.score()).isCloseTo(expected.score(), within(SCORE));
          assertThat(found.normalizedScore()).isCloseTo(expected.normalizedScore(), within(SCORE));
        }
      }
    }
  }

  @Test
  void aGivenTranslationOfNoOrTooManyTokensIsRefused() {
    try (Decode scoring = open(someModel(ONE), DecodeOptions.given())) {
      List<Result<Decoded>> results =
          scoring.apply(
              List.of(
                  new DecodeInput(new int[] {3, 0}, new int[0]),
                  new DecodeInput(new int[] {3, 0}, new int[21]),
                  new DecodeInput(new int[] {3, 0}, new int[] {24}),
                  new DecodeInput(new int[] {3, 0}, new int[20])));
      assertThat(results.get(0).toString())
          .contains("0 tokens; a sentence of 2 source tokens may have a translation of 1 to 20");
      assertThat(results.get(1).toString()).contains("21 tokens");
      assertThat(results.get(2).toString()).contains("target prefix id 24 at position 0");
      assertThat(results.get(3).orElseThrow().best().ids()).hasSize(20);
    }
  }

  @Test
  void aGivenTranslationThatIsImpossibleIsRefusedAlone() {
    Network model = RandomModels.withImpossibleWord(someModel(ONE), 7);
    try (Decode scoring = open(model, DecodeOptions.given())) {
      List<Result<Decoded>> results =
          scoring.apply(
              List.of(
                  new DecodeInput(new int[] {3, 0}, new int[] {5, 6, 0}),
                  new DecodeInput(new int[] {3, 0}, new int[] {5, 7, 6, 0}),
                  new DecodeInput(new int[] {3, 0}, new int[] {5, 7})));
      assertThat(results.get(0).orElseThrow().best().score()).isFinite().isNegative();
      for (Result<Decoded> impossible : results.subList(1, 3)) {
        assertThat(impossible.toString()).contains(SourceChecks.notFinite().getMessage());
      }
    }
  }

  private int againstOracle(Network model, Random random, int sentences) {
    int beam = 1 + random.nextInt(8);
    DecodeOptions options =
        DecodeOptions.beam(beam)
            .withNBest(1 + random.nextInt(beam))
            .withLengthNormalization(random.nextInt(3) * 0.6f)
            .withMaxLengthFactor(new float[] {0.4f, 1, 3}[random.nextInt(3)])
            .withAllowUnknown(random.nextBoolean())
            .withAlignment(random.nextBoolean());
    return againstOracle(model, options, inputs(model.settings(), options, random, sentences));
  }

  private static List<DecodeInput> inputs(
      NetworkSettings settings, DecodeOptions options, Random random, int sentences) {
    List<DecodeInput> batch = new ArrayList<>();
    for (int i = 0; i < sentences; i++) {
      int[] ids = RandomModels.sentence(settings, random, 9);
      int limit = options.limit(ids.length);
      int[] prefix = new int[random.nextBoolean() ? 0 : random.nextInt(limit)];
      Arrays.setAll(prefix, k -> random.nextInt(settings.targetVocabulary()));
      batch.add(new DecodeInput(ids, prefix));
    }
    return batch;
  }

  private int againstOracle(Network model, DecodeOptions options, List<DecodeInput> batch) {
    NetworkSettings settings = model.settings();
    OracleDecoder oracle = new OracleDecoder(model);
    List<Result<Decoded>> results;
    try (Decode decode = open(model, options)) {
      results = decode.apply(batch);
    }
    int compared = 0;
    for (int i = 0; i < batch.size(); i++) {
      if (SourceChecks.isEmpty(batch.get(i), options)) {
        continue;
      }
      List<OracleDecoder.Entry> expected = oracle.search(batch.get(i), options);
      if (oracle.margin < NEAR_TIE) {
        continue;
      }
      String what =
          settings
              + " "
              + options
              + " "
              + Arrays.toString(batch.get(i).ids())
              + Arrays.toString(batch.get(i).prefix());
      assertSame(results.get(i).orElseThrow(), expected, options, what);
      compared++;
    }
    return compared;
  }

  private static void assertSame(
      Decoded found, List<OracleDecoder.Entry> expected, DecodeOptions options, String what) {
    assertThat(found.nBest()).as(what).hasSameSizeAs(expected);
    for (int k = 0; k < expected.size(); k++) {
      Hypothesis hypothesis = found.nBest().get(k);
      OracleDecoder.Entry entry = expected.get(k);
      // 32 bits have some seven digits
      Offset<Double> near = within(SCORE * Math.max(1, -entry.score() / 100));
      assertThat(Arrays.stream(hypothesis.ids()).boxed().toList()).as(what).isEqualTo(entry.ids());
      assertThat(hypothesis.score()).as(what).isCloseTo(entry.score(), near);
      assertThat(hypothesis.normalizedScore()).as(what).isCloseTo(entry.normalized(), near);
      double sum = 0;
      for (float score : hypothesis.wordScores()) {
        sum += score;
      }
      assertThat(sum).as(what).isCloseTo(entry.score(), near);
      if (!options.alignment()) {
        assertThat(hypothesis.attention()).isNull();
        continue;
      }
      for (int t = 0; t < entry.attention().size(); t++) {
        for (int j = 0; j < entry.attention().get(t).length; j++) {
          assertThat((double) hypothesis.attention()[t][j])
              .as(what)
              .isCloseTo(entry.attention().get(t)[j], within(SCORE));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void greedyWithoutScoresGivesTheSameWords(NetworkSettings settings) {
    Network model = someModel(settings);
    Random random = new Random(3);
    List<int[]> batch = sentences(model, random, 50);
    try (Decode with = open(model, DecodeOptions.greedy());
        Decode without = open(model, DecodeOptions.greedy().withScores(false))) {
      List<Result<Decoded>> scored = with.decode(batch);
      List<Result<Decoded>> bare = without.decode(batch);
      for (int i = 0; i < batch.size(); i++) {
        Hypothesis hypothesis = bare.get(i).orElseThrow().best();
        assertThat(hypothesis.ids()).isEqualTo(scored.get(i).orElseThrow().best().ids());
        assertThat(hypothesis.score()).isNaN();
        assertThat(hypothesis.wordScores()).isNull();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void aListWithoutScoresHasTheSameWordsInTheSameOrder(NetworkSettings settings) {
    Network model = someModel(settings);
    List<int[]> batch = sentences(model, new Random(9), 50);
    DecodeOptions options = DecodeOptions.beam(4).withNBest(3);
    try (Decode with = open(model, options);
        Decode without = open(model, options.withScores(false))) {
      List<Result<Decoded>> scored = with.decode(batch);
      List<Result<Decoded>> bare = without.decode(batch);
      for (int i = 0; i < batch.size(); i++) {
        List<Hypothesis> list = scored.get(i).orElseThrow().nBest();
        assertThat(list)
            .hasSize(3)
            .isSortedAccordingTo(
                (a, b) -> Double.compare(b.normalizedScore(), a.normalizedScore()));
        List<Hypothesis> found = bare.get(i).orElseThrow().nBest();
        assertThat(found).hasSameSizeAs(list);
        for (int k = 0; k < list.size(); k++) {
          assertThat(found.get(k).ids()).isEqualTo(list.get(k).ids());
          assertThat(found.get(k).score()).isNaN();
          assertThat(found.get(k).normalizedScore()).isNaN();
          assertThat(found.get(k).wordScores()).isNull();
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void theEmptySentenceBecomesTheEmptyHypothesis(NetworkSettings settings) {
    try (Decode decode = open(someModel(settings), DecodeOptions.beam(3).withAlignment(true))) {
      Decoded decoded = decode.decode(List.of(new int[] {0})).get(0).orElseThrow();
      assertThat(decoded.nBest()).hasSize(1);
      assertThat(decoded.best().ids()).containsExactly(Decode.END);
      assertThat(decoded.best().score()).isZero();
      assertThat(decoded.best().wordScores()).containsExactly(0f);
      assertThat(decoded.best().attention()).isDeepEqualTo(new float[][] {{1f}});
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void aBadRecordIsAFailureOfThatRecordAlone(NetworkSettings settings) {
    Network model = someModel(settings);
    int[] good = {3, 4, 5, 0};
    List<int[]> batch =
        List.of(
            good,
            new int[] {},
            new int[] {3, 4},
            good,
            new int[] {3, 20, 0},
            new int[] {3, -1, 0},
            new int[] {3, 4, 20},
            new int[Decode.MAX_SOURCE + 1],
            good);
    try (Decode decode = open(model, DecodeOptions.beam(2))) {
      List<Result<Decoded>> results = decode.decode(batch);
      assertThat(results).hasSize(batch.size());
      Map<Integer, String> messages = new LinkedHashMap<>();
      for (int i = 0; i < results.size(); i++) {
        if (results.get(i) instanceof Result.Failure<Decoded> failure) {
          messages.put(i, failure.error().getMessage());
        }
      }
      assertThat(messages)
          .containsOnlyKeys(1, 4, 5, 6, 7)
          .containsEntry(1, "the sentence has no source ids")
          .containsEntry(4, "source id 20 at position 1 is not below the vocabulary's 20")
          .containsEntry(5, "source id -1 at position 1 is not below the vocabulary's 20")
          .containsEntry(6, "source id 20 at position 2 is not below the vocabulary's 20")
          .containsEntry(
              7, "the sentence has 4097 source tokens; at most 4096 can be translated at once");
      int[] alone = decode.decode(List.of(good)).get(0).orElseThrow().best().ids();
      for (int i : new int[] {0, 3, 8}) {
        assertThat(results.get(i).orElseThrow().best().ids()).isEqualTo(alone);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void aPrefixIsTakenAsItIs(NetworkSettings settings) {
    Network model = someModel(settings);
    int[] source = {3, 4, 5, 0};
    int[] prefix = {7, Decode.END, Decode.UNKNOWN, 7};
    try (Decode decode = open(model, DecodeOptions.beam(3))) {
      List<Result<Decoded>> results =
          decode.apply(
              List.of(
                  DecodeInput.of(source),
                  new DecodeInput(source, prefix),
                  new DecodeInput(source, new int[] {24}),
                  new DecodeInput(source, new int[12])));
      Hypothesis found = results.get(1).orElseThrow().best();
      assertThat(found.ids()).hasSizeGreaterThan(4).startsWith(prefix);
      assertThat(found.wordScores()).startsWith(new float[4]);
      assertThat(results.get(0).orElseThrow().best().ids())
          .isEqualTo(decode.decode(List.of(source)).get(0).orElseThrow().best().ids());
      assertThatThrownBy(() -> results.get(2).orElseThrow())
          .hasMessage("target prefix id 24 at position 0 is not below the vocabulary's 24");
      assertThatThrownBy(() -> results.get(3).orElseThrow())
          .hasMessageStartingWith(
              "the target prefix has 12 tokens, and translations of this sentence have at most 12");
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void aModelWhoseScoresAreNoNumbersFailsTheRecordAndNotTheOperator(NetworkSettings settings) {
    Network sound = someModel(settings);
    Network model = RandomModels.withInfiniteScores(sound);
    for (DecodeOptions options :
        new DecodeOptions[] {DecodeOptions.beam(3), DecodeOptions.greedy().withScores(false)}) {
      try (Decode decode = open(model, options)) {
        assertThat(decode.decode(List.of(new int[] {3, 4, 0})).get(0))
            .isInstanceOf(Result.Failure.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void aBatchLargerThanMemoryGivesTheSame(NetworkSettings settings) {
    Network model = RandomModels.model(settings, new Random(4));
    List<int[]> batch = sentences(model, new Random(7), 40);
    DecodeOptions options = DecodeOptions.beam(4).withNBest(2);
    try (Decode much = open(model, options);
        Decode little = openWithLittleMemory(model, options)) {
      assertSameResults(much.decode(batch), little.decode(batch));
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void resultsComeInTheOrderOfTheBatch(NetworkSettings settings) {
    Network model = someModel(settings);
    Random random = new Random(11);
    List<int[]> batch = sentences(model, random, 64);
    try (Decode decode = open(model, DecodeOptions.beam(3).withAlignment(true))) {
      List<Result<Decoded>> forward = decode.decode(batch);
      for (int i = 0; i < batch.size(); i++) {
        assertThat(forward.get(i).orElseThrow().best().attention()[0]).hasSize(batch.get(i).length);
      }
      List<int[]> reversed = new ArrayList<>(batch);
      Collections.reverse(reversed);
      List<Result<Decoded>> backward = new ArrayList<>(decode.decode(reversed));
      Collections.reverse(backward);
      assertSameResults(forward, backward);
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void theBatchDoesNotMatter(NetworkSettings settings) {
    Random random = new Random(settings.toString().hashCode() + 1);
    Network model = RandomModels.model(settings, random);
    OracleDecoder oracle = new OracleDecoder(model);
    DecodeOptions options = DecodeOptions.beam(1 + random.nextInt(5)).withAlignment(true);
    List<int[]> batch = sentences(model, random, 30);
    batch.removeIf(
        ids -> {
          oracle.search(DecodeInput.of(ids), options);
          return oracle.margin < BATCH;
        });
    assertThat(batch).hasSizeGreaterThan(20);
    theBatchDoesNotMatter(model, options, batch, random, 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tatoeba-ende-gru", "tatoeba-ende-transformer"})
  void theBatchDoesNotMatterForATrainedModel(String folder) throws Exception {
    Network model = DecodeGoldenTest.model(folder);
    List<int[]> batch = new ArrayList<>();
    for (String line :
        Files.readAllLines(SharedData.require("models/" + folder + "/golden/golden.jsonl"))) {
      String ids = line.substring(line.indexOf("[") + 1, line.indexOf("]"));
      batch.add(
          Arrays.stream(ids.split(",")).map(String::trim).mapToInt(Integer::parseInt).toArray());
    }
    DecodeOptions options = DecodeOptions.beam(4).withAlignment(true);
    theBatchDoesNotMatter(model, options, batch.subList(0, 50), new Random(17), 2);
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void theBatchDoesNotMatterToAShortlist(NetworkSettings settings) {
    Random random = new Random(31);
    Network model = someModel(settings).withShortlist(RandomModels.shortlist(settings, random));
    OracleDecoder oracle = new OracleDecoder(model);
    DecodeOptions options = DecodeOptions.beam(3).withAlignment(true);
    List<int[]> batch = sentences(model, random, 30);
    batch.removeIf(
        ids -> {
          oracle.search(DecodeInput.of(ids), options);
          return oracle.margin < BATCH;
        });
    theBatchDoesNotMatter(model, options, batch, random, 2);
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void aShortlistCanBeLeftAloneAndGreedySearchKeepsToItWithoutScores(NetworkSettings settings) {
    Network without = someModel(settings);
    Random random = new Random(41);
    int[] starts = new int[settings.sourceVocabulary() + 1];
    Arrays.setAll(starts, i -> i);
    int[] words = random.ints(starts.length - 1, 2, settings.targetVocabulary()).toArray();
    Shortlist shortlist = Shortlist.of(2, false, settings.targetVocabulary(), starts, words);
    Network with = without.withShortlist(shortlist);
    List<int[]> batch = sentences(without, random, 30);
    DecodeOptions greedy = DecodeOptions.greedy();
    try (Decode plain = open(without, greedy);
        Decode ignored = open(with, greedy.withShortlist(false));
        Decode scored = open(with, greedy);
        Decode bare = open(with, greedy.withScores(false))) {
      List<Result<Decoded>> all = plain.decode(batch);
      assertSameResults(all, ignored.decode(batch));
      List<Result<Decoded>> kept = scored.decode(batch);
      List<Result<Decoded>> fast = bare.decode(batch);
      int others = 0;
      for (int i = 0; i < batch.size(); i++) {
        int[] ids = kept.get(i).orElseThrow().best().ids();
        assertThat(fast.get(i).orElseThrow().best().ids()).isEqualTo(ids);
        assertThat(shortlist.words(batch.get(i))).contains(ids);
        others += Arrays.equals(ids, all.get(i).orElseThrow().best().ids()) ? 0 : 1;
      }
      assertThat(others).as("sentences that said something else before").isPositive();
    }
  }

  private void theBatchDoesNotMatter(
      Network model, DecodeOptions options, List<int[]> sentences, Random random, int rounds) {
    try (Decode decode = open(model, options)) {
      List<Result<Decoded>> alone = new ArrayList<>();
      for (int[] sentence : sentences) {
        alone.addAll(decode.decode(List.of(sentence)));
      }
      for (int round = 0; round < rounds; round++) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < sentences.size(); i++) {
          order.add(i);
        }
        Collections.shuffle(order, random);
        for (int from = 0; from < order.size(); ) {
          int to = Math.min(order.size(), from + 1 + random.nextInt(40));
          List<Integer> part = order.subList(from, to);
          assertSameResults(
              part.stream().map(alone::get).toList(),
              decode.decode(part.stream().map(sentences::get).toList()));
          from = to;
        }
      }
    }
  }

  private static void assertSameResults(
      List<Result<Decoded>> expected, List<Result<Decoded>> found) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      List<Hypothesis> e = expected.get(i).orElseThrow().nBest();
      List<Hypothesis> f = found.get(i).orElseThrow().nBest();
      assertThat(f).hasSameSizeAs(e);
      for (int k = 0; k < e.size(); k++) {
        assertSame(e.get(k), f.get(k));
      }
    }
  }

  private static void assertSame(Hypothesis expected, Hypothesis found) {
    assertThat(found.ids()).isEqualTo(expected.ids());
    assertThat(found.score()).isCloseTo(expected.score(), within(BATCH));
    assertThat(found.normalizedScore()).isCloseTo(expected.normalizedScore(), within(BATCH));
    assertClose(expected.wordScores(), found.wordScores());
    assertThat(found.attention() == null).isEqualTo(expected.attention() == null);
    if (expected.attention() != null) {
      assertThat(found.attention()).hasSameDimensionsAs(expected.attention());
      for (int t = 0; t < expected.attention().length; t++) {
        assertClose(expected.attention()[t], found.attention()[t]);
      }
    }
  }

  private static void assertClose(float[] expected, float[] found) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < expected.length; i++) {
      assertThat((double) found[i]).isCloseTo(expected[i], within(BATCH));
    }
  }

  @ParameterizedTest
  @MethodSource("eachNetwork")
  void aDecoderCanBeUsedAgainAndAgain(NetworkSettings settings) {
    Network model = someModel(settings);
    List<int[]> batch = sentences(model, new Random(23), 20);
    try (Decode decode = open(model, DecodeOptions.beam(5))) {
      List<Result<Decoded>> first = decode.decode(batch);
      decode.decode(batch.subList(0, 3));
      assertSameResults(first, decode.decode(batch));
    }
  }

  private static List<int[]> sentences(Network model, Random random, int n) {
    List<int[]> batch = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      int[] ids = RandomModels.sentence(model.settings(), random, 12);
      batch.add(ids.length == 1 ? new int[] {2, 0} : ids);
    }
    return batch;
  }
}
