package io.latimer.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.Device;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.model.LanguageModelTest;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.convert.TinyModel;
import io.latimer.operators.util.Team;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@value Team#THREADS} says how many threads every operator of the CPU has. */
class CpuThreadsTest {
  /** More than one, and rarely the machine's own number. */
  private static final int THREADS = 5;

  @TempDir Path folder;
  private String before;

  @BeforeEach
  void set() {
    before = System.getProperty(Team.THREADS);
    System.setProperty(Team.THREADS, Integer.toString(THREADS));
  }

  @AfterEach
  void reset() {
    if (before == null) {
      System.clearProperty(Team.THREADS);
    } else {
      System.setProperty(Team.THREADS, before);
    }
  }

  @Test
  void countersOfNgramsHaveThatMany() {
    opensTeams(1, () -> CountNgrams.ofBytes(NgramOptions.of(NgramUnit.BYTES, 3), Device.CPU));
    opensTeams(1, () -> CountNgrams.ofWords(NgramOptions.of(NgramUnit.WORDS, 3), Device.CPU));
  }

  @Test
  void scorersHaveThatMany() {
    Path model = folder.resolve("m.llm");
    LmImporter.importArpa(LmImportRequest.of(LanguageModelTest.harbour(), model), (s, n, t) -> {});
    Supplier<Score> open = () -> Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU);
    opensTeams(1, open);
  }

  /** One around the decoder, and the decoder's own. */
  @Test
  void translatorsHaveThatManyInEachOfTheirTeams() {
    Path model = ModelImporter.importModel(new TinyModel(folder).request().build()).file();
    Supplier<Translate> open =
        () -> Translate.opener(TranslateOptions.DEFAULTS).open(model, Device.CPU);
    opensTeams(2, open);
  }

  @Test
  void estimatesHaveThatManyUnlessToldOtherwise() {
    assertThat(EstimateOptions.of(3).threads()).isEqualTo(THREADS);
  }

  /** The team of an import is gone when it ends, so its helpers are counted on the way. */
  @Test
  void anImportWithOneThreadHasNoHelpers() {
    System.setProperty(Team.THREADS, "1");
    Set<Long> before = importHelpers();
    Set<Long> during = new HashSet<>();
    LmImporter.importArpa(
        LmImportRequest.of(LanguageModelTest.harbour(), folder.resolve("one.llm")),
        (section, ngrams, total) -> during.addAll(importHelpers()));
    during.removeAll(before); // those of other tests may still be ending
    assertThat(during).isEmpty();
  }

  private static Set<Long> importHelpers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("latimer-import-"))
        .map(Thread::getId)
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-2", "two", "1.5", "1025", "4294967297"})
  void anythingElseIsRefusedByName(String value) {
    System.setProperty(Team.THREADS, value);
    assertThatThrownBy(() -> CountNgrams.ofBytes(NgramOptions.of(NgramUnit.BYTES, 3), Device.CPU))
        .isInstanceOf(OperatorException.class)
        .hasMessage(
            "the system property latimer.cpu.threads must be a whole number from 1 to 1024, found %s",
            value);
  }

  @Test
  void anImportRefusesAnythingElse() {
    System.setProperty(Team.THREADS, "none");
    LmImportRequest request =
        LmImportRequest.of(LanguageModelTest.harbour(), folder.resolve("none.llm"));
    assertThatThrownBy(() -> LmImporter.importArpa(request, (section, ngrams, total) -> {}))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("latimer.cpu.threads")
        .hasMessageEndingWith("found none");
  }

  @Test
  void withoutItThereIsOneForEachCore() {
    System.clearProperty(Team.THREADS);
    assertThat(Team.defaultThreads()).isEqualTo(Runtime.getRuntime().availableProcessors());
  }

  private static void opensTeams(int teams, Supplier<? extends BatchOperator<?, ?>> open) {
    try (BatchOperator<?, ?> operator = open.get()) {
      assertThat(teams(operator))
          .hasSize(teams)
          .allSatisfy(team -> assertThat(team.size()).isEqualTo(THREADS));
    }
  }

  /** The teams that an operator holds, itself or in what it is made of. */
  private static List<Team> teams(Object operator) {
    List<Team> found = new ArrayList<>();
    look(operator, Collections.newSetFromMap(new IdentityHashMap<>()), found);
    return found;
  }

  private static void look(Object at, Set<Object> seen, List<Team> found) {
    if (at == null || !at.getClass().getName().startsWith("io.latimer.") || !seen.add(at)) {
      return;
    }
    if (at instanceof Team team) {
      found.add(team);
      return;
    }
    for (Class<?> type = at.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          look(value(field, at), seen, found);
        }
      }
    }
  }

  private static Object value(Field field, Object of) {
    if (!field.getType().getName().startsWith("io.latimer.")) {
      return null;
    }
    try {
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(field.toString(), e);
    }
  }
}
