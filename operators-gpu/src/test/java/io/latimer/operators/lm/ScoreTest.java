package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.model.LanguageModelTest;
import io.latimer.operators.testing.CpuThreads;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScoreTest extends BatchOperatorContract<String, Scored> {
  @TempDir private Path folder;
  private Path model;

  @BeforeEach
  void load() {
    model = folder.resolve("m.llm");
    LmImporter.importArpa(LmImportRequest.of(LanguageModelTest.harbour(), model), (s, n, t) -> {});
  }

  @Override
  protected BatchOperator<String, Scored> openOperator() {
    return Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU);
  }

  @Override
  protected BatchOperator<String, Scored> openOperatorWithLittleMemory() {
    return openOperator();
  }

  @Override
  protected String record(int number) {
    return "the quiet ship ".repeat(number / 3) + "grey zzz".substring(0, 2 * (number % 3));
  }

  /** Any bytes are a text. */
  @Override
  protected List<String> badRecords() {
    return List.of();
  }

  @Override
  protected void assertSameOutput(Scored expected, Scored found, String where) {
    assertThat(found.ids()).as(where).isEqualTo(expected.ids());
    assertThat(found.log10()).as(where).isEqualTo(expected.log10());
    assertThat(found.lengths()).as(where).isEqualTo(expected.lengths());
    assertThat(found.total()).as(where).isEqualTo(expected.total());
  }

  @Test
  void wordsPartWhereKenlmPartsThem() {
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      for (String text :
          new String[] {
            "the ship", " the  ship ", "the\tship\r", "the\nship", "\u000bthe\fship\0"
          }) {
        Scored scored = score.apply(List.of(text)).get(0).orElseThrow();
        assertThat(Arrays.copyOf(scored.ids(), scored.words())).containsExactly(3, 4);
        assertThat(scored.log10()).startsWith(-0.4f, -0.2f);
        assertThat(scored.tokens()).isEqualTo(3);
      }
      Scored one = score.apply(List.of("the\u00a0ship \u2003 naïve")).get(0).orElseThrow();
      assertThat(Arrays.copyOf(one.ids(), one.words())).containsExactly(0, 0, 10);
    }
  }

  @Test
  void bytesAndTextGiveTheSame() {
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      String text = "quiet harbour grey naïve";
      Scored scored = score.apply(List.of(text)).get(0).orElseThrow();
      Scored bytes = score.score(LmTexts.of(List.of(text.getBytes(StandardCharsets.UTF_8)))).get(0);
      assertThat(bytes.log10()).isEqualTo(scored.log10());
      assertThat(score.apply(List.of())).isEmpty();
      assertThat(score.apply(Collections.nCopies(1000, text)))
          .allSatisfy(each -> assertThat(each.orElseThrow().total()).isEqualTo(scored.total()));
    }
  }

  @Test
  void perplexitiesAreByDefinition() {
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      Scored scored = score.apply(List.of("the zzz ship")).get(0).orElseThrow();
      assertThat(scored.isUnknown(0)).isFalse();
      assertThat(scored.isUnknown(1)).isTrue();
      assertThat(scored.isUnknown(3)).isFalse();
      assertThat(scored.unknown()).isOne();
      float[] log10 = scored.log10();
      double all = log10[0] + log10[1] + log10[2] + log10[3];
      assertThat(scored.perplexity()).isCloseTo(Math.pow(10, -all / 4), within(1e-3));
      assertThat(scored.perplexityOfKnown())
          .isCloseTo(Math.pow(10, -(all - log10[1]) / 3), within(1e-3));
    }
    try (Score score = Score.opener(ScoreOptions.FRAGMENTS).open(model, Device.CPU)) {
      Scored scored = score.apply(List.of("the ship", "")).get(0).orElseThrow();
      assertThat(scored.log10()).containsExactly(-0.75f, -0.35f);
      assertThat(score.apply(List.of("")).get(0).orElseThrow().perplexity()).isNaN();
    }
  }

  @Test
  void aCopiedModelScoresAlikeAndNeedsTheFileNoMore() throws Exception {
    String text = "quiet harbour grey naïve";
    float expected;
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      expected = score.apply(List.of(text)).get(0).orElseThrow().total();
    }
    try (Score score = withCopy("true")) {
      Files.write(model, new byte[(int) Files.size(model)], StandardOpenOption.WRITE);
      assertThat(score.apply(List.of(text)).get(0).orElseThrow().total()).isEqualTo(expected);
    }
  }

  @Test
  void whetherToCopyIsTrueOrFalse() {
    assertThatThrownBy(() -> withCopy("yes"))
        .isInstanceOf(OperatorException.class)
        .hasMessage("the system property latimer.lm.copy must be true or false, found yes");
  }

  private Score withCopy(String copy) {
    System.setProperty(Score.COPY, copy);
    try {
      return Score.opener(ScoreOptions.SENTENCES)
          .open(new ResidentIndexes(), IndexRefs.of(model), Device.CPU);
    } finally {
      System.clearProperty(Score.COPY);
    }
  }

  @Test
  void scorersOfOneModelShareItUntilTheLastIsClosed() {
    ResidentIndexes residents = new ResidentIndexes();
    IndexRef ref = IndexRefs.of(model);
    Score first = Score.opener(ScoreOptions.SENTENCES).open(residents, ref, Device.CPU);
    Score second = Score.opener(ScoreOptions.SENTENCES).open(residents, ref, Device.CPU);
    assertThat(second.model()).isSameAs(first.model());
    first.close();
    first.close();
    assertThat(residents.size()).isOne();
    assertThatThrownBy(() -> first.apply(List.of("the"))).isInstanceOf(OperatorException.class);
    assertThat(second.apply(List.of("the")).get(0)).isInstanceOf(Result.Value.class);
    second.close();
    assertThat(residents.size()).isZero();
  }

  @Test
  void aChangedFileIsRefusedByName() throws Exception {
    IndexRef ref = IndexRefs.of(model);
    byte[] bytes = Files.readAllBytes(model);
    bytes[bytes.length / 2] ^= 1;
    Files.write(model, bytes);
    assertThatThrownBy(() -> Score.opener(ScoreOptions.SENTENCES).open(ref, Device.CPU))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("m.llm is corrupt: section ");
  }

  @Test
  void itsThreadsAreThoseOfTheProperty() {
    CpuThreads.assertTeams(1, this::openOperator);
  }
}
