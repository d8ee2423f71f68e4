package io.latimer.cli.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.text.terms.Term;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code control swap} refuses before it sends anything: there is no broker here. */
class ControlCommandTest {
  @TempDir private Path folder;
  private Path model;
  private Path job;

  @BeforeEach
  void writeJob() throws IOException {
    model = folder.resolve("model.llm");
    LanguageModels.estimate(List.of("the ship sails at dawn", "the harbour is quiet"), model);
    job =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            name: news
            source: {list: {lines: []}}
            stages: [{score: {model: model.llm}}, identity]
            """);
  }

  private Run swap(String swap, String... options) {
    String[] args = new String[5 + options.length];
    System.arraycopy(
        new String[] {"control", "--job", job.toString(), "swap", swap}, 0, args, 0, 5);
    System.arraycopy(options, 0, args, 5, options.length);
    return Run.of(args);
  }

  /** The index is accepted: only then is it noticed that the job takes no commands. */
  private void assertAccepted(String swap, String... options) {
    Run run = swap(swap, options);
    assertThat(run.err())
        .isEqualTo("latimer: job news takes no commands: set control.topic in its job file\n");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  private void assertRefused(String reason, String swap, String... options) {
    Run run = swap(swap, options);
    assertThat(run.err()).startsWith("latimer: ").contains(reason);
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void anIndexIsWhateverAJobFileMayName() {
    String sha256 = IndexRefs.of(model).sha256();
    assertAccepted("score=" + model);
    assertAccepted("score=" + model, "--sha256", sha256);
    assertAccepted("score=" + model.toUri());
    assertAccepted("score=http://127.0.0.1:9/model.llm", "--sha256", sha256);
    assertAccepted("score=s3://bucket/model.llm", "--sha256", sha256);
  }

  @Test
  void whatNoJobFileMayNameIsRefused() {
    String other = "0".repeat(64);
    assertRefused(
        "http://127.0.0.1:9/model.llm needs --sha256", "score=http://127.0.0.1:9/model.llm");
    assertRefused(
        "has other content: expected SHA-256 " + other, "score=" + model, "--sha256", other);
    assertRefused("none.llm does not exist", "score=" + folder.resolve("none.llm"));
    assertRefused("the job has no stage scores; it has score, identity", "scores=" + model);
    assertRefused("stage identity has no index", "identity=" + model);
    assertRefused("no-such:", "score=no-such://bucket/model.llm");
  }

  @Test
  void anotherIndexThanTheMainOneIsNamedByItsKey() throws IOException {
    GlossaryBuilder terms =
        new GlossaryBuilder("en", "de", GlossaryBuilder.Repeated.REFUSED, place -> "term " + place);
    terms.add(Term.of(List.of("lift"), List.of("Aufzug")), 1);
    Path glossary = folder.resolve("terms.ltx");
    terms.write(glossary, "");
    Files.writeString(
        job,
        """
        name: news
        source: {list: {lines: []}}
        stages: [{translate: {model: none.lmx, glossary: terms.ltx}}]
        """);
    assertAccepted("translate.glossary=" + glossary);
    assertRefused("expected an index of kind glossary, found", "translate.glossary=" + model);
    assertRefused(
        "stage translate has no index memory beside its main one; it has glossary",
        "translate.memory=" + glossary);
  }

  private Run append(String stage, String... options) {
    String[] args = new String[5 + options.length];
    System.arraycopy(
        new String[] {"control", "--job", job.toString(), "append", stage}, 0, args, 0, 5);
    System.arraycopy(options, 0, args, 5, options.length);
    return Run.of(args);
  }

  @Test
  void pairsAreForStagesAndTermsForGlossaries() throws IOException {
    Files.writeString(
        job,
        """
        name: news
        source: {list: {lines: []}}
        stages: [{translate: {model: none.lmx, memory: none.lpx, glossary: none.ltx}}]
        """);
    String file = Files.writeString(folder.resolve("terms.tsv"), "lift\tAufzug\n").toString();
    for (Run run :
        List.of(
            append("translate.glossary"),
            append("translate.glossary", "--pairs", file),
            append("translate.glossary", "--pairs", file, "--terms", file))) {
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).contains("expected --terms=FILE for translate.glossary");
    }
    for (Run run : List.of(append("translate"), append("translate", "--terms", file))) {
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).contains("expected --pairs=FILE for a stage");
    }
    for (Run run :
        List.of(
            append("translate.glossary", "--terms", file), append("translate", "--pairs", file))) {
      assertThat(run.err()).contains("takes no commands: set control.topic");
    }
  }

  @Test
  void otherIndexesTakeNeitherPairsNorTerms() throws IOException {
    String file = Files.writeString(folder.resolve("terms.tsv"), "lift\tAufzug\n").toString();
    assertThat(append("score", "--pairs", file).err())
        .startsWith("latimer: stage score takes neither pairs nor terms: pairs are for stages");
    assertThat(append("translate", "--pairs", file).err())
        .startsWith("latimer: the job has no stage translate; it has score, identity");
    Files.writeString(
        job,
        """
        name: news
        source: {list: {lines: []}}
        stages: [{translate: {model: none.lmx, memory: none.lpx}}]
        """);
    for (Run run :
        List.of(
            append("translate.memory"),
            append("translate.memory", "--terms", file),
            append("translate.memory", "--pairs", file))) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err())
          .startsWith("latimer: index translate.memory takes neither pairs nor terms:");
    }
  }

  @Test
  void wrongArgumentsAreWrongUsage() {
    for (String wrong : new String[] {"score", "score=", "=" + model}) {
      Run run = swap(wrong);
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).contains("expected STAGE=INDEX, such as translate=models/en-de.lmx");
    }
    Run run = swap("score=" + model, "--sha256", "ABC");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("expected 64 lower-case hexadecimal digits for --sha256, found ABC");
  }
}
