package io.latimer.pipelines.flink;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.NgramTable;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Stages that count n-grams, for the tests. */
public final class NgramStages {
  private NgramStages() {}

  static JobConfig job(String settings) {
    String yaml =
        "source: {list: {lines: []}}\nstages: [{ngrams: {" + settings + "}}]\nsinks: []\n";
    return JobConfigReader.read(yaml, "job.yaml", Path.of("/jobs"));
  }

  // the stage makes these tables, which the return type of Stages does not express
  @SuppressWarnings("unchecked")
  public static TableStage<NgramTable> of(String settings) {
    return (TableStage<NgramTable>) job(settings).newStages().get(0);
  }

  public static Map<String, Long> counts(NgramTable table) {
    Map<String, Long> counts = new TreeMap<>();
    table.getTop().forEach(one -> counts.put(one.getNgram(), one.getCount()));
    return counts;
  }
}
