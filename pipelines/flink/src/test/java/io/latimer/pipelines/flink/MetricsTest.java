package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.JobConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  @Test
  void aStageTellsHowItsBatchesFare() throws Exception {
    Path in = folder.resolve("in");
    // 40 records in batches of at most 16, two of which cannot be read
    Files.writeString(in, "line\n".repeat(38), StandardCharsets.UTF_8);
    Files.write(in, new byte[] {(byte) 0xFF, '\n', (byte) 0xFF, '\n'}, StandardOpenOption.APPEND);
    JobID job =
        CLUSTER.run(
            Jobs.job(
                new JobConfig.FileSource(in.toUri().toString(), Duration.ZERO),
                Jobs.text(folder.resolve("out")),
                Jobs.text(folder.resolve("dead"))));

    long batches =
        find(job, ".batches").stream().mapToLong(metric -> ((Counter) metric).getCount()).sum();
    assertThat(batches).isGreaterThanOrEqualTo(3);
    assertThat(((Counter) one(job, "gather identity.0.fill.records.batches")).getCount())
        .isBetween(0L, 2L);
    Histogram sizes = (Histogram) one(job, "gather identity.0.batchSize");
    assertThat(sizes.getCount()).isEqualTo(batches);
    assertThat(sizes.getStatistics().getMean() * batches).isCloseTo(40, Offset.offset(0.001));
    assertThat(((Histogram) one(job, "identity.0.queueTime")).getCount()).isEqualTo(batches);
    assertThat(((Histogram) one(job, "identity.0.operatorTime")).getCount()).isEqualTo(batches);
    assertThat(one(job, "identity.0.tokensPerSecond")).isInstanceOf(Meter.class);
    assertThat(((Counter) one(job, "scatter identity.0.deadLetters")).getCount()).isEqualTo(2);
  }

  private static Metric one(JobID job, String name) {
    List<Metric> found = find(job, "." + name);
    assertThat(found).as(name).hasSize(1);
    return found.get(0);
  }

  private static List<Metric> find(JobID job, String end) {
    return CLUSTER.metrics(job).entrySet().stream()
        .filter(entry -> entry.getKey().endsWith(end))
        .map(Map.Entry::getValue)
        .toList();
  }
}
