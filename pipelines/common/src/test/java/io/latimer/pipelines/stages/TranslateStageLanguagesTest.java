package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.nmt.convert.huggingface.TinyFolders;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stage that checks which languages texts are in. */
class TranslateStageLanguagesTest {
  private static final String GERMAN = "Der Hund schläft heute wieder auf dem alten Sofa im Flur.";
  private static final String FRENCH = "Le chien dort encore sur le vieux canapé du couloir.";
  private static final String ENGLISH = "The dog is sleeping on the old sofa again today.";

  @TempDir private Path folder;

  private static BatchStage stage(String options) {
    return BatchStages.read(
        ShippedModel.path().getParent(),
        "translate: {model: \"" + ShippedModel.path() + "\", beam: 1" + options + "}");
  }

  private static List<Envelope> run(BatchStage stage, String... texts) {
    List<Envelope> batch = new ArrayList<>();
    for (String text : texts) {
      batch.add(Records.envelope(batch.size(), text));
    }
    return BatchStages.runAll(stage, batch);
  }

  private static List<String> flags(Envelope envelope) {
    return envelope.getTranslation().getFlags();
  }

  @Test
  void otherLanguagesGoOnAsTheyAre() {
    List<Envelope> done =
        run(stage(", other-languages: pass"), ENGLISH, GERMAN, FRENCH, "Good morning.", "");
    assertThat(flags(done.get(0))).isEmpty();
    assertThat(done.get(0).getTranslation().getText()).contains("Hund");
    Translation german = done.get(1).getTranslation();
    assertThat(german.getText()).isEqualTo(GERMAN);
    assertThat(german.getFlags()).containsExactly("already-translated");
    assertThat(german.getTargetLanguage()).isEqualTo("de");
    assertThat(german.getScore()).isZero();
    assertThat(german.getTargetTokens()).isZero();
    assertThat(done.get(2).getTranslation().getText()).isEqualTo(FRENCH);
    assertThat(done.get(2).getTranslation().getTargetLanguage()).isEqualTo("fr");
    assertThat(flags(done.get(2))).containsExactly("other-language");
    assertThat(done.get(3).getTranslation().getText()).isEqualTo("Guten Morgen.");
    assertThat(done.get(4).getTranslation().getText()).isEmpty();
    RecordCodec<Envelope> codec = RecordCodec.of(Envelope.class);
    assertThat(done).allSatisfy(envelope -> assertThat(codec.encode(envelope)).isNotEmpty());
  }

  @Test
  void thirdLanguagesBecomeDeadLetters() {
    List<Envelope> done =
        run(stage(", other-languages: dead-letter"), FRENCH, GERMAN, "Un chien.", ENGLISH);
    assertThat(done.get(0).getTranslation()).isNull();
    assertThat(done.get(0).getFailure().getStage()).isEqualTo("translate");
    assertThat(done.get(0).getFailure().getErrorClass()).endsWith("RecordException");
    assertThat(done.get(0).getFailure().getErrorMessage())
        .startsWith("the text is in \"fr\" (confidence ");
    assertThat(flags(done.get(1))).containsExactly("already-translated");
    assertThat(done.get(2).getTranslation()).isNotNull();
    assertThat(flags(done.get(3))).isEmpty();
  }

  @Test
  void withoutACheckAllIsTranslated() {
    assertThat(run(stage(""), GERMAN, FRENCH))
        .allSatisfy(
            envelope ->
                assertThat(flags(envelope))
                    .doesNotContain("already-translated", "other-language", "output-language"));
  }

  @Test
  void onlyNamedLanguagesAreToldApart() {
    String polish = "Pies znowu śpi dzisiaj na starej kanapie w przedpokoju.";
    List<Envelope> done =
        run(stage(", other-languages: pass, languages: [fr, pl]"), FRENCH, polish);
    assertThat(done)
        .extracting(envelope -> envelope.getTranslation().getTargetLanguage())
        .containsExactly("fr", "pl");
    assertThatThrownBy(() -> stage(", other-languages: pass, languages: [fr, klingon]"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("languages: the language \"klingon\" cannot be told from others");
    assertThatThrownBy(() -> stage(", languages: [fr]"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("languages: nothing is checked; set other-languages");
  }

  @Test
  void recordsNameTheirLanguages() throws IOException {
    TinyFolders.nllb(Files.createDirectory(folder.resolve("nllb")), false);
    BatchStage stage =
        BatchStages.read(
            folder,
            "translate: {model: nllb, beam: 1, precision: float32, source-language: eng_Latn,"
                + " target-language: de, target-language-header: to, other-languages: dead-letter,"
                + " check-numbers: false}");
    List<Envelope> batch =
        List.of(
            record(0, FRENCH, "fr", ""),
            record(1, FRENCH, "en", ""),
            record(2, FRENCH, "en", "fra_Latn"),
            record(3, GERMAN, "de", "fr"),
            record(4, FRENCH, "en", "tlh"));
    List<Envelope> done = BatchStages.runAll(stage, batch);
    assertThat(done.get(0).getTranslation().getTargetLanguage()).isEqualTo("de");
    assertThat(flags(done.get(0))).doesNotContain("other-language");
    assertThat(done.get(1).getFailure().getErrorMessage()).startsWith("the text is in \"fr\"");
    assertThat(done.get(2).getTranslation().getText()).isEqualTo(FRENCH);
    assertThat(flags(done.get(2))).containsExactly("already-translated");
    assertThat(flags(done.get(3))).doesNotContain("already-translated");
    assertThat(done.get(4).getFailure().getErrorMessage())
        .startsWith("the model cannot write the language \"tlh\"");
  }

  private static Envelope record(int number, String text, String language, String target) {
    Envelope envelope = Records.envelope(number, text);
    envelope.getSentence().setLanguage(language);
    envelope
        .getSentence()
        .setHeaders(
            target.isEmpty()
                ? List.of()
                : List.of(
                    new Header("to", ByteBuffer.wrap(target.getBytes(StandardCharsets.UTF_8)))));
    return envelope;
  }

  @Test
  void translationByPhrasesIsCheckedInTheSameWay() throws IOException {
    ParallelText.of("the house is small . ||| das haus ist klein . ||| 0-0 1-1 2-2 3-3 4-4")
        .index(folder, "index.lpx");
    LanguageModels.estimate(List.of("das haus ist klein ."), folder.resolve("model.llm"));
    BatchStage stage =
        BatchStages.read(
            folder,
            "translate: {phrases: index.lpx, language-model: model.llm, source-language: en,"
                + " target-language: de, other-languages: pass}");
    // words that the phrases lack are copied
    List<Envelope> done = run(stage, "The house is small.", GERMAN, FRENCH, ENGLISH);
    assertThat(done.get(0).getTranslation().getText()).isEqualTo("Das haus ist klein.");
    assertThat(flags(done.get(1))).containsExactly("already-translated");
    assertThat(flags(done.get(2))).containsExactly("other-language");
    assertThat(flags(done.get(3))).contains("output-language");
  }

  @Test
  void anUnknownWordOfTheOptionIsRefused() {
    assertThatThrownBy(() -> stage(", other-languages: drop"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("one of translate, pass, dead-letter");
  }
}
