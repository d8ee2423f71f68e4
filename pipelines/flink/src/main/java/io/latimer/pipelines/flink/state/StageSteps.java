package io.latimer.pipelines.flink.state;

import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.TableStage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The steps of a job's graph: single table stages, and groups of stages that process batches. */
public record StageSteps(List<List<Stage>> all) {

  /**
   * Divides stages into steps.
   *
   * @param group whether adjacent stages that process batches form a group
   */
  public static StageSteps of(List<Stage> stages, boolean group) {
    List<List<Stage>> steps = new ArrayList<>();
    Stage before = null;
    for (Stage stage : stages) {
      if (!group || !(before instanceof BatchStage) || !(stage instanceof BatchStage)) {
        steps.add(new ArrayList<>());
      }
      steps.get(steps.size() - 1).add(stage);
      before = stage;
    }
    return new StageSteps(steps);
  }

  /** The stages of a step that process batches. */
  public static List<BatchStage> batchStages(List<Stage> step) {
    return step.stream().filter(BatchStage.class::isInstance).map(BatchStage.class::cast).toList();
  }

  /** The stages that make tables. */
  public Stream<TableStage<?>> tables() {
    return all.stream()
        .map(step -> step.get(0))
        .filter(TableStage.class::isInstance)
        .map(stage -> (TableStage<?>) stage);
  }

  /** The uids of groups: those of their first stages. */
  public Set<String> groups() {
    return all.stream().flatMap(step -> uids(step).limit(1)).collect(Collectors.toSet());
  }

  /**
   * The uids of stages without operators of their own, because they are in a group but not first.
   */
  Set<String> grouped() {
    return all.stream().flatMap(step -> uids(step).skip(1)).collect(Collectors.toSet());
  }

  /** The uids that the stages of a group have in jobs without grouping. */
  private static Stream<String> uids(List<Stage> step) {
    return batchStages(step).stream().map(stage -> "stage-" + stage.name());
  }
}
