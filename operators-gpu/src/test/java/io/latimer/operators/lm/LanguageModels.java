package io.latimer.operators.lm;

import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.estimate.EstimateReport;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.util.BuildProgress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Makes language models from sentences, for tests of this module and those above. */
public final class LanguageModels {
  /** Order 3, also for texts that are too small for discounts of their own. */
  public static final EstimateOptions TRIGRAMS =
      EstimateOptions.of(3).withFallback(Discounts.FALLBACK);

  private LanguageModels() {}

  /** Estimates a model of {@link #TRIGRAMS} in layout hash, as a new file. */
  public static EstimateReport estimate(List<String> sentences, Path model) throws IOException {
    return estimate(sentences, TRIGRAMS, LmLayout.HASH, model);
  }

  /** Estimates a model as a new file; its ARPA file stays beside it. */
  public static EstimateReport estimate(
      List<String> sentences, EstimateOptions options, LmLayout layout, Path model)
      throws IOException {
    Path arpa = model.resolveSibling(model.getFileName() + ".arpa");
    byte[] text = (String.join("\n", sentences) + "\n").getBytes(StandardCharsets.UTF_8);
    EstimateReport report;
    try (OutputStream out = Files.newOutputStream(arpa)) {
      report =
          EstimateLm.estimate(new ByteArrayInputStream(text), out, options, BuildProgress.NONE);
    }
    LmImporter.importArpa(
        LmImportRequest.of(arpa, model).with(layout), (section, read, total) -> {});
    return report;
  }
}
