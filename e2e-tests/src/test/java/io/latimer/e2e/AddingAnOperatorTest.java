package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.latimer.cli.Latimer;
import io.latimer.cli.index.IndexCommand;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.index.IndexKind;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.stages.Stages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The list in CONTRIBUTING.md of what a new operator touches outside its own folders is true and
 * short, and the shared files in it name a part of every operator there is.
 */
class AddingAnOperatorTest {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final int MOST_EDITS = 12;

  private static final List<String> EDITS = edits();

  private static List<String> edits() {
    String page = read("CONTRIBUTING.md");
    String section = page.substring(page.indexOf("## Adding an operator"));
    Matcher line = Pattern.compile("(?m)^[0-9]+\\. `([^`]+)`").matcher(section);
    List<String> files = new ArrayList<>();
    while (line.find()) {
      files.add(line.group(1));
    }
    return files;
  }

  @Test
  void theListIsShortAndItsFilesExist() {
    assertThat(EDITS)
        .hasSizeBetween(1, MOST_EDITS)
        .doesNotHaveDuplicates()
        .allSatisfy(file -> assertThat(ROOT.resolve(file)).isRegularFile());
  }

  @Test
  void everyHeaderIsPartOfThePublicOne() {
    List<String> headers = names("kernels/include", "latimer_*.h");
    headers.remove("latimer_kernels.h");
    String all = listed("kernels/include/latimer_kernels.h");
    assertThat(headers)
        .isNotEmpty()
        .allSatisfy(header -> assertThat(all).contains("#include \"" + header + "\""));
  }

  @Test
  void everyStageIsDocumented() {
    String operators = listed("docs/operators.md");
    String keys = listed("docs/job-config.md");
    assertThat(Stages.sections())
        .extracting(ConfigSection::name)
        .allSatisfy(
            name -> assertThat(pageOfStage(operators, name)).contains("stage `" + name + "`"))
        .allSatisfy(name -> assertThat(keys).contains("### `stages: " + name + "`"));
  }

  /** The page that the table of operators links to in the row of a stage. */
  private static String pageOfStage(String table, String stage) {
    Matcher row =
        Pattern.compile("(?m)^\\| \\[[^]]+]\\((operators/[^)]+)\\) \\| [^|]*`" + stage + "`")
            .matcher(table);
    assertThat(row.find()).as("docs/operators.md has a row of the stage " + stage).isTrue();
    return read("docs/" + row.group(1));
  }

  @Test
  void everyKindOfIndexCanBeVerifiedAndIsDocumented() {
    List<IndexKind> kinds =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.latimer.operators")
                .stream()
                .flatMap(type -> type.getFields().stream())
                .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
                .filter(field -> field.getRawType().isEquivalentTo(IndexKind.class))
                .map(AddingAnOperatorTest::valueOf)
                .toList();
    String formats = listed("docs/formats.md");
    assertThat(IndexCommand.KINDS).containsExactlyInAnyOrderElementsOf(kinds);
    assertThat(kinds)
        .isNotEmpty()
        .allSatisfy(
            kind ->
                assertThat(formats)
                    .contains("## Kind `" + kind.id() + "`, version " + kind.version() + "\n"));
  }

  private static IndexKind valueOf(JavaField field) {
    try {
      return (IndexKind) field.reflect().get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(field + " must be public", e);
    }
  }

  @Test
  void everyCommandIsDocumented() {
    String page = listed("docs/commands.md");
    Set<String> commands = Latimer.commandLine(Terminal.ofProcess()).getSubcommands().keySet();
    assertThat(commands.stream().filter(name -> !name.equals("help")))
        .isNotEmpty()
        .allSatisfy(name -> assertThat(page).contains("| `./latimer " + name));
  }

  @Test
  void everyBenchmarkOfAGpuHostIsDocumentedAndBeginsWithItsUsage() {
    String page = listed("docs/benchmarks.md");
    List<String> scripts = names("deploy/bundle/bench", "*.sh");
    assertThat(scripts)
        .isNotEmpty()
        .allSatisfy(
            script -> {
              String name = script.substring(0, script.length() - ".sh".length());
              assertThat(page).contains("./gpu-bench " + name + " ");
              assertThat(read("deploy/bundle/bench/" + script)).startsWith("# " + name + " ");
            });
  }

  /** The content of a file that the list must have. */
  private static String listed(String file) {
    assertThat(EDITS).contains(file);
    return read(file);
  }

  private static String read(String file) {
    try {
      return Files.readString(ROOT.resolve(file));
    } catch (IOException e) {
      throw new AssertionError(file + " cannot be read", e);
    }
  }

  private static List<String> names(String folder, String pattern) {
    List<String> names = new ArrayList<>();
    try (var files = Files.newDirectoryStream(ROOT.resolve(folder), pattern)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    } catch (IOException e) {
      throw new AssertionError(folder + " cannot be read", e);
    }
    return names;
  }
}
