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

/** Which GPUs of a host are opened, by a driver that counts: hosts of several GPUs are rare. */
class VisibleGpusTest {
  private static final int COUNT = 4;

  private final Counting driver = new Counting();
  private final VisibleGpus gpus =
      new VisibleGpus(
          (Driver)
              Proxy.newProxyInstance(
                  Driver.class.getClassLoader(),
                  new Class<?>[] {Driver.class},
                  (proxy, method, arguments) -> driver.call(method, arguments)),
          "13.0",
          "sm_90",
          COUNT);

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
    driver.unusable = Set.of(0);
    assertThat(gpus.firstUsable().map(GpuInfo::index)).contains(1);
    assertThat(gpus.firstUsable().map(GpuInfo::index)).contains(1);
    assertThat(driver.opened).containsExactly(0, 1);
    assertThat(driver.held.keySet()).containsExactly(1);
  }

  @Test
  void whereNoneCanBeUsedNoneStaysOpen() {
    driver.unusable = Set.of(0, 1, 3);
    driver.taken = Set.of(2);
    assertThat(gpus.firstUsable()).isEmpty();
    assertThat(gpus.all()).allMatch(gpu -> gpu.problem().isPresent());
    assertThat(driver.opened).containsExactly(0, 1, 2, 3);
    assertThat(driver.held).isEmpty();
  }

  @Test
  void whatCannotBeUsedIsGivenBack() {
    driver.taken = Set.of(1);
    driver.unusable = Set.of(3);
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
  void eachIsOpenedOnce() {
    gpus.get(2);
    gpus.all();
    gpus.all();
    assertThat(driver.opened).containsExactly(2, 0, 1, 3);
    assertThat(driver.held.values()).containsOnly(1);
  }

  /**
   * Counts contexts; every GPU is of the kind that the library was built for, or cannot be used.
   */
  private static final class Counting {
    private final List<Integer> opened = new ArrayList<>();
    private final TreeMap<Integer, Integer> held = new TreeMap<>();
    private Set<Integer> unusable = Set.of();
    private Set<Integer> taken = Set.of();
    private long current;

    Object call(Method method, Object[] arguments) {
      return switch (method.getName()) {
        case "deviceName", "totalMemory" -> 0;
        case "attribute" -> {
          ((int[]) arguments[2])[0] =
              switch ((Integer) arguments[1]) {
                case 75 -> 9;
                case 76 -> 0;
                default -> 132;
              };
          yield 0;
        }
        case "retainPrimary" -> retain((Integer) arguments[0], (long[]) arguments[1]);
        case "setCurrent" -> {
          current = (Long) arguments[0];
          yield 0;
        }
        case "releasePrimary" -> release((Integer) arguments[0]);
        case "callInt" -> unusable.contains((int) current - 100) ? 209 : 0;
        case "callText" ->
            arguments[0].equals("lat_error_name") ? "cudaErrorNoKernelImageForDevice" : "";
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
