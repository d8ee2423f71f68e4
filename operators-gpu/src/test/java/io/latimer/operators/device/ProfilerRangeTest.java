package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProfilerRangeTest {
  private final List<String> calls = new ArrayList<>();

  private Driver driver(boolean listens) {
    return (Driver)
        Proxy.newProxyInstance(
            Driver.class.getClassLoader(),
            new Class<?>[] {Driver.class},
            (proxy, method, arguments) -> {
              if (arguments[0].equals("lat_profiler_listens")) {
                return listens ? 1 : 0;
              }
              Object[] given = (Object[]) arguments[1];
              calls.add(arguments[0] + (given.length == 0 ? "" : " " + given[0]));
              return null;
            });
  }

  @AfterEach
  void noProfiler() {
    ProfilerRange.look(driver(false));
  }

  @Test
  void rangesNest() {
    ProfilerRange.look(driver(true));
    ProfilerRange stage = ProfilerRange.begin("translate", 64, "records");
    ProfilerRange call = ProfilerRange.begin("lat_nmt_join");
    call.end();
    stage.end();
    assertThat(calls)
        .containsExactly(
            "lat_range_begin translate 64 records",
            "lat_range_begin lat_nmt_join",
            "lat_range_end",
            "lat_range_end");
  }

  @Test
  void withoutAProfilerNothingIsCalled() {
    ProfilerRange.look(driver(false));
    ProfilerRange.begin("score", 1, "records").end();
    assertThat(calls).isEmpty();
  }

  /** A range that began without a profiler must not end another one. */
  @Test
  void aProfilerMayComeMeanwhile() {
    ProfilerRange early = ProfilerRange.begin("score", 1, "records");
    ProfilerRange.look(driver(true));
    early.end();
    assertThat(calls).isEmpty();
  }

  @Test
  void theKernelLibraryHearsNoProfilerHere() {
    KernelLibrary.require();
    Driver library = Natives.get().driver();
    if (System.getenv("NVTX_INJECTION64_PATH") == null) {
      assertThat(library.callInt("lat_profiler_listens", new Object[0])).isZero();
    }
    library.callNothing("lat_range_begin", new Object[] {"nobody hears"});
    library.callNothing("lat_range_end", new Object[0]);
  }
}
