package io.latimer.e2e;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The import rules between modules. */
final class ImportRules {
  private static final String[] ENGINES = {"org.apache.flink..", "org.apache.beam.."};
  private static final String[] RUNNERS = {
    "org.apache.flink..", "org.apache.beam.runners.flink..", "org.apache.beam.runners.direct.."
  };
  private static final String[] KAFKA = {"org.apache.kafka..", "kafka.."};
  private static final String[] AVRO = {"org.apache.avro.."};
  private static final String[] CUDA = {"jcuda..", "com.sun.jna.."};

  /** Every package is a slice of its own, whatever lies below it. */
  private static final SliceAssignment PACKAGES =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
          return "packages";
        }
      };

  private ImportRules() {}

  /** One Maven module: its folder and its root package. */
  enum Module {
    SCHEMAS("schemas", "io.latimer.schemas"),
    OPERATORS("operators-gpu", "io.latimer.operators"),
    EMBEDDED_KAFKA("embedded-kafka", "io.latimer.kafka"),
    COMMON("pipelines/common", "io.latimer.pipelines"),
    FLINK("pipelines/flink", "io.latimer.pipelines.flink"),
    SQL("pipelines/flink-sql", "io.latimer.pipelines.sql"),
    BEAM("pipelines/beam", "io.latimer.pipelines.beam"),
    CLI("pipelines/cli", "io.latimer.cli");

    private final String folder;
    private final String root;

    Module(String folder, String root) {
      this.folder = folder;
      this.root = root;
    }

    private Set<Module> imports() {
      return switch (this) {
        case SCHEMAS, OPERATORS, EMBEDDED_KAFKA -> Set.of();
        case COMMON -> Set.of(OPERATORS, SCHEMAS);
        case FLINK, SQL, BEAM -> Set.of(COMMON, OPERATORS, SCHEMAS);
        case CLI -> Set.of(FLINK, COMMON, OPERATORS, SCHEMAS, EMBEDDED_KAFKA);
      };
    }

    String folder() {
      return folder;
    }

    /** The module of a class of ours: the one with the longest root package that fits. */
    static Optional<Module> of(JavaClass type) {
      String name = type.getPackageName() + ".";
      return Arrays.stream(values())
          .filter(module -> name.startsWith(module.root + "."))
          .max(Comparator.comparingInt(module -> module.root.length()));
    }

    DescribedPredicate<JavaClass> classes() {
      return DescribedPredicate.describe(
          "are of " + folder, type -> of(type).filter(this::equals).isPresent());
    }

    private DescribedPredicate<JavaClass> forbidden() {
      return DescribedPredicate.describe(
          "are of a module that " + folder + " may not import",
          type ->
              of(type).filter(module -> module != this && !imports().contains(module)).isPresent());
    }
  }

  /** A module imports only those of our modules that ARCHITECTURE.md allows. */
  static ArchRule ours(Module module) {
    return noClasses()
        .that(module.classes())
        .should()
        .dependOnClassesThat(module.forbidden())
        .because("HOUSE rules: dependencies between modules go one way");
  }

  /** The third-party libraries that a module must not use. */
  static List<ArchRule> others(Module module) {
    return switch (module) {
      case OPERATORS ->
          List.of(
              unknown(module, "an operator knows no engine", ENGINES),
              unknown(module, "an operator knows no Kafka", KAFKA),
              unknown(module, "an operator knows no Avro", AVRO));
      case SCHEMAS ->
          List.of(
              unknown(module, "records know no engine", ENGINES),
              unknown(module, "records know no Kafka", KAFKA),
              unknown(module, "records know no CUDA", CUDA));
      case EMBEDDED_KAFKA -> List.of(unknown(module, "a broker knows no engine", ENGINES));
      case COMMON ->
          List.of(
              unknown(module, "what pipelines share knows no engine", ENGINES),
              unknown(module, "a pipeline knows no CUDA", CUDA));
      case BEAM ->
          List.of(
              unknown(module, "pipelines of Beam know no runner", RUNNERS),
              unknown(module, "a pipeline knows no CUDA", CUDA));
      case SQL ->
          List.of(
              unknown(module, "connectors are Flink's own", KAFKA),
              unknown(module, "a pipeline knows no CUDA", CUDA));
      case FLINK, CLI -> List.of(unknown(module, "a pipeline knows no CUDA", CUDA));
    };
  }

  /** No two packages depend on each other in circles, the root package of a module included. */
  static ArchRule packagesWithoutCycles() {
    return slices().assignedFrom(PACKAGES).should().beFreeOfCycles();
  }

  private static ArchRule unknown(Module module, String reason, String... packages) {
    return noClasses()
        .that(module.classes())
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages)
        .because(reason);
  }
}
