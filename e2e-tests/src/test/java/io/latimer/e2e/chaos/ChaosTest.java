package io.latimer.e2e.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing is lost and nothing comes twice, whatever is killed under load.
 *
 * <p>The long form runs with {@code -Pchaos}. System properties: {@code latimer.chaos.seed}, {@code
 * latimer.chaos.kills}, {@code latimer.chaos.rate} (sentences a second), and {@code
 * latimer.chaos.faults}: names of {@link Fault}, separated by commas, instead of random ones.
 */
class ChaosTest {
  private static final Path REPORT =
      Path.of(System.getProperty("latimer.root"), "e2e-tests", "target", "chaos");

  // the logs of failed runs are kept
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Test
  @Timeout(600)
  void threeKillsLoseAndDoubleNothing() throws Exception {
    run(ChaosPlan.brief(seed()), "short.md");
  }

  @Test
  @Tag("chaos")
  void fiftyKillsAndOtherFaultsLoseAndDoubleNothing() throws Exception {
    List<Fault> others = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      if (!fault.isKill()) {
        others.add(fault);
      }
    }
    if (SteppedClock.build(folder).isEmpty()) {
      System.out.println("without steps of the clock, because there is no C compiler");
      others.remove(Fault.CLOCK_STEP);
    }
    int kills = Integer.getInteger("latimer.chaos.kills", 50);
    int rate = Integer.getInteger("latimer.chaos.rate", 200);
    String given = System.getProperty("latimer.chaos.faults", "");
    run(
        given.isEmpty()
            ? ChaosPlan.full(seed(), kills, rate, others)
            : ChaosPlan.of(
                seed(), rate, Arrays.stream(given.split(",")).map(Fault::valueOf).toList()),
        "long.md");
  }

  private void run(ChaosPlan plan, String report) throws Exception {
    Files.createDirectories(REPORT);
    new ChaosRun(folder, plan).run(REPORT.resolve(report));
  }

  private static long seed() {
    return Long.getLong("latimer.chaos.seed", new Random().nextInt(1_000_000));
  }
}
