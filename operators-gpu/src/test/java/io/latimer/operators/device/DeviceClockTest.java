package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.DeviceClock.Times;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On a driver that only counts time: a copy takes 2 ms, and a kernel or a graph 5 ms. */
class DeviceClockTest {
  private static final int COPY = 2;
  private static final int KERNEL = 5;
  private static final int NOT_READY = 600;

  private final Map<Long, Long> reached = new HashMap<>();
  private final Gpu gpu =
      new Gpu(
          0,
          (Driver)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {Driver.class},
                  (proxy, method, arguments) -> driver(method.getName(), arguments)),
          new LostGpus());
  private long time;
  private long handles;
  private long done = Long.MAX_VALUE;
  private int eventErrors;
  private int releaseErrors;
  private int queueErrors;

  private Object driver(String method, Object[] arguments) {
    switch (method) {
      case "retainPrimary" -> ((long[]) arguments[1])[0] = 1;
      case "createStream" -> ((long[]) arguments[0])[0] = ++handles;
      case "createEvent" -> {
        ((long[]) arguments[0])[0] = ++handles;
        return eventErrors;
      }
      case "recordEvent" -> reached.put((Long) arguments[0], time);
      case "queryEvent" -> {
        return reached.get((Long) arguments[0]) <= done ? 0 : NOT_READY;
      }
      case "destroyEvent" -> {
        return releaseErrors;
      }
      case "elapsed" ->
          ((float[]) arguments[2])[0] = reached.get(arguments[1]) - reached.get(arguments[0]);
      case "callInt", "launchGraph" -> {
        time += KERNEL;
        return queueErrors;
      }
      case "errorName", "errorText", "callText" -> {
        return "error";
      }
      default -> {
        // nothing takes time
      }
    }
    return 0;
  }

  private static Times milliseconds(long transfer, long kernel) {
    return new Times(
        TimeUnit.MILLISECONDS.toNanos(transfer), TimeUnit.MILLISECONDS.toNanos(kernel));
  }

  /** Two kernels, with a copy before and after each, and time on the host between. */
  private Object work(Stream stream) {
    for (int i = 0; i < 2; i++) {
      DeviceClock.queue(stream, DeviceClock.Kind.TRANSFER, () -> time += COPY);
      time += 1000;
      stream.call("lat_anything");
      DeviceClock.queue(stream, DeviceClock.Kind.TRANSFER, () -> time += COPY);
    }
    new Graph(gpu, "test", 7).launch(stream);
    return this;
  }

  @Test
  void transfersAndKernelsAreTold() {
    try (Stream stream = new Stream(gpu, "test")) {
      DeviceClock.Measured<Object> measured = DeviceClock.measure(() -> work(stream));
      assertThat(measured.value()).isSameAs(this);
      assertThat(measured.times()).contains(milliseconds(4 * COPY, 3 * KERNEL));
    }
  }

  @Test
  void eventsAreReleased() {
    try (Stream stream = new Stream(gpu, "test")) {
      DeviceClock.measure(() -> work(stream));
      assertThat(gpu.openResources()).doesNotContainKey("Event of clock");
    }
  }

  @Test
  void whatIsNotMeasuredHasNoEvents() {
    try (Stream stream = new Stream(gpu, "test")) {
      long before = handles;
      work(stream);
      assertThat(handles).isEqualTo(before);
      DeviceClock.measure(() -> 1);
      work(stream);
      assertThat(handles).isEqualTo(before);
    }
  }

  @Test
  void withoutWorkOnADeviceThereAreNoTimes() {
    DeviceClock.Measured<Integer> measured = DeviceClock.measure(() -> 1);
    assertThat(measured.times()).isEmpty();
    assertThat(measured.queued()).isFalse();
  }

  @Test
  void workThatOthersWaitForIsLeftOut() {
    try (Stream stream = new Stream(gpu, "test")) {
      DeviceClock.Measured<Object> measured =
          DeviceClock.measure(
              () -> {
                work(stream);
                done = time;
                return work(stream);
              });
      assertThat(measured.queued()).isTrue();
      assertThat(measured.times()).contains(milliseconds(4 * COPY, 3 * KERNEL));
      assertThat(gpu.openResources()).doesNotContainKey("Event of clock");
    }
  }

  @Test
  void eventsThatCannotBeReleasedFailNothing() {
    try (Stream stream = new Stream(gpu, "test")) {
      releaseErrors = 1;
      DeviceClock.Measured<Object> measured = DeviceClock.measure(() -> work(stream));
      assertThat(measured.value()).isSameAs(this);
      assertThat(measured.times()).contains(milliseconds(4 * COPY, 3 * KERNEL));
      queueErrors = 2;
      assertThatThrownBy(() -> DeviceClock.measure(() -> work(stream)))
          .isInstanceOf(DeviceMemoryException.class);
      releaseErrors = 0;
    }
  }

  @Test
  void withoutEventsTheWorkIsDoneAllTheSame() {
    try (Stream stream = new Stream(gpu, "test")) {
      eventErrors = 2; // out of memory
      DeviceClock.Measured<Object> measured = DeviceClock.measure(() -> work(stream));
      assertThat(measured.value()).isSameAs(this);
      assertThat(measured.queued()).isTrue();
      assertThat(measured.times()).isEmpty();
    }
  }

  @Test
  void workThatIsNotDoneYetAndTooMuchWorkHaveNoTimes() {
    try (Stream stream = new Stream(gpu, "test")) {
      done = -1;
      DeviceClock.Measured<Object> measured = DeviceClock.measure(() -> work(stream));
      assertThat(measured.times()).isEmpty();
      assertThat(measured.queued()).isTrue();
      done = Long.MAX_VALUE;
      Optional<Times> times =
          DeviceClock.measure(
                  () -> {
                    for (int i = 0; i <= DeviceClock.MAX_PIECES; i++) {
                      stream.call("lat_anything");
                    }
                    return 1;
                  })
              .times();
      assertThat(times).isEmpty();
      assertThat(gpu.openResources()).doesNotContainKey("Event of clock");
    }
  }

  @Test
  void workThatCannotBeQueuedLeavesNoEvent() {
    try (Stream stream = new Stream(gpu, "test")) {
      queueErrors = 1;
      assertThatThrownBy(() -> DeviceClock.measure(() -> work(stream)))
          .isInstanceOf(DeviceException.class);
      assertThat(gpu.openResources()).doesNotContainKey("Event of clock");
    }
  }

  @Test
  void aFailureEndsTheMeasurement() {
    try (Stream stream = new Stream(gpu, "test")) {
      assertThatThrownBy(
              () ->
                  DeviceClock.measure(
                      () -> {
                        work(stream);
                        throw new IllegalStateException("failed");
                      }))
          .hasMessage("failed");
      assertThat(gpu.openResources()).doesNotContainKey("Event of clock");
      long before = handles;
      work(stream);
      assertThat(handles).isEqualTo(before);
    }
  }
}
