package io.latimer.benchmarks.gpu;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How busy the GPUs are, as {@code nvidia-smi} samples it: the share of the time in which at least
 * one kernel ran.
 */
final class GpuUsage implements AutoCloseable {
  private static final int INTERVAL_MILLIS = 100;

  /** Samples and their sum of percents, of one GPU. */
  private static final class Samples {
    private int count;
    private long percents;
  }

  private final Map<String, Samples> gpus = new TreeMap<>();
  private Process sampler;

  /** Starts to sample; without {@code nvidia-smi} there will be no samples. */
  void start() {
    close();
    synchronized (gpus) {
      gpus.clear();
    }
    Process started;
    try {
      started =
          new ProcessBuilder(
                  "nvidia-smi",
                  "--query-gpu=index,utilization.gpu",
                  "--format=csv,noheader,nounits",
                  "--loop-ms=" + INTERVAL_MILLIS)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      return; // not installed, as on a host without GPUs
    }
    sampler = started;
    Thread reader = new Thread(() -> read(started), "GPU usage");
    reader.setDaemon(true);
    reader.start();
  }

  private void read(Process from) {
    try (BufferedReader lines = from.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split(", *", -1);
        if (parts.length == 2 && parts[1].matches("[0-9]+")) {
          synchronized (gpus) {
            Samples samples = gpus.computeIfAbsent(parts[0], gpu -> new Samples());
            samples.count++;
            samples.percents += Integer.parseInt(parts[1]);
          }
        }
      }
    } catch (IOException e) {
      // it was stopped
    }
  }

  /**
   * Stops sampling.
   *
   * @return the mean share of all GPUs that worked at all, 0 to 1, as a number for JSON; null
   *     without samples
   */
  String stop() {
    close();
    synchronized (gpus) {
      double[] shares =
          gpus.values().stream()
              .filter(gpu -> gpu.percents > 0)
              .mapToDouble(gpu -> gpu.percents / 100.0 / gpu.count)
              .toArray();
      double sum = 0;
      for (double share : shares) {
        sum += share;
      }
      return shares.length == 0 ? "null" : String.format(Locale.ROOT, "%.2f", sum / shares.length);
    }
  }

  @Override
  public void close() {
    if (sampler != null) {
      sampler.destroy();
      sampler = null;
    }
  }
}
