package io.latimer.pipelines.stages;

import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.estimate.EstimateProgress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Small language models for tests. */
final class LanguageModels {
  static final List<String> TEXT =
      List.of("the ship sails at dawn", "the harbour is quiet", "the ship is at the harbour");

  private LanguageModels() {}

  /** A model of order 3, estimated from sentences. */
  static Path estimate(Path folder, List<String> sentences) throws IOException {
    Path arpa = folder.resolve("model.arpa");
    byte[] text = (String.join("\n", sentences) + "\n").getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = Files.newOutputStream(arpa)) {
      EstimateLm.estimate(
          new ByteArrayInputStream(text),
          out,
          EstimateOptions.of(3).withFallback(Discounts.FALLBACK),
          EstimateProgress.NONE);
    }
    Path model = folder.resolve("model.llm");
    LmImporter.importArpa(LmImportRequest.of(arpa, model), (section, read, total) -> {});
    return model;
  }
}
