package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CorrectionStatusesTest {
  private static final LearnedPairs KNOWN =
      LearnedPairs.none()
          .with(
              List.of(
                  LearnedPair.ofTexts("a", 1, "Hello.", "Hallo."),
                  LearnedPair.ofTexts("b", 2, "HELLO.", "Servus."),
                  new LearnedPair("c", 3, "bye", "tschüss", "0-0")));

  private final CorrectionStatuses statuses = new CorrectionStatuses();

  private static Correction correction(String id, String source, String target) {
    return new Correction(id, Instant.EPOCH, source, target, null);
  }

  private static CorrectionStatus status(
      String id, String state, String reason, String source, String before, String after) {
    return new CorrectionStatus(id, state, reason, source, before, after);
  }

  @Test
  void eachCorrectionHasWhatWasTaughtBeforeAndAfter() {
    ControlCommand command =
        LearningHarness.append(
            "1",
            correction("d", "hello.", "Moin."),
            correction("b", "Hello.", "Servus."),
            correction("e", "Hello.", "Tag."),
            correction("f", "bye", "Ade"),
            correction("g", "New", "Neu"));
    statuses.begin(command, KNOWN);
    statuses.prepared(
        command,
        List.of(
            LearnedPair.ofTexts("d", 1, "hello.", "Moin."),
            LearnedPair.ofTexts("e", 1, "Hello.", "Tag."),
            new LearnedPair("f", 1, "bye", "Ade", "")));
    assertThat(statuses.end(command, List.of("g"), "no room"))
        .containsExactly(
            status("d", "learned", "", "hello.", "Servus.", "Moin."),
            status("b", "known", "", "Hello.", "", ""),
            status("e", "learned", "", "Hello.", "Moin.", "Tag."),
            status("f", "learned", "", "bye", "", ""), // only words are taught
            status("g", "refused", "no room", "New", "", ""));
    assertThat(statuses.end(command, List.of(), "")).isEmpty();
  }

  private static List<String> translated(List<String> texts) {
    return texts.stream().map(text -> "translated " + text).toList();
  }

  @Test
  void whatWasNotTaughtBeforeHasTheTranslationOfTheStage() {
    Correction words = correction("h", "of words", "Worte");
    words.setAlignment(List.of());
    ControlCommand command =
        LearningHarness.append(
            "1",
            correction("d", "hello.", "Moin."),
            correction("b", "Hello.", "Servus."),
            correction("g", "New", "Neu"),
            correction("i", "New", "Frisch"),
            words);
    statuses.begin(command, KNOWN);
    statuses.translated(command, CorrectionStatusesTest::translated);
    assertThat(statuses.end(command, List.of(), ""))
        .extracting(CorrectionStatus::getBefore)
        .containsExactly("Servus.", "", "translated New", "Neu", "");

    statuses.begin(command, KNOWN);
    statuses.translated(command, texts -> List.of()); // the stage does not translate
    assertThat(statuses.end(command, List.of(), ""))
        .extracting(CorrectionStatus::getBefore)
        .containsExactly("Servus.", "", "", "Neu", "");
  }

  @Test
  void aCommandOfManyCorrectionsDoesNotWaitForTranslations() {
    List<Correction> many = new ArrayList<>();
    for (int i = 0; i <= CorrectionStatuses.MOST; i++) {
      many.add(correction("c" + i, "Text " + i, "Text"));
    }
    ControlCommand command = LearningHarness.append("1", many.toArray(Correction[]::new));
    statuses.begin(command, LearnedPairs.none());
    statuses.translated(
        command,
        texts -> {
          throw new AssertionError("too many");
        });
    assertThat(statuses.end(command, List.of(), ""))
        .extracting(CorrectionStatus::getBefore)
        .containsOnly("");
  }

  @Test
  void aCommandThatIsRefusedTeachesNothing() {
    ControlCommand command = LearningHarness.append("1", correction("d", "Hello.", "Moin."));
    statuses.begin(command, KNOWN);
    statuses.prepared(command, List.of(LearnedPair.ofTexts("d", 1, "Hello.", "Moin.")));
    assertThat(statuses.end(command, List.of("d"), "too little memory"))
        .containsExactly(status("d", "refused", "too little memory", "Hello.", "Servus.", ""));
  }

  @Test
  void theFirstOnesAreKept() {
    List<Correction> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add(correction("c" + i, "Text " + i, "Text"));
    }
    ControlCommand command = LearningHarness.append("1", many.toArray(Correction[]::new));
    statuses.begin(command, LearnedPairs.none());
    assertThat(statuses.end(command, List.of(), ""))
        .hasSize(CorrectionStatuses.MOST)
        .last()
        .isEqualTo(status("c9", "learned", "", "Text 9", "", ""));
  }
}
