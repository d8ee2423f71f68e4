package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Devices.GpuInfo;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which GPUs of a host are opened, by a driver that counts: hosts of several GPUs are rare. */
class VisibleGpusTest {
  private static final int COUNT = 4;

  private final Counting driver = new Counting();
  private final LostGpus lost = new LostGpus();
  private final VisibleGpus gpus =
      new VisibleGpus(
          (Driver)
              Proxy.newProxyInstance(
                  Driver.class.getClassLoader(),
                  new Class<?>[] {Driver.class},
                  (proxy, method, arguments) -> driver.call(method, arguments)),
          "13.0",
          "sm_90",
          COUNT,
          lost);

  @Test
  void nothingIsOpenedBeforeItIsAskedFor() {
    assertThat(gpus.count()).isEqualTo(COUNT);
    assertThat(driver.opened).isEmpty();
  }

  @Test
  void whoInsistsOnOneOpensThatOneAlone() {
    assertThat(gpus.get(2).problem()).isEmpty();
    assertThat(gpus.get(2).architecture()).isEqualTo("sm_90");
    assertThat(driver.opened).containsExactly(2);
    assertThat(driver.held.keySet()).containsExactly(2);
  }

  @Test
  void theFirstIsLookedForNoFurtherThanItIs() {
    driver.old = Set.of(0);
    assertThat(gpus.firstUsable(gpus.indexes()).map(GpuInfo::index)).contains(1);
    assertThat(gpus.firstUsable(gpus.indexes()).map(GpuInfo::index)).contains(1);
    assertThat(driver.opened).containsExactly(1);
    assertThat(driver.held.keySet()).containsExactly(1);
  }

  @Test
  void theOrderInWhichTheyArePreferredCounts() {
    driver.old = Set.of(3);
    assertThat(gpus.firstUsable(List.of(COUNT, 3, 2, 0)).map(GpuInfo::index)).contains(2);
    assertThat(driver.opened).containsExactly(2);
  }

  @Test
  void whereNoneCanBeUsedNoneStaysOpen() {
    driver.old = Set.of(0, 1);
    driver.broken = Set.of(3);
    driver.taken = Set.of(2);
    assertThat(gpus.firstUsable(gpus.indexes())).isEmpty();
    assertThat(gpus.all()).allMatch(gpu -> gpu.problem().isPresent());
    assertThat(driver.opened).containsExactly(2, 3);
    assertThat(driver.held).isEmpty();
  }

  /** CUDA's runtime does not outlive a context that it has seen. */
  @Test
  void whatTheRuntimeHasSeenStaysOpen() {
    driver.unusable = Set.of(0, 2);
    assertThat(gpus.firstUsable(gpus.indexes()).map(GpuInfo::index)).contains(1);
    assertThat(gpus.get(0).problem().orElseThrow()).contains("no code for sm_90, only for sm_90");
    assertThat(driver.held.keySet()).containsExactly(0, 1);
    gpus.get(2);
    assertThat(driver.current).as("nothing is to be done on it").isZero();
  }

