package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar for Flink's {@code lib/} has all that SQL needs to translate. */
@Timeout(240)
class SqlJarTest {
  @TempDir Path folder;

  @Test
  void sqlTranslatesAsTheCommandLineDoes() throws Exception {
    Path jar = JobJar.requireSql();
    List<String> sentences = Flow.feed().subList(0, 20);
    Path input = Files.write(folder.resolve("input.txt"), sentences);
    Jvm.Ended translated =
        Jvm.run(
            folder,
            Jvm.program(
                    System.getProperty("java.class.path"),
                    "io.latimer.cli.Latimer",
                    "translate",
                    "--model",
                    Flow.MODEL.toString())
                .redirectInput(input.toFile()));
    assertThat(translated.exitCode()).as(translated.err()).isZero();
    List<String> translations = translated.out().lines().toList();
    assertThat(translations).hasSameSizeAs(sentences);
    List<String> expected = new ArrayList<>();
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < sentences.size(); i++) {
      expected.add(sentences.get(i) + "\t" + translations.get(i) + "\tnull");
      values
          .append(i == 0 ? "('" : ", ('")
          .append(sentences.get(i).replace("'", "''"))
          .append("')");
    }
    Path statements =
        Files.writeString(
            folder.resolve("statements.sql"),
            """
            CREATE TEMPORARY VIEW feed AS SELECT `text` FROM (VALUES %s) AS t (`text`);
            CREATE MODEL en_de INPUT (`text` STRING) OUTPUT (target STRING, error STRING)
              WITH ('provider' = 'latimer', 'task' = 'translate', 'model' = '%s');
            SELECT `text`, target, error FROM ML_PREDICT(TABLE feed, MODEL en_de, DESCRIPTOR(`text`))
            """
                .formatted(values, Flow.MODEL));

    Path own = Path.of(SqlAlone.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Jvm.Ended ran =
        Jvm.run(
            folder,
            Jvm.program(
                String.join(
                    File.pathSeparator, FlinkAlone.classPath(), jar.toString(), own.toString()),
                SqlAlone.class.getName(),
                statements.toString()));

    assertThat(ran.exitCode()).as(ran.err()).isZero();
    assertThat(ran.out().lines().map(String::stripTrailing))
        .containsExactlyInAnyOrderElementsOf(expected);
  }
}
