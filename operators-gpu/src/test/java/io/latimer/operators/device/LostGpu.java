package io.latimer.operators.device;

import io.latimer.operators.testing.TestClassPath;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Optional;

/**
 * A process whose GPU is lost: a kernel reads where no memory is. {@link GpuLostTest} runs it,
 * because no other test could use the device in the same process afterwards.
 */
final class LostGpu {
  private LostGpu() {}

  public static void main(String[] arguments) {
    Gpu gpu = Gpu.open(Device.gpu(Integer.parseInt(arguments[0])));
    Arena arena = new Arena(gpu, "test");
    Stream stream = new Stream(gpu, "test");
    PinnedBuffer host = new PinnedBuffer(gpu, "test", 1024);
    Event event = new Event(gpu, "test");
    DeviceBuffer counts = arena.allocate(1024);
    stream.fill(counts, 0);
    stream.synchronize();
    say(
        "error",
        () -> {
          gpu.call(
              "test", "lat_ngram_v1", 4096L, 1L << 20, 0L, 1, counts.address(), stream.handle());
          stream.synchronize();
        });
    say("lost", () -> print(gpu.isLost()));
    say("copy", () -> stream.copyOut(counts, 1024, host, 0));
    say("allocate", () -> arena.allocate(1L << 30));
    say("event", event::isReached);
    say("open", () -> Gpu.open(Device.gpu(gpu.index())).freeMemory());
    say("gpu", () -> print(Device.parse("gpu:" + gpu.index())));
    say("auto", () -> print(Device.parse("auto", () -> List.of(gpu.index()))));
    say("report", () -> print(Devices.report().gpus().get(gpu.index()).problem().orElse("")));
    say("other job", () -> print(inAnotherJob(gpu.index())));
    say("close", event::close);
    say("close", host::close);
    say("close", stream::close);
    say("close", arena::close);
    say("left", () -> print(gpu.openResources()));
  }

  /** What the classes of another class loader say of the GPU, as those of another job would. */
  private static Object inAnotherJob(int gpu) {
    try (URLClassLoader own =
        new URLClassLoader(TestClassPath.urls(), ClassLoader.getPlatformClassLoader())) {
      Object report = own.loadClass(Devices.class.getName()).getMethod("report").invoke(null);
      List<?> gpus = (List<?>) report.getClass().getMethod("gpus").invoke(report);
      Object info = gpus.get(gpu);
      return ((Optional<?>) info.getClass().getMethod("problem").invoke(info)).orElseThrow();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void print(Object value) {
    System.out.print("> " + value + " ");
  }

  private static void say(String what, Runnable work) {
    try {
      work.run();
      System.out.println("> " + what + " done");
    } catch (DeviceLostException e) {
      System.out.println("> " + what + " lost " + e.call() + " " + e.error());
    } catch (RuntimeException e) {
      System.out.println("> " + what + " " + e);
    }
  }
}
