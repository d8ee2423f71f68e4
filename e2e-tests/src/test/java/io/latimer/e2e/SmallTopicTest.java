package io.latimer.e2e;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A topic whose maximum message size is smaller than a producer's batch. */
@Timeout(240)
class SmallTopicTest {
  private static final int LINES = 4_000;

  @TempDir Path folder;

  @Test
  void whatIsTooMuchAtOnceIsSplitAndComesOnce() throws Exception {
    String padding = "x".repeat(300);
    List<String> lines =
        IntStream.range(0, LINES).mapToObj(i -> "line " + i + " " + padding).toList();
    try (Flow flow = new Flow(folder)) {
      flow.topic("in", 1);
      flow.topic("out", 1, Map.of("max.message.bytes", "10000"));
      flow.topic("dead", 1);
      flow.send(1, lines);

      flow.start(flow.job("identity: {}", 1));

      Received.assertExactlyOnce(lines, flow.await("out", LINES));
    }
  }
}
