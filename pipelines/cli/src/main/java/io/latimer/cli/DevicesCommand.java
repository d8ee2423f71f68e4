package io.latimer.cli;

import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.Devices;
import io.latimer.operators.device.Gpu;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the devices that operators can run on. */
@Command(
    name = "devices",
    description = "Print the devices that --device can name on this machine.")
final class DevicesCommand extends TerminalCommand implements Callable<Integer> {

  @Override
  public Integer call() {
    Runtime machine = Runtime.getRuntime();
    terminal.result(
        String.format(
            "cpu    %s, %d cores, up to %d MiB of Java memory",
            System.getProperty("os.arch"),
            machine.availableProcessors(),
            machine.maxMemory() >> 20));
    Devices.Report report = Devices.report();
    for (Devices.GpuInfo gpu : report.gpus()) {
      terminal.result(
          String.format(
              "gpu:%d  %s, %s, %d multiprocessors, %d MiB%s%s",
              gpu.index(),
              gpu.name(),
              gpu.architecture(),
              gpu.multiprocessors(),
              gpu.memoryBytes() >> 20,
              gpu.problem().isEmpty() ? ", " + freeMiB(gpu.index()) + " MiB free" : "",
              gpu.problem().map(problem -> "; not usable: " + problem).orElse("")));
    }
    if (!report.driver().isEmpty()) {
      terminal.message(
          "The NVIDIA driver"
              + (report.release().isEmpty() ? "" : " " + report.release())
              + " offers CUDA "
              + report.driver()
              + ".");
    }
    if (!report.architectures().isEmpty()) {
      terminal.message("The kernel library is built for " + report.architectures() + ".");
    }
    if (report.gpus().isEmpty()) {
      terminal.message("No GPU can be used: " + report.problem().orElse("there is none") + ".");
    }
    return 0;
  }

  private static long freeMiB(int index) {
    return Gpu.open(Device.gpu(index)).freeMemory() >> 20;
  }
}
