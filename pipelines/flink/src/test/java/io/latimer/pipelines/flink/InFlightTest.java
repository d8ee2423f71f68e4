package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Envelope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stage that processes two batches at once gets two. */
class InFlightTest {
  private static final int RECORDS = 200;

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private static CountDownLatch third;
  private static AtomicInteger batches;
  private static Set<Thread> threads;

  @TempDir Path folder;

  @BeforeEach
  void reset() throws Exception {
    third = new CountDownLatch(1);
    batches = new AtomicInteger();
    threads = ConcurrentHashMap.newKeySet();
    Files.write(folder.resolve("in"), Jobs.numbered(RECORDS));
  }

  /** The first batch waits for the third, which starts when the second is done. */
  private static void waitForTheThird(List<Envelope> batch) throws InterruptedException {
    threads.add(Thread.currentThread());
    int number = batches.incrementAndGet();
    if (number == 1) {
      third.await();
    } else if (number == 3) {
      third.countDown();
    }
  }

  private JobConfig job() {
    String source = Jobs.from(folder.resolve("in"));
    return Jobs.job(source, Jobs.text(folder.resolve("out")), Jobs.FAIL);
  }

  private static List<String> expected() {
    return Jobs.numbered(RECORDS).stream().map(line -> line.toUpperCase(Locale.ROOT)).toList();
  }

  @Test
  void oneBatchPassesAnotherOnTheDeviceButNotInTheStream() throws Exception {
    CLUSTER.run(job(), new TestStage("work", 2, InFlightTest::waitForTheThird));
    assertThat(threads).hasSize(2);
    assertThat(Jobs.lines(folder.resolve("out"))).containsExactlyElementsOf(expected());
  }

  @Test
  void whereOrderIsNotWantedItIsNotKept() throws Exception {
    CLUSTER.run(Jobs.unordered(job()), new TestStage("work", 2, InFlightTest::waitForTheThird));
    assertThat(Jobs.lines(folder.resolve("out")))
        .containsExactlyInAnyOrderElementsOf(expected())
        .isNotEqualTo(expected());
  }
}
