package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.latimer.e2e.ImportRules.Module;
import io.latimer.kafka.fixtures.BrokerThatKnowsSchemas;
import io.latimer.operators.cycle1.OneOfTwo;
import io.latimer.operators.cycle2.OtherOfTwo;
import io.latimer.operators.cycle3.RootOfTwo;
import io.latimer.operators.cycle3.part.PartOfRoot;
import io.latimer.operators.fixtures.OperatorThatKnowsAvro;
import io.latimer.operators.fixtures.OperatorThatKnowsFlink;
import io.latimer.operators.fixtures.OperatorThatKnowsKafka;
import io.latimer.pipelines.fixtures.CommonThatKnowsFlinkPipelines;
import io.latimer.pipelines.flink.fixtures.PipelineThatKnowsCuda;
import io.latimer.schemas.fixtures.RecordThatKnowsOperators;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The import rules hold, and each of them detects a violation. */
class ImportRulesTest {
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("io.latimer");

  @ParameterizedTest
  @EnumSource(Module.class)
  void modulesImportWhatTheyMay(Module module) {
    if (!Files.exists(folder(module))) {
      // a planned module; as soon as it has sources, its rules must find classes
      assertThat(OURS.stream().filter(module.classes())).isEmpty();
      return;
    }
    ImportRules.ours(module).check(OURS);
    ImportRules.others(module).forEach(rule -> rule.check(OURS));
  }

  @Test
  void everyClassBelongsToAModule() {
    assertThat(OURS.stream().filter(type -> Module.of(type).isEmpty())).isEmpty();
    assertThat(OURS.size()).isPositive();
  }

  @Test
  void packagesHaveNoCycles() {
    ImportRules.packagesWithoutCycles().check(OURS);
  }

  @Test
  void importsHaveNoCycles() throws IOException {
    PackageImports imports = new PackageImports();
    for (Module module : Module.values()) {
      imports.add(folder(module));
    }
    assertThat(imports.cycles()).isEmpty();
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        Arguments.of(ImportRules.ours(Module.SCHEMAS), RecordThatKnowsOperators.class),
        Arguments.of(ImportRules.ours(Module.EMBEDDED_KAFKA), BrokerThatKnowsSchemas.class),
        Arguments.of(ImportRules.ours(Module.COMMON), CommonThatKnowsFlinkPipelines.class),
        Arguments.of(other(Module.OPERATORS, "no engine"), OperatorThatKnowsFlink.class),
        Arguments.of(other(Module.OPERATORS, "no Kafka"), OperatorThatKnowsKafka.class),
        Arguments.of(other(Module.OPERATORS, "no Avro"), OperatorThatKnowsAvro.class),
        Arguments.of(other(Module.FLINK, "no CUDA"), PipelineThatKnowsCuda.class));
  }

  @ParameterizedTest
  @MethodSource("violations")
  void aViolationIsSeen(ArchRule rule, Class<?> violating) {
    JavaClasses fixture = new ClassFileImporter().importClasses(violating);
    assertThatThrownBy(() -> rule.check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("was violated")
        .hasMessageContaining(violating.getSimpleName());
  }

  @Test
  void aCycleIsSeen() {
    JavaClasses fixture = new ClassFileImporter().importClasses(OneOfTwo.class, OtherOfTwo.class);
    assertThatThrownBy(() -> ImportRules.packagesWithoutCycles().check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Cycle detected");
  }

  @Test
  void aCycleThroughAModulesRootPackageIsSeen() {
    JavaClasses fixture = new ClassFileImporter().importClasses(RootOfTwo.class, PartOfRoot.class);
    assertThatThrownBy(() -> ImportRules.packagesWithoutCycles().check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Cycle detected");
  }

  @Test
  void aCycleThroughJavadocIsSeen() throws IOException {
    PackageImports imports = new PackageImports();
    imports.add(
        Path.of(
            System.getProperty("latimer.root"),
            "e2e-tests/src/test/java/io/latimer/operators/cycle4"));
    String root = "io.latimer.operators.cycle4";
    assertThat(imports.cycles())
        .isEqualTo(Map.of(root, Set.of(root + ".part"), root + ".part", Set.of(root)));
  }

  private static ArchRule other(Module module, String reason) {
    List<ArchRule> rules =
        ImportRules.others(module).stream()
            .filter(rule -> rule.getDescription().contains(reason))
            .toList();
    assertThat(rules).hasSize(1);
    return rules.get(0);
  }

  private static Path folder(Module module) {
    return Path.of(System.getProperty("latimer.root"), module.folder(), "src", "main", "java");
  }
}
