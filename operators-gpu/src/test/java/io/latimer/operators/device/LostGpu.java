package io.latimer.operators.device;

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
    say("close", event::close);
    say("close", host::close);
    say("close", stream::close);
    say("close", arena::close);
    say("left", () -> print(gpu.openResources()));
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
