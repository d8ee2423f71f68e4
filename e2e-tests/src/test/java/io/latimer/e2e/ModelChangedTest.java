package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.Section;
import io.latimer.operators.nmt.model.TranslationModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job does not continue with a model other than the one in its state. */
@Timeout(240)
class ModelChangedTest {
  @TempDir Path folder;

  @Test
  void aModelFileThatChangedUnderTheJobIsRefusedByName() throws Exception {
    Path model = Files.copy(Flow.MODEL, folder.resolve("model.lmx"));
    try (Flow flow = Flow.between(folder, 1, 1)) {
      JobID first = flow.start(flow.job(Flow.translate(model, ", beam: 1"), 1));
      flow.send(1, List.of("I came here alone."));
      flow.await("out", 1);
      String savepoint = flow.stop(first);
      String before = sha256(model);
      replace(model);
      String after = sha256(model);
      assertThat(after).isNotEqualTo(before);

      JobID second = flow.restore(savepoint, flow.job(Flow.translate(model, ", beam: 1"), 1));
      JobResult result = flow.cluster().requestJobResult(second).get();

      assertThat(result.isSuccess()).isFalse();
      assertThat(Failures.messages(result.getSerializedThrowable().orElseThrow()))
          .contains("model.lmx")
          .contains(before)
          .contains(after);
    }
  }

  /** Replaces the model with another valid one, as a hasty deployment would. */
  private void replace(Path model) throws Exception {
    Path other = folder.resolve("other.lmx");
    try (IndexFile now = IndexFile.open(model);
        IndexFileWriter out =
            IndexFileWriter.create(
                other, TranslationModel.KIND.written(now.kindVersion()), "another version")) {
      for (Section section : now.sections()) {
        out.add(section.name(), now.section(section.name()));
      }
      out.commit();
    }
    Files.move(other, model, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String sha256(Path model) {
    return IndexRefs.of(model).sha256();
  }
}
