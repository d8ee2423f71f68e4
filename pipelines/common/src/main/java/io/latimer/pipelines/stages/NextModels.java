package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.StageConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The models that a stage {@code translate} goes on to where its first one is in doubt. As indexes
 * of the stage they are {@code then}, {@code then-2} and so on.
 */
final class NextModels {
  static final ConfigKey<List<String>> THEN =
      ConfigKey.of(
          "then",
          ConfigTypes.list(ConfigTypes.path(false)),
          List.of(),
          "With a `model` that judges its translations: more model files for the same languages. A"
              + " record whose translation has a quality below `min-quality` is translated by the"
              + " next one, too, and the better translation is taken. Settings of the `model` apply"
              + " to them as well.");
  static final ConfigKey<List<String>> SHA256 =
      ConfigKey.of(
          "then-sha256",
          ConfigTypes.list(ConfiguredIndex.SHA256.type()),
          List.of(),
          "SHA-256 of each file of `then`, like `sha256`; empty for none.");
  static final ConfigKey<Double> MIN_QUALITY =
      ConfigKey.of(
          "min-quality",
          ConfigTypes.number(0, 1),
          0.5,
          "With `then`: translations of a lower quality go to the next model.");

  private NextModels() {}

  /** Their names as indexes of the stage, in the order of their use. */
  static List<String> names(Settings settings) {
    return IntStream.range(0, settings.get(THEN).size()).mapToObj(NextModels::name).toList();
  }

  private static String name(int i) {
    return i == 0 ? THEN.name() : THEN.name() + "-" + (i + 1);
  }

  /** The files by their names, in the order of their use; determines their hashes. */
  static Map<String, ConfiguredIndex> of(StageConfig config, IndexFiles files) {
    Map<String, ConfiguredIndex> models = new LinkedHashMap<>();
    for (IndexPlace place : places("stage " + config.name() + ": ", config.settings())) {
      models.put(place.pathName(), ConfiguredIndex.of(place, TranslationModel.KIND, files));
    }
    return models;
  }

  /**
   * Checks settings without reading the files.
   *
   * @throws OperatorException if they are inconsistent
   */
  static void check(Settings settings) {
    List<IndexPlace> places = places("", settings);
    places.forEach(IndexPlace::check);
    boolean scores = settings.get(TranslateStage.SCORES) || settings.get(TranslateStage.N_BEST) > 1;
    if (!places.isEmpty() && !scores) {
      throw new OperatorException(
          "scores: needed to judge which translations go to the next model; remove it, or then");
    }
  }

  private static List<IndexPlace> places(String where, Settings settings) {
    List<String> files = settings.get(THEN);
    List<String> hashes = settings.get(SHA256);
    if (!hashes.isEmpty() && hashes.size() != files.size()) {
      throw new OperatorException(
          where
              + SHA256.name()
              + ": "
              + hashes.size()
              + " for "
              + files.size()
              + " files of then; give one for each, '' for any content");
    }
    List<IndexPlace> places = new ArrayList<>(files.size());
    for (int i = 0; i < files.size(); i++) {
      String hash = hashes.isEmpty() ? "" : hashes.get(i);
      places.add(new IndexPlace(where, name(i), files.get(i), SHA256.name(), hash));
    }
    return places;
  }
}
