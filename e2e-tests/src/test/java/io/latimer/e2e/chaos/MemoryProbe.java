package io.latimer.e2e.chaos;

import com.sun.tools.attach.VirtualMachine;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Samples the memory of one process through its life: resident, and its heap after a collection.
 */
final class MemoryProbe {
  private static final long MIB = 1 << 20;

  /**
   * A sample.
   *
   * @param residentMib resident memory after the collection, in MiB
   * @param heapMib the heap that is used after a collection, in MiB
   */
  record Sample(long residentMib, long heapMib) {}

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

  /** Takes a sample; the process must be running, neither stopped nor dead. */
  // the other side is a child of this test
  @SuppressWarnings("BanJNDI")
  void sample() throws Exception {
    VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
    String address;
    try {
      address = machine.startLocalManagementAgent();
    } finally {
      machine.detach();
    }
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
      MemoryMXBean memory =
          ManagementFactory.newPlatformMXBeanProxy(
              connector.getMBeanServerConnection(),
              ManagementFactory.MEMORY_MXBEAN_NAME,
              MemoryMXBean.class);
      memory.gc();
      samples.add(new Sample(residentMib(), memory.getHeapMemoryUsage().getUsed() / MIB));
    }
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

  /** The median of the first tenth of the samples; of at least three. */
  Sample first() {
    return median(samples.subList(0, tenth()));
  }

  /** The median of the last tenth. */
  Sample last() {
    return median(samples.subList(samples.size() - tenth(), samples.size()));
  }

  private int tenth() {
    return Math.max(3, samples.size() / 10);
  }

  private static Sample median(List<Sample> of) {
    return new Sample(
        of.stream().mapToLong(Sample::residentMib).sorted().toArray()[of.size() / 2],
        of.stream().mapToLong(Sample::heapMib).sorted().toArray()[of.size() / 2]);
  }
}
