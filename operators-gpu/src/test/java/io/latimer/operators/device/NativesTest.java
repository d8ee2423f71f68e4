package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.testing.TestClassPath;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The kernel library loads without a GPU: its code asks for a driver only when it is to work. */
class NativesTest {

  @BeforeEach
  void needsTheLibrary() {
    KernelLibrary.require();
  }

  @Test
  void speaksToTheKernelLibrary() {
    Driver driver = Natives.get().driver();
    assertThat(driver.callInt("lat_abi_version", new Object[0])).isEqualTo(Devices.ABI);
    assertThat(driver.callText("lat_architectures", new Object[0]))
        .isEqualTo(Natives.kernelProperties().getProperty("architectures"));
    assertThat(driver.callText("lat_error_name", new Object[] {-1})).isEqualTo("LAT_BAD_ARGUMENT");
    assertThat(driver.callText("lat_error_name", new Object[] {2}))
        .isEqualTo("cudaErrorMemoryAllocation");
    assertThat(driver.callLong("lat_ngram_valid_bytes", new Object[] {33L})).isEqualTo(8);
    long[] bytes = new long[1];
    assertThat(
            driver.callInt(
                "lat_ngram_sort", new Object[] {0L, 10L, 0L, 2L, 9, 0L, 0L, 0L, 0L, 0L, bytes, 0L}))
        .as("order 9")
        .isEqualTo(-1);
  }

  /** As two jobs of Flink in one task manager: each brings all classes and libraries with it. */
  @Test
  void isLoadedOnceAProcessByAllClassLoaders() throws Exception {
    List<Object> loaders = new ArrayList<>();
    for (int job = 0; job < 2; job++) {
      try (URLClassLoader own = new URLClassLoader(TestClassPath.urls(), parentWithoutLatimer())) {
        Class<?> natives = own.loadClass(Natives.class.getName());
        assertThat(natives).isNotSameAs(Natives.class);
        Method get = natives.getDeclaredMethod("get");
        get.setAccessible(true);
        Object loaded = get.invoke(null);
        Method loader = natives.getDeclaredMethod("loader");
        loader.setAccessible(true);
        loaders.add(loader.invoke(loaded));
        Class<?> devices = own.loadClass(Devices.class.getName());
        assertThat(devices.getMethod("report").invoke(null)).isNotNull();
      }
    }
    loaders.add(Natives.get().loader());
    assertThat(loaders.get(0)).isSameAs(loaders.get(1)).isSameAs(loaders.get(2));
    // The first job is gone and its class loader closed; what it loaded serves on, and holds on to
    // nothing of it.
    assertThat(Natives.get().driver().callInt("lat_abi_version", new Object[0]))
        .isEqualTo(Devices.ABI);
    assertThat(loaders.get(0).getClass().getClassLoader()).isInstanceOf(URLClassLoader.class);
    assertThat(((URLClassLoader) loaders.get(0).getClass().getClassLoader()).getParent())
        .isSameAs(ClassLoader.getPlatformClassLoader());
    assertThat(mapped("liblatimer_kernels.so")).hasSize(1);
  }

  @Test
  void unpacksIntoAFolderOfItsOwn() throws Exception {
    ClassLoader loader = Natives.get().loader();
    Path folder = Path.of(loader.getClass().getMethod("getFolder").invoke(loader).toString());
    assertThat(folder.getFileName().toString()).startsWith("latimer-natives-");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS)))
        .isEqualTo("rwx------");
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (var files = Files.list(temporary)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .noneMatch(name -> name.startsWith("libJCuda"));
    }
    assertThat(System.getProperty("jna.boot.library.path")).isNull();
  }

  @Test
  void saysWhatIsMissing() {
    Devices.Report report = Devices.report();
    assertThat(report.architectures()).isNotEmpty();
    if (Devices.firstGpu().isEmpty()) {
      String reason = report.problem().orElseThrow();
      assertThat(reason).containsAnyOf("NVIDIA driver", "no code for");
      assertThatThrownBy(() -> Device.parse("gpu:0"))
          .isInstanceOf(OperatorException.class)
          .hasMessage("device gpu:0: " + reason);
      assertThat(Device.parse("auto")).isEqualTo(Device.CPU);
    } else {
      assertThat(Device.parse("auto").kind()).isEqualTo(Device.Kind.GPU);
      assertThatThrownBy(() -> Device.parse("gpu:999")).hasMessageContaining("gpu:999");
    }
  }

  private static ClassLoader parentWithoutLatimer() {
    return ClassLoader.getPlatformClassLoader();
  }

  /** The files of that name whose code this process has mapped. */
  private static List<String> mapped(String name) throws Exception {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains(" r-xp ") && line.contains(name))
        .map(line -> line.substring(line.indexOf('/')))
        .distinct()
        .toList();
  }
}