  @Test
  void aLostOneIsUsableNoMore() {
    assertThat(gpus.firstUsable(gpus.indexes()).map(GpuInfo::index)).contains(0);
    lost.add(0, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
    lost.add(0, "cuMemAlloc: a later one");
    assertThat(gpus.get(0).problem())
        .contains(
            "gpu:0 was lost (cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS); start this process"
                + " again");
    assertThat(gpus.firstUsable(gpus.indexes()).map(GpuInfo::index)).contains(1);
  }

  /** The job that lost it has ended, and its classes are gone; CUDA's context is the process's. */
  @Test
  void whatAnotherClassLoaderHasLostIsLost() {
    driver.lost = Set.of(0);
    assertThat(gpus.firstUsable(gpus.indexes()).map(GpuInfo::index)).contains(1);
    assertThat(lost.contains(0)).isTrue();
    assertThat(gpus.get(0).problem().orElseThrow())
        .isEqualTo(
            "gpu:0 was lost (lat_can_run: cudaErrorIllegalAddress); start this process again");
  }

  /** In another process the server may be there again. */
  @Test
  void whoseServerIsGoneIsLost() {
    driver.broken = Set.of(0);
    driver.error = 807;
    assertThat(gpus.get(0).problem().orElseThrow()).startsWith("gpu:0 was lost (cuCtxSetCurrent: ");
  }

  @ParameterizedTest
  @CsvSource({
    "sm_80 sm_90 compute_90, 8, 0, true",
    "sm_80 sm_90 compute_90, 8, 9, true",
    "sm_80 sm_90 compute_90, 7, 5, false",
    "sm_80 sm_90 compute_90, 12, 0, true",
    "sm_90, 10, 0, false",
    "sm_90, 8, 0, false",
    "sm_86, 8, 0, false",
    "sm_90 sm_120, 12, 1, true",
    "sm_90 compute_100, 9, 0, true",
    "compute_100, 9, 0, false",
    "sm_90a, 9, 0, true"
  })
  void knowsWhatTheLibraryHasCodeFor(String architectures, int major, int minor, boolean has) {
    assertThat(VisibleGpus.hasCode(architectures, major, minor)).isEqualTo(has);
  }

  @Test
  void whatCannotBeUsedIsGivenBack() {
    driver.taken = Set.of(1);
    driver.broken = Set.of(3);
    List<GpuInfo> all = gpus.all();
    assertThat(all).extracting(GpuInfo::index).containsExactly(0, 1, 2, 3);
    assertThat(all.get(0).problem()).isEmpty();
    assertThat(all.get(1).problem())
        .contains("it cannot be opened: CUDA_ERROR_DEVICE_UNAVAILABLE (taken)");
    assertThat(all.get(3).problem()).isPresent();
    assertThat(driver.held.keySet()).containsExactly(0, 2);
    assertThat(driver.current).isZero();
  }

  @Test
  void saysWhatACardNeedsThatTheLibraryHasNoCodeFor() {
    driver.unusable = Set.of(0);
    driver.capability = new int[] {8, 6};
    assertThat(gpus.get(0).problem())
        .contains(
            "its compute capability is 8.6, but the kernel library has no code for sm_86, only for"
                + " sm_90; build Latimer with -Pall-gpus");
  }

  @Test
  void saysThatACardIsTooOld() {
    driver.unusable = Set.of(0);
    driver.capability = new int[] {7, 5};
    assertThat(gpus.get(0).problem())
        .contains("its compute capability is 7.5; Latimer's kernels need 8.0 (sm_80) or newer");
  }

  @Test
  void saysSoOfACardOfATwoDigitMajorVersion() {
    driver.unusable = Set.of(0);
    driver.capability = new int[] {12, 0};
    assertThat(gpus.get(0).problem().orElseThrow())
        .startsWith(
            "its compute capability is 12.0, but the kernel library has no code for sm_120");
  }

  @Test
  void eachIsOpenedOnce() {
    gpus.get(2);
    gpus.all();
    gpus.all();
    assertThat(driver.opened).containsExactly(2, 0, 1, 3);
    assertThat(driver.held.values()).containsOnly(1);
  }

  /** Counts contexts. */
  private static final class Counting {
    private final List<Integer> opened = new ArrayList<>();
    private final TreeMap<Integer, Integer> held = new TreeMap<>();
    private Set<Integer> old = Set.of(); // of a kind that the library was not built for
    private Set<Integer> broken = Set.of(); // can be opened, but not be made current
    private Set<Integer> unusable = Set.of(); // do not run the library
    private Set<Integer> lost = Set.of(); // in a context that is the process's
    private Set<Integer> taken = Set.of();
    private int error = 46; // of those that are broken
    private int[] capability = {9, 0};
    private long current;

    Object call(Method method, Object[] arguments) {
      return switch (method.getName()) {
        case "deviceName", "totalMemory" -> 0;
        case "attribute" -> {
          ((int[]) arguments[2])[0] =
              switch ((Integer) arguments[1]) {
                case 75 -> old.contains((Integer) arguments[0]) ? 7 : capability[0];
                case 76 -> capability[1];
                default -> 132;
              };
          yield 0;
        }
        case "retainPrimary" -> retain((Integer) arguments[0], (long[]) arguments[1]);
        case "setCurrent" -> {
          current = (Long) arguments[0];
          yield broken.contains((int) current - 100) ? error : 0;
        }
        case "releasePrimary" -> release((Integer) arguments[0]);
        case "callInt" ->
            unusable.contains((int) current - 100)
                ? 209
                : lost.contains((int) current - 100) ? 700 : 0;
        case "callText" -> {
          int result = (Integer) ((Object[]) arguments[1])[0];
          yield !arguments[0].equals("lat_error_name")
              ? ""
              : result == 700 ? "cudaErrorIllegalAddress" : "cudaErrorNoKernelImageForDevice";
        }
        case "errorName" -> "CUDA_ERROR_DEVICE_UNAVAILABLE";
        case "errorText" -> "taken";
        default -> throw new AssertionError("a look does not need " + method);
      };
    }

    private int retain(int index, long[] context) {
      opened.add(index);
      if (taken.contains(index)) {
        return 46;
      }
      held.merge(index, 1, Integer::sum);
      context[0] = 100L + index;
      return 0;
    }

    private int release(int index) {
      assertThat(current).as("a context that is current is not to be destroyed").isZero();
      assertThat(held).containsKey(index);
      held.computeIfPresent(index, (i, count) -> count == 1 ? null : count - 1);
      return 0;
    }
  }
}
