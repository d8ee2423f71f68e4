package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Sees to it that tests run on the core type of OpenBLAS that the environment asks for. OpenBLAS
 * takes the type as it is told, and dies of an illegal instruction on a CPU that lacks it: such
 * tests are skipped before the library is loaded. Afterwards the library must have used the type.
 */
final class OpenBlasCore implements ExecutionCondition, AfterAllCallback {
  static final String VARIABLE = "OPENBLAS_CORETYPE";

  private static final Path CPU = Path.of("/proc/cpuinfo");

  /** What each type's kernels need, as Linux names it. */
  private static final Map<String, List<String>> NEEDED =
      Map.of(
          "Prescott", List.of("pni"),
          "Nehalem", List.of("pni", "ssse3", "sse4_1", "sse4_2"),
          "Sandybridge", List.of("avx"),
          "Haswell", List.of("avx2", "fma"),
          "Zen", List.of("avx2", "fma"),
          "SkylakeX",
              List.of("avx2", "fma", "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"));

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String type = System.getenv(VARIABLE);
    if (type == null || !NEEDED.containsKey(type)) {
      return ConditionEvaluationResult.enabled("OpenBLAS chooses its core type");
    }
    String skipped = "OpenBLAS' core type " + type + " skipped: ";
    if (!System.getProperty("os.arch").equals("amd64")) {
      return ConditionEvaluationResult.disabled(skipped + "it is one of x86-64");
    }
    if (!Files.isReadable(CPU)) {
      return ConditionEvaluationResult.disabled(
          skipped + "no " + CPU + " to say whether this CPU has its instructions");
    }
    Set<String> missing = new TreeSet<>(NEEDED.get(type));
    missing.removeAll(instructions());
    return missing.isEmpty()
        ? ConditionEvaluationResult.enabled("this CPU has what " + type + " needs")
        : ConditionEvaluationResult.disabled(
            skipped + "this CPU lacks " + String.join(", ", missing));
  }

  private static List<String> instructions() {
    try (var lines = Files.lines(CPU)) {
      return lines
          .filter(line -> line.startsWith("flags"))
          .findFirst()
          .map(line -> Arrays.asList(line.substring(line.indexOf(':') + 1).trim().split(" ")))
          .orElse(List.of());
    } catch (IOException e) {
      throw new AssertionError("cannot read " + CPU, e);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    String type = System.getenv(VARIABLE);
    if (type != null) {
      NativeLibrary library = NativeLibrary.getInstance(Loader.load(openblas_nolapack.class));
      assertThat(library.getFunction("openblas_get_corename").invokeString(new Object[0], false))
          .as("the core type that OpenBLAS runs")
          .isEqualTo(type);
    }
  }
}
