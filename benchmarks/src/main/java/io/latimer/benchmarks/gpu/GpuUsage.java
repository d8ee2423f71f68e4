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

  /** By the indexes of the GPUs; the map is guarded by itself. */
  private Map<String, Samples> gpus = new TreeMap<>();

  private Process sampler;

  /** Starts to sample; without {@code nvidia-smi} there will be no samples. */
  void start() {
    close();
    Map<String, Samples> samples = new TreeMap<>(); // the last reader may still have a line
    gpus = samples;
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
    Thread reader = new Thread(() -> read(started, samples), "GPU usage");
    reader.setDaemon(true);
    reader.start();
  }

  private static void read(Process from, Map<String, Samples> gpus) {
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
   * @return two fields for JSON: {@code gpus}, how many worked at all, and {@code gpu_busy}, the
   *     mean of their shares, 0 to 1; null without samples
   */
  String stop() {
    close();
    Map<String, Samples> sampled = gpus;
    double sum = 0;
    int worked = 0;
    synchronized (sampled) {
      for (Samples gpu : sampled.values()) {
        if (gpu.percents > 0) {
          worked++;
          sum += gpu.percents / 100.0 / gpu.count;
        }
      }
    }
    String busy = worked == 0 ? "null" : String.format(Locale.ROOT, "%.2f", sum / worked);
    return "\"gpus\": " + worked + ", \"gpu_busy\": " + busy;
  }

  @Override
  public void close() {
    if (sampler != null) {
      sampler.destroy();
      sampler = null;
    }
  }
}
