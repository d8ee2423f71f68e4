package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model that ships is sound, translates, and is what its page says it is. */
final class ExampleModelTest {
  private final Path examples = Path.of(System.getProperty("latimer.root"), "examples");

  @BeforeEach
  void nameTheCheckout() {
    System.setProperty("latimer.home", System.getProperty("latimer.root"));
  }

  @Test
  void itVerifiesAndItsPageStatesItsSum() throws IOException {
    Path model = examples.resolve("models/tatoeba-en-de.lmx");
    assertThat(Run.of("index", "verify", model.toString()).exitCode()).isZero();
    String page = Files.readString(examples.resolve("models/README.md"));
    try (IndexFile file = IndexFile.open(model)) {
      assertThat(page).contains(file.sha256(), String.format("%,d", file.length()));
    }
    assertThat(page).contains("Tatoeba contributors, via ManyThings.org", "CC BY 2.0 FR");
  }

  @Test
  void itTranslatesWithoutBeingNamed() {
    Run run =
        Run.withInput(
            """
            I'm looking for a present for my wife.
            Don't touch that! It's still hot.

            The moon is very bright tonight. 🌕
            hi
            On 2026-11-22 at 14:30 the price was $1,234.56.
            """,
            "translate");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            Ich suche ein Geschenk für meine Frau.
            Fass das nicht an! Es ist noch heiß.

            Der Mond ist heute Abend sehr hell. 🌕
            Hallo
            Am 2026-11-22 um 14:30 Uhr betrug der Preis 1.234,56\u00a0$.
            """);
  }

  @Test
  void itsFeedHasEnoughThatIsDifferentAndAllOfItIsTranslated() throws IOException {
    String feed = Files.readString(examples.resolve("feeds/everyday.en.txt"));
    assertThat(feed.lines()).hasSizeGreaterThanOrEqualTo(300).doesNotHaveDuplicates();
    Run run = Run.withInput(feed, "translate", "--beam", "1");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines()).hasSameSizeAs(feed.lines().toList()).doesNotContain("");
  }

  /** The text of an independent float64 decoder, see examples/models/README.md. */
  @ParameterizedTest
  @CsvSource({"1, greedy.txt", "5, beam5.txt"})
  void itsTextIsThatOfTheReference(int beam, String golden) throws IOException {
    Path files = examples.resolve("models/golden");
    Run run =
        Run.of(
            "translate",
            "--beam=" + beam,
            "--split-sentences=false",
            "--no-number-check",
            files.resolve("source.txt").toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEqualTo(Files.readString(files.resolve(golden)));
  }
}
