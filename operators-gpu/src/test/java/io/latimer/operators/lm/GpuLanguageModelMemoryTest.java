package io.latimer.operators.lm;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.arpa.RandomArpa;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.testing.ResidentMemoryContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A language model's device memory, by its sections. */
class GpuLanguageModelMemoryTest extends ResidentMemoryContract {
  @TempDir Path folder;
  private IndexFile file;

  @Override
  protected AutoCloseable bring(Device device) throws Exception {
    if (file == null) {
      Path arpa = RandomArpa.write(folder.resolve("m.arpa"), 2, 20_000, 1_000_000, 1);
      LmImportRequest request = LmImportRequest.of(arpa, folder.resolve("m.llm"));
      LmImporter.importArpa(request, (section, ngrams, total) -> {});
      file = IndexFile.open(request.out());
    }
    return new GpuLanguageModel(LanguageModel.open(file), device);
  }

  @AfterEach
  void close() {
    if (file != null) {
      file.close();
    }
  }

  @Override
  protected long bytes(AutoCloseable resident) {
    return ((GpuLanguageModel) resident).bytes();
  }

  @Override
  protected long expected(AutoCloseable resident) {
    return ((GpuLanguageModel) resident).model().deviceBytes();
  }
}
