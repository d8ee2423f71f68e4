package io.latimer.e2e.chaos;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.PlatformManagedObject;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Samples the memory of one process through its life: resident, and its heap after a collection;
 * and what a task may leave in it, its threads and the classes of its job.
 */
final class MemoryProbe {
  private static final long MIB = 1 << 20;

  /**
   * A sample.
   *
   * @param tasks of the job that ran in the process
   * @param residentMib resident memory after the collection, in MiB
   * @param heapMib the heap that is used after a collection, in MiB
   * @param classes that are loaded after the collection; those of a job count once for each class
   *     loader that is left
   */
  record Sample(long tasks, long residentMib, long heapMib, long threads, long classes) {}

  private final String name;
  private final long pid;
  private final List<Sample> samples = new ArrayList<>();

  MemoryProbe(String name, long pid) {
    this.name = name;
    this.pid = pid;
  }

  String name() {
    return name;
  }

  long pid() {
    return pid;
  }

  /**
   * Takes a sample; the process must be running, neither stopped nor dead.
   *
   * @param tasks of the job that run in it
   */
  // the other side is a child of this test
  @SuppressWarnings("BanJNDI")
  void sample(int tasks) throws Exception {
    VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
    String address;
    try {
      address = machine.startLocalManagementAgent();
    } finally {
      machine.detach();
    }
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
      MemoryMXBean memory =
          bean(connector, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
      memory.gc();
      samples.add(
          new Sample(
              tasks,
              residentMib(),
              memory.getHeapMemoryUsage().getUsed() / MIB,
              bean(connector, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class)
                  .getThreadCount(),
              bean(connector, ManagementFactory.CLASS_LOADING_MXBEAN_NAME, ClassLoadingMXBean.class)
                  .getLoadedClassCount()));
    }
  }

  private static <T extends PlatformManagedObject> T bean(
      JMXConnector connector, String name, Class<T> type) throws IOException {
    return ManagementFactory.newPlatformMXBeanProxy(
        connector.getMBeanServerConnection(), name, type);
  }

  private long residentMib() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
      }
    }
    throw new IllegalStateException("process " + pid + " has no VmRSS");
  }

  List<Sample> samples() {
    return List.copyOf(samples);
  }

  /**
   * The samples that can be compared: those while it ran as many tasks as it did most often. With
   * more slots in use it has more of everything, and while it waits for its tasks, less.
   */
  List<Sample> comparable() {
    Map<Long, List<Sample>> byTasks =
        samples.stream()
            .filter(sample -> sample.tasks() > 0)
            .collect(Collectors.groupingBy(Sample::tasks));
    return byTasks.values().stream().max(Comparator.comparingInt(List::size)).orElse(List.of());
  }

  /** The median of the first tenth of the comparable samples; of at least three. */
  Sample first() {
    List<Sample> comparable = comparable();
    return median(comparable.subList(0, tenth(comparable)));
  }

  /** The median of the second quarter. */
  Sample settled() {
    List<Sample> comparable = comparable();
    int quarter = comparable.size() / 4;
    return median(comparable.subList(quarter, Math.max(quarter + 1, comparable.size() / 2)));
  }

  /** The median of the last tenth. */
  Sample last() {
    List<Sample> comparable = comparable();
    return median(comparable.subList(comparable.size() - tenth(comparable), comparable.size()));
  }

  private static int tenth(List<Sample> of) {
    return Math.min(of.size(), Math.max(3, of.size() / 10));
  }

  private static Sample median(List<Sample> of) {
    return new Sample(
        median(of, Sample::tasks),
        median(of, Sample::residentMib),
        median(of, Sample::heapMib),
        median(of, Sample::threads),
        median(of, Sample::classes));
  }

  private static long median(List<Sample> of, ToLongFunction<Sample> value) {
    return of.stream().mapToLong(value).sorted().toArray()[of.size() / 2];
  }
}
